// SPDX-License-Identifier: Apache-2.0
/** Positions of exporters in the record store, by name. */
import type {RecordStore} from '../records/record-store.ts';

const READERS = 'export/';
export const readerName = (name: string): string => `${READERS}${name}`;

/** Forgets the positions of exporters that are configured no more for `ageMs`. Their names. */
export const forgetExporters = async (
  records: RecordStore,
  names: readonly string[],
  nowMs: number,
  ageMs: number,
): Promise<readonly string[]> => {
  const forgotten = await records.forgetReaders({prefix: READERS, keep: names.map(readerName), nowMs, ageMs});
  return forgotten.map(name => name.slice(READERS.length));
};
