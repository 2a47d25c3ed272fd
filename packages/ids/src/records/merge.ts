// SPDX-License-Identifier: Apache-2.0
import type {StoredRecord} from './record-store.ts';

export const compareRecords = (a: StoredRecord, b: StoredRecord): number => {
  if (a.rank !== b.rank) return a.rank < b.rank ? -1 : 1;
  return a.endpoint < b.endpoint ? -1 : a.endpoint > b.endpoint ? 1 : 0;
};

/** Several lists in rank order as one in rank order. Holds one record of each. */
export async function* mergeRecords(lists: readonly AsyncGenerator<StoredRecord>[]): AsyncGenerator<StoredRecord> {
  const heads: {readonly list: AsyncGenerator<StoredRecord>; record: StoredRecord}[] = [];
  try {
    for (const list of lists) {
      const first = await list.next();
      if (first.done !== true) heads.push({list, record: first.value});
    }
    heads.sort((a, b) => compareRecords(a.record, b.record));
    for (let head = heads[0]; head !== undefined; head = heads[0]) {
      yield head.record;
      const next = await head.list.next();
      heads.shift();
      if (next.done === true) continue;
      head.record = next.value;
      const record = next.value;
      const at = heads.findIndex(other => compareRecords(record, other.record) < 0);
      heads.splice(at === -1 ? heads.length : at, 0, head);
    }
  } finally {
    for (const list of lists) await list.return(undefined);
  }
}
