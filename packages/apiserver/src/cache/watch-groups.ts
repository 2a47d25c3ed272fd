// SPDX-License-Identifier: Apache-2.0
/**
 * Fan-out: watchers with the same view form a group, and an event becomes bytes once per group.
 * Under load events are joined into one write per watcher; a lone event goes out at once.
 */
import type {Clock, Timer, Timers} from '../time.ts';
import type {EventLog} from './event-log.ts';
import {frameFor, type Watcher, type WatchView} from './watcher.ts';

/**
 * After a delivery that took d ms the next one waits for FACTOR × d, at most MAX: what happens meanwhile is joined. So a few
 * watchers hear at once, and under load the cost of one write per watcher is shared by many events.
 */
const COALESCE_FACTOR = 3;
export const COALESCE_MS_MAX = 50;

type Group = {readonly view: WatchView; readonly live: Set<Watcher>; position: number};

export class WatchGroups {
  readonly #log: EventLog;
  readonly #timers: Timers;
  readonly #clock: Clock;
  readonly #groups = new Map<string, Group>();
  #scheduled: Timer | undefined;
  /** Not before this time (of the clock) comes the next delivery. */
  #notBeforeMs = 0;

  constructor(log: EventLog, timers: Timers, clock: Clock) {
    this.#log = log;
    this.#timers = timers;
    this.#clock = clock;
  }

  /** The watcher stands at the end of the log; from here on it gets what its group gets. */
  join(watcher: Watcher): void {
    let group = this.#groups.get(watcher.view.key);
    if (group === undefined) {
      group = {view: watcher.view, live: new Set(), position: watcher.position};
      this.#groups.set(watcher.view.key, group);
    } else if (group.position < watcher.position) this.#flushGroup(group);
    group.live.add(watcher);
  }

  leave(watcher: Watcher): void {
    const group = this.#groups.get(watcher.view.key);
    if (group === undefined) return;
    group.live.delete(watcher);
    if (group.live.size === 0) this.#groups.delete(watcher.view.key);
  }

  /** The log has grown. */
  wake(): void {
    if (this.#groups.size === 0 || this.#scheduled !== undefined) return;
    const waitMs = Math.min(this.#notBeforeMs - this.#clock.now(), COALESCE_MS_MAX);
    this.#scheduled =
      waitMs >= 1 ? this.#timers.after(waitMs, () => this.flush()) : this.#timers.soon(() => this.flush());
  }

  /** Delivers what every group has not seen yet. */
  flush(): void {
    this.#scheduled?.cancel();
    this.#scheduled = undefined;
    const startMs = this.#clock.now();
    for (const group of this.#groups.values()) this.#flushGroup(group);
    const endMs = this.#clock.now();
    this.#notBeforeMs = endMs + Math.min(Math.max(endMs - startMs, 0) * COALESCE_FACTOR, COALESCE_MS_MAX);
  }

  /** Live watchers, for bookmarks; everything before is delivered first. */
  *live(): Generator<Watcher> {
    this.flush();
    for (const group of this.#groups.values()) yield* group.live;
  }

  /** One burst held more than the log keeps: what it dropped cannot be delivered, so the streams end and their clients list anew. */
  #endBehind(group: Group): void {
    this.#groups.delete(group.view.key);
    for (const watcher of [...group.live]) watcher.end('too-slow');
  }

  #flushGroup(group: Group): void {
    const end = this.#log.end;
    if (group.position >= end) return;
    if (group.position < this.#log.first) {
      this.#endBehind(group);
      return;
    }
    const frames: Buffer[] = [];
    for (let at = group.position; at < end; at++) {
      const event = this.#log.at(at);
      const frame = event === undefined ? undefined : frameFor(group.view, event);
      if (frame !== undefined) frames.push(frame);
    }
    group.position = end;
    const bytes = frames.length === 0 ? undefined : frames.length === 1 ? frames[0] : Buffer.concat(frames);
    for (const watcher of [...group.live]) {
      watcher.deliver(bytes, end);
      if (watcher.isBlocked) group.live.delete(watcher);
    }
    if (group.live.size === 0) this.#groups.delete(group.view.key);
  }
}
