// SPDX-License-Identifier: Apache-2.0
/**
 * Records as they are written. A cursor is a store revision and when it was given: everything after it is still to come.
 *
 * Phases: 1. (from a time) what is stored, at the revision where the stream begins; 2. the store's watch from there.
 * I1: each record is given once, when it is first written; growing repeat counts only when `updates` asks for them.
 * I2: a record that is younger than the cursor by its time, but not by its revision, is of another history (the store was emptied, or
 *     an older backup restored): such records come first, and the stream goes on from a cursor of the history that there is.
 * I3: when history is gone, or the reader was too slow for the watch, the stored records younger than the cursor are read instead,
 *     and the watch goes on from there. Only records that retention dropped meanwhile are missed.
 */

import {type AnyRecord, parseTimestamp, type RecordKind} from '@palisade/ids-wire';
import {type Entry, hasCode, type Revision} from '@palisade/store';
import {fromBytes} from '../model/keys.ts';
import type {Clock} from '../system.ts';
import {kindPrefix, parseRecordKey, rankTime, timeOfRank} from './record-keys.ts';
import type {RecordScope} from './record-query.ts';
import {RECORDS_PAGE, type RecordStore, type StoredRecord} from './record-store.ts';

export type FollowCursor = {
  readonly revision: Revision;
  /** Every record up to there is from then or before. Undefined: not known. */
  readonly timeMs: number | undefined;
};

export type FollowOptions = {
  readonly kind: RecordKind;
  readonly scope: RecordScope;
  readonly matches: (record: AnyRecord) => boolean;
  /** Give what is stored from then on first. */
  readonly sinceMs: number | undefined;
  /** Go on after this one; goes before `sinceMs`. */
  readonly cursor: FollowCursor | undefined;
  readonly clock: Clock;
  readonly updates: boolean;
  readonly signal: AbortSignal;
};

/** A batch, and the cursor after it; none while stored records are read, which come again if that is cut short. */
export type FollowBatch = {readonly records: readonly StoredRecord[]; readonly cursor: FollowCursor | undefined};

export async function* followRecords(records: RecordStore, options: FollowOptions): AsyncGenerator<FollowBatch> {
  const {store} = records;
  const now = await store.currentRevision();
  const {cursor: asked} = options;
  let cursor = asked !== undefined && asked.revision < now ? asked.revision : now;
  let timeMs = asked?.timeMs ?? 0;
  let isSameHistory = asked?.revision === cursor;
  const saw = (given: readonly StoredRecord[]): void => {
    for (const {rank} of given) timeMs = Math.max(timeMs, parseTimestamp(timeOfRank(rank)) ?? 0);
    timeMs = Math.max(timeMs, options.clock.now());
  };
  const sinceMs = asked === undefined ? options.sinceMs : secondAfter(asked.timeMs);
  if (sinceMs !== undefined) {
    for await (const batch of stored(records, {...options, sinceMs}, {at: cursor, after: 0n})) {
      if (batch.records.length > 0) isSameHistory = false;
      saw(batch.records);
      yield batch;
    }
  }
  if (!isSameHistory) saw([]);
  yield {records: [], cursor: isSameHistory ? asked : {revision: cursor, timeMs}};
  while (!options.signal.aborted) {
    try {
      for await (const batch of store.watch(kindPrefix(options.kind), cursor, options.signal)) {
        cursor = batch.at(-1)?.revision ?? cursor;
        const entries = batch.flatMap(event =>
          event.type === 'put' && (options.updates || event.previous === undefined) ? [event.entry] : [],
        );
        const given = entries.flatMap(entry => toStored(entry, options));
        saw(given);
        yield {records: given, cursor: {revision: cursor, timeMs}};
      }
    } catch (error) {
      if (options.signal.aborted || !hasCode(error, 'compacted', 'too-slow', 'future-revision')) throw error;
      const at = await store.currentRevision();
      for await (const batch of stored(records, options, {at, after: cursor})) {
        saw(batch.records);
        yield batch;
      }
      cursor = at;
      yield {records: [], cursor: {revision: cursor, timeMs}};
    }
  }
}

/** Records are kept by the second. */
const secondAfter = (ms: number | undefined): number | undefined =>
  ms === undefined ? undefined : (Math.floor(ms / 1000) + 1) * 1000;

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
