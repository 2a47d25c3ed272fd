// SPDX-License-Identifier: Apache-2.0
/** What record-store-child.ts reported, and whether a record store has it. */
import {RECORD_BUDGETS_DEFAULT} from '../../../packages/ids/src/limits.ts';
import type {RecordStore} from '../../../packages/ids/src/records/record-store.ts';
import {openSqliteRecordStore} from '../../../packages/ids/src/records/sqlite/record-store.ts';
import {A, B, readAll, T0} from '../../../packages/ids/src/testing/record-store-contract.ts';
import {parseIdsEndpointName} from '../../../packages/ids-wire/src/index.ts';
import {RECORDS_OF_A_BATCH} from '../records/record-store-say.ts';

/** The last batch that was reported, by endpoint. */
export type Reported = ReadonlyMap<string, number>;

/** From the lines of record-store-child.ts. */
export const reportedIn = (said: readonly string[], before: Reported = new Map()): Reported => {
  const all = new Map(before);
  for (const line of said) {
    const [endpoint = '', batch] = line.split(' ');
    if (endpoint !== 'failed') all.set(endpoint, Number(batch));
  }
  return all;
};

const faultsOf = async (store: RecordStore, endpoint: string, reported: number): Promise<string[]> => {
  const batches = (await store.load(endpoint))?.checkpoint?.offset ?? 0;
  const name = parseIdsEndpointName(endpoint);
  if (name === undefined) throw new Error(endpoint);
  const threats = await readAll(store, {kind: 'threats', name, filter: ''});
  const counts = await store.counts(endpoint);
  const evidence = threats.length === 0 ? 'event 0' : await store.evidence(endpoint, threats.at(-1)?.id ?? '');
  const sum = threats.reduce((total, {record}) => total + Number(record.repeat_count), 0);
  const expected = batches * RECORDS_OF_A_BATCH;
  return [
    ...(batches < reported ? [`batch ${reported} was reported, the position is ${batches}`] : []),
    ...(threats.length === expected ? [] : [`${threats.length} threats instead of ${expected}`]),
    ...(new Set(threats.map(({id}) => id)).size === threats.length ? [] : ['a threat is there twice']),
    ...(sum === threats.length + Math.max(0, batches - 1) ? [] : [`repeat_count adds up to ${sum}`]),
    ...(counts.threats === expected && counts.traffic === batches ? [] : [`counted as ${JSON.stringify(counts)}`]),
    ...(/^event \d+$/.test(evidence ?? '') ? [] : ['the last threat has no evidence']),
  ];
};

/** Opens a store after power loss. Throws for what is missing, twice or torn. */
export const checkRecordAnswers = async (folder: string, reported: Reported): Promise<void> => {
  const complaints: string[] = [];
  const complain = (fields: object, message: string): void =>
    void complaints.push(`${message} ${JSON.stringify(fields)}`);
  const ignore = (): void => undefined;
  const store = openSqliteRecordStore({
    folder,
    budgets: RECORD_BUDGETS_DEFAULT,
    clock: {now: () => T0},
    log: {debug: ignore, info: ignore, warn: complain, error: complain},
  });
  try {
    await store.start();
    const faults = await Promise.all([A, B].map(async one => faultsOf(store, one, reported.get(one) ?? 0)));
    if (faults.flat().length + complaints.length > 0) throw new Error([...faults.flat(), ...complaints].join('\n'));
  } finally {
    await store.close();
  }
};
