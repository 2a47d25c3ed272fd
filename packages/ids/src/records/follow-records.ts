// SPDX-License-Identifier: Apache-2.0
/**
 * Records as they are written. A cursor is a store revision: everything after it is still to come.
 *
 * Phases: 1. (from a time) what is stored, at the revision where the stream begins; 2. the store's watch from there.
 * I1: each record is given once, when it is first written; growing repeat counts only when `updates` asks for them.
 * I2: when history is gone, or the reader was too slow for the watch, the stored records younger than the cursor are read instead,
 *     and the watch goes on from there. Only records that retention dropped meanwhile are missed.
 */
import {type Entry, hasCode, type Revision} from '@palisade/store';
import type {AnyRecord, RecordKind} from '@palisade/wire/ids';
import {fromBytes} from '../model/keys.ts';
import {kindPrefix, parseRecordKey, rankTime} from './record-keys.ts';
import type {RecordScope} from './record-query.ts';
import {RECORDS_PAGE, type RecordStore, type StoredRecord} from './record-store.ts';

export type FollowOptions = {
  readonly kind: RecordKind;
  readonly scope: RecordScope;
  readonly matches: (record: AnyRecord) => boolean;
  /** Give what is stored from then on first. */
  readonly sinceMs: number | undefined;
  /** Go on after this revision; goes before `sinceMs`. */
  readonly cursor: Revision | undefined;
  readonly updates: boolean;
  readonly signal: AbortSignal;
};

/** A batch, and the cursor after it; none while stored records are read, which come again if that is cut short. */
export type FollowBatch = {readonly records: readonly StoredRecord[]; readonly cursor: Revision | undefined};

export async function* followRecords(records: RecordStore, options: FollowOptions): AsyncGenerator<FollowBatch> {
  const {store} = records;
  const now = await store.currentRevision();
  let cursor = options.cursor !== undefined && options.cursor < now ? options.cursor : now;
  if (options.cursor === undefined && options.sinceMs !== undefined)
    yield* stored(records, options, {at: now, after: 0n});
  yield {records: [], cursor};
  while (!options.signal.aborted) {
    try {
      for await (const batch of store.watch(kindPrefix(options.kind), cursor, options.signal)) {
        cursor = batch.at(-1)?.revision ?? cursor;
        const entries = batch.flatMap(event =>
          event.type === 'put' && (options.updates || event.previous === undefined) ? [event.entry] : [],
        );
        yield {records: entries.flatMap(entry => toStored(entry, options)), cursor};
      }
    } catch (error) {
      if (options.signal.aborted || !hasCode(error, 'compacted', 'too-slow', 'future-revision')) throw error;
      const at = await store.currentRevision();
      yield* stored(records, options, {at, after: cursor});
      cursor = at;
      yield {records: [], cursor};
    }
  }
}

/** What is stored and was written after `after`, up to `at`, in key order. */
async function* stored(
  records: RecordStore,
  options: FollowOptions,
  range: {readonly at: Revision; readonly after: Revision},
): AsyncGenerator<FollowBatch> {
  const from = options.sinceMs === undefined || range.after > 0n ? '' : rankTime(options.sinceMs);
  const endpoints = (await records.endpoints(options.kind)).filter(options.scope.holds).sort();
  for (const endpoint of endpoints) {
    const prefix = `${kindPrefix(options.kind)}${endpoint}/`;
    let after = prefix + from;
    for (;;) {
      const page = await records.store.list(prefix, {after, limit: RECORDS_PAGE});
      const entries = page.entries.filter(entry => {
        const born = options.updates ? entry.modRevision : entry.createRevision;
        return born > range.after && entry.createRevision <= range.at;
      });
      yield {records: entries.flatMap(entry => toStored(entry, options)), cursor: undefined};
      after = page.entries.at(-1)?.key ?? '';
      if (page.remaining === 0 || after === '') break;
    }
  }
}

const toStored = (entry: Entry, {kind, scope, matches}: FollowOptions): StoredRecord[] => {
  const at = parseRecordKey(kind, entry.key);
  if (at === undefined || !scope.holds(at.endpoint)) return [];
  const record = fromBytes(entry.value) as AnyRecord;
  return matches(record) ? [{...at, record}] : [];
};
