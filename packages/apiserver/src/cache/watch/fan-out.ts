// SPDX-License-Identifier: Apache-2.0
/** Delivery of new events to the live watchers of one resource, in passes. See scheduler.ts. */
import {STEPS} from '../../base/limits.ts';
import type {EventLog} from '../event-log.ts';
import type {Scheduler} from './scheduler.ts';
import {SharedFrames} from './shared-frames.ts';

/** A live watcher. */
export interface Receiver {
  /** Writes what is new. False: it is no longer live. */
  deliver(): boolean;
}

export class FanOut {
  readonly log: EventLog;
  readonly frames: SharedFrames;
  readonly scheduler: Scheduler;
  /** The longest live first. */
  readonly #live = new Set<Receiver>();
  /** A pass waits or is under way. */
  #isBusy = false;
  #passEndMs = 0;
  #passMs = 0;

  constructor(log: EventLog, scheduler: Scheduler) {
    this.log = log;
    this.frames = new SharedFrames(log);
    this.scheduler = scheduler;
  }

  /** The watcher is at the end of the log. */
  join(watcher: Receiver): void {
    this.#live.add(watcher);
  }

  leave(watcher: Receiver): void {
    this.#live.delete(watcher);
  }

  /** The log has grown. */
  wake(): void {
    if (this.#isBusy || this.#live.size === 0) return;
    this.#isBusy = true;
    const {timers, clock} = this.scheduler;
    const pauseMs = Math.min(this.#passMs, STEPS.passPauseMsMax);
    const waitMs = Math.min(this.#passEndMs + pauseMs - clock.now(), pauseMs); // the clock may have been set back
    if (waitMs >= 1) timers.after(waitMs, () => this.#pass());
    else this.#pass();
  }

  #pass(): void {
    const {clock} = this.scheduler;
    const watchers = this.#live.values();
    const end = this.log.end;
    let startMs: number | undefined;
    this.scheduler.run(() => {
      startMs ??= clock.now();
      const {value: watcher} = watchers.next();
      if (watcher !== undefined) {
        if (!watcher.deliver()) this.#live.delete(watcher);
        return true;
      }
      this.#isBusy = false;
      this.#passEndMs = clock.now();
      this.#passMs = Math.max(this.#passEndMs - startMs, 0);
      if (this.log.end > end) this.wake(); // not all of them got what came during the pass
      return false;
    });
  }
}
