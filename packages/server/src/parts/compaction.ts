// SPDX-License-Identifier: Apache-2.0
/**
 * Drops old revisions now and then: those older than the interval before, as kube-apiserver does with etcd. The revision that
 * is to be dropped next, and when it was the newest, are in the store, so that a server that is often restarted compacts too.
 */
import type {Clock, Timer, Timers} from '@palisade/apiserver';
import {hasCode, isDiskRefusal, type Revision, type Store} from '@palisade/store';
import type {Logger} from '../process/logger.ts';

/** Ref: kube-apiserver --etcd-compaction-interval. */
const COMPACTION_INTERVAL_MS = 5 * 60_000;
/** After a start, so that it does not wait for a compaction that is due. */
const SETTLE_MS = 10_000;
/** Kept whatever their age. */
const HISTORY_REVISIONS_MIN = 1_000n;
/** Holds a Mark as JSON. */
const MARK_KEY = '/store-meta/compaction-mark';

export type CompactionParts = {
  readonly clock: Clock;
  readonly timers: Pick<Timers, 'after'>;
  readonly log: Pick<Logger, 'error' | 'debug'>;
};

/** At `timeMs` (since 1970) `revision` was the newest. */
type Mark = {readonly revision: Revision; readonly timeMs: number};
/** `at`: the revision that wrote the mark itself. */
type KeptMark = Mark & {readonly at: Revision};

const parseMark = (value: Uint8Array): Mark | undefined => {
  try {
    const {revision, timeMs} = JSON.parse(new TextDecoder().decode(value));
    return Number.isSafeInteger(timeMs) ? {revision: BigInt(revision), timeMs} : undefined;
  } catch {
    return undefined; // a new mark takes its place
  }
};

class Compaction {
  readonly #store: Store;
  readonly #parts: CompactionParts;
  #mark: KeptMark | undefined;
  #running: Promise<void> = Promise.resolve();
  #timer: Timer | undefined;

  constructor(store: Store, parts: CompactionParts) {
    this.#store = store;
    this.#parts = parts;
  }

  async start(): Promise<void> {
    const entry = await this.#store.get(MARK_KEY);
    const kept = entry && parseMark(entry.value);
    this.#mark = entry && kept && {...kept, at: entry.modRevision};
    const nowMs = this.#parts.clock.now();
    // A clock that was set back would keep the mark from ever becoming old.
    if (this.#mark === undefined || this.#mark.timeMs > nowMs) await this.#try(() => this.#write(this.#mark?.revision));
    const ageMs = nowMs - (this.#mark?.timeMs ?? nowMs);
    this.#later(Math.max(SETTLE_MS, COMPACTION_INTERVAL_MS - ageMs));
  }

  async stop(): Promise<void> {
    this.#timer?.cancel();
    await this.#running;
  }

  #later(delayMs: number): void {
    this.#timer = this.#parts.timers.after(delayMs, () => {
      this.#running = this.#try(() => this.#compact());
      this.#later(COMPACTION_INTERVAL_MS);
    });
  }

  async #compact(): Promise<void> {
    const now = await this.#store.currentRevision();
    const marked = this.#mark?.revision ?? 0n;
    const below = marked < now - HISTORY_REVISIONS_MIN ? marked : now - HISTORY_REVISIONS_MIN;
    if (below > (await this.#store.compactedRevision())) {
      await this.#store.compact(below);
      this.#parts.log.debug({below: String(below)}, 'old revisions dropped');
    }
    if (now !== this.#mark?.at) await this.#write(now); // an idle server writes nothing
  }

  async #write(revision: Revision | undefined): Promise<void> {
    const mark = {revision: revision ?? (await this.#store.currentRevision()), timeMs: this.#parts.clock.now()};
    const text = JSON.stringify({revision: String(mark.revision), timeMs: mark.timeMs});
    this.#mark = {...mark, at: await this.#store.put(MARK_KEY, new TextEncoder().encode(text))};
  }

  async #try(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!hasCode(error, 'closed') && !isDiskRefusal(error))
        this.#parts.log.error({err: error}, 'compaction failed, retrying later');
    }
  }
}

/** Returns how to stop it; an interval of history is always kept. */
export const startCompaction = async (store: Store, parts: CompactionParts): Promise<() => Promise<void>> => {
  const compaction = new Compaction(store, parts);
  await compaction.start();
  return () => compaction.stop();
};
