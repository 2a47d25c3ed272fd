// SPDX-License-Identifier: Apache-2.0
/** Drops old revisions now and then: those older than the interval before, as kube-apiserver does with etcd. */
import type {Timers} from '@palisade/apiserver';
import {hasCode, isDiskRefusal, type Revision, type Store} from '@palisade/store';
import type {Logger} from './logger.ts';

/** Ref: kube-apiserver --etcd-compaction-interval. */
const COMPACTION_INTERVAL_MS = 5 * 60_000;
/** Kept whatever their age. */
const HISTORY_REVISIONS_MIN = 1_000n;

/** Returns how to stop it; an interval of history is always kept. */
export const startCompaction = (
  store: Store,
  parts: {readonly timers: Pick<Timers, 'after'>; readonly log: Pick<Logger, 'error' | 'debug'>},
): (() => Promise<void>) => {
  let marked: Revision = 0n;
  let running: Promise<void> = Promise.resolve();
  const once = async (): Promise<void> => {
    const now = await store.currentRevision();
    const below = marked < now - HISTORY_REVISIONS_MIN ? marked : now - HISTORY_REVISIONS_MIN;
    marked = now;
    if (below <= (await store.compactedRevision())) return;
    await store.compact(below);
    parts.log.debug({below: String(below)}, 'old revisions dropped');
  };
  const tick = (): void => {
    running = once().catch(error => {
      if (!hasCode(error, 'closed') && !isDiskRefusal(error))
        parts.log.error({err: error}, 'compaction failed; it is tried again later');
    });
    timer = parts.timers.after(COMPACTION_INTERVAL_MS, tick);
  };
  let timer = parts.timers.after(COMPACTION_INTERVAL_MS, tick);
  return async () => {
    timer.cancel();
    await running;
  };
};
