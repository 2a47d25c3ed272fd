// SPDX-License-Identifier: Apache-2.0
/**
 * Records as they are written. A cursor is a place in the history of the store, and when it was given: everything after it is still to come.
 *
 * Phases: 1. (from a time) what is stored, up to the commit at which the stream begins; 2. what is written from there.
 * I1: each record is given once, when it is first written; changes of it only when `updates` asks for them.
 * I2: the cursor of another history (the store was emptied, or an older backup restored) says only when it was given: stored records
 *     that are younger come first, and the stream goes on from a cursor of the history that there is.
 * I3: a reader that is slow, or was away, misses only records that retention dropped meanwhile.
 */
import {RECORDS_PAGE} from '../limits.ts';
import type {Clock} from '../system.ts';
import {matchingRecords} from './list-records.ts';
import type {RecordCursor, RecordSelection, RecordStore, StoredRecord} from './record-store.ts';
import {microsOf} from './select.ts';
import {wakeUp} from './wake-up.ts';

/** `timeMs`: every record up to there is from then or before. */
export type FollowCursor = RecordCursor & {readonly timeMs: number};

/** `sinceMs` of the selection: give what is stored from then on first. */
export type FollowOptions = {
  readonly selection: RecordSelection;
  /** Go on after this one; goes before `sinceMs`. */
  readonly cursor: FollowCursor | undefined;
  readonly clock: Clock;
  readonly updates: boolean;
  readonly signal: AbortSignal;
};

/** A batch, and the cursor after it; none while stored records are read, which come again if that is cut short. */
export type FollowBatch = {readonly records: readonly StoredRecord[]; readonly cursor: FollowCursor | undefined};

export async function* followRecords(records: RecordStore, options: FollowOptions): AsyncGenerator<FollowBatch> {
  const {selection, cursor: asked, clock, updates, signal} = options;
  const wake = wakeUp(records, signal);
  try {
    const now = await records.position();
    const isSame = asked !== undefined && (await records.holds(asked));
    let timeMs = asked?.timeMs ?? 0;
    const saw = (given: readonly StoredRecord[]): void => {
      for (const {record} of given) timeMs = Math.max(timeMs, Math.ceil(microsOf(record) / 1000));
      timeMs = Math.max(timeMs, clock.now());
    };
    const sinceMs = asked === undefined ? selection.sinceMs : isSame ? undefined : asked.timeMs + 1;
    if (sinceMs !== undefined)
      for await (const page of matchingRecords(records, {...selection, sinceMs}, now.sequence)) {
        if (signal.aborted) return;
        saw(page);
        yield {records: page, cursor: undefined};
      }
    if (!isSame) saw([]);
    let {sequence} = isSame ? asked : now;
    yield {records: [], cursor: {history: now.history, sequence, timeMs}};
    const {kind, name, filter} = selection;
    while (!signal.aborted) {
      const woken = wake.next();
      const page = await records.changes({kind, name, filter, after: sequence, updates, limit: RECORDS_PAGE});
      if (page.sequence > sequence) {
        ({sequence} = page);
        saw(page.records);
        yield {records: page.records, cursor: {history: now.history, sequence, timeMs}};
      }
      if (page.isLast) await woken;
    }
  } finally {
    wake.close();
  }
}
