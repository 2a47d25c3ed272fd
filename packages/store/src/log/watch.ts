// SPDX-License-Identifier: Apache-2.0
/**
 * A watch in three phases:
 *   1. replay  far behind: steps of history are read and handed on; nothing is buffered, the reader sets the pace
 *   2. seam    close: the live tail is subscribed, which notes the revision it starts behind; history up to that is read
 *   3. live    the tail, until abort
 *
 * I1 order: history and tail both ascend, and the tail begins where the seam ends.
 * I2 once, without gaps: subscribing and reading `revision` happen in one turn, in which nothing is published.
 * I3 a compaction that overtakes the replay ends the watch; checked after each read, because reads take time.
 */
import type {Entry, Key, Revision, StoreEvent} from '../store.ts';
import {StoreError} from '../store-error.ts';
import {type ChangeHead, lastIdOf, revisionOf, toEntry} from './change.ts';
import type {LogDriver, Replay, Replayed} from './driver.ts';
import type {Batch, LiveFeed} from './live-feed.ts';

export type WatchSource = {
  readonly driver: Pick<LogDriver, 'scan'>;
  readonly feed: LiveFeed;
  readonly replayRevisionsMax: number;
  readonly replayBytesMax: number;
  /** The entry in memory that a change has left, while it is current: its bytes are kept once. */
  readonly current: (change: ChangeHead) => Entry | undefined;
  /** Newest durable revision, as published. */
  readonly revision: () => number;
  /** Throws `compacted` or `closed`. */
  readonly assertReadable: (revision: number) => void;
};

export async function* watchLog(
  source: WatchSource,
  prefix: Key,
  {from, signal}: {readonly from: number; readonly signal: AbortSignal},
): AsyncGenerator<Batch, void> {
  let seen = from;
  source.assertReadable(seen);
  const step = async (through: number): Promise<Batch> => {
    const {revision, events} = await replay(source, prefix, {seen, through});
    seen = revision;
    return events;
  };
  while (!signal.aborted && source.revision() - seen > source.replayRevisionsMax) {
    const events = await step(source.revision());
    if (events.length > 0 && !signal.aborted) yield events;
  }
  if (signal.aborted) return;
  source.assertReadable(seen); // a store that was closed meanwhile has no feed to wait for
  using tail = source.feed.subscribe(prefix, signal);
  const seam = source.revision();
  while (!signal.aborted && seen < seam) {
    const events = await step(seam);
    if (events.length > 0 && !signal.aborted) yield events;
  }
  for (let batch = await tail.take(); batch !== undefined; batch = await tail.take()) yield batch;
}

/** One step of history: whole revisions behind `seen`. */
async function replay(
  source: WatchSource,
  prefix: Key,
  {seen, through}: {seen: number; through: number},
): Promise<{revision: number; events: Batch}> {
  const end = Math.min(through, seen + source.replayRevisionsMax);
  const range = {after: lastIdOf(seen), through: lastIdOf(end), bytesMax: source.replayBytesMax};
  let found: Replay;
  try {
    found = await source.driver.scan(prefix, range);
  } finally {
    source.assertReadable(seen); // what a compaction took away is not damage
  }
  return {revision: revisionOf(found.through), events: found.rows.map(row => toEvent(source, row))};
}

function toEvent(source: WatchSource, {change, previous}: Replayed): StoreEvent {
  const revision: Revision = BigInt(revisionOf(change.id));
  const before = previous === undefined ? undefined : toEntry(previous);
  const entry = source.current(change) ?? toEntry(change);
  if (entry !== undefined) return {type: 'put', revision, entry, previous: before};
  if (before !== undefined) return {type: 'delete', revision, key: change.key, previous: before};
  const message = `${change.key}: the history holds its removal at revision ${revision}, but not what was removed`;
  throw new StoreError('corrupt', {key: change.key, revision, message});
}
