// SPDX-License-Identifier: Apache-2.0
/**
 * What a watch gets of the log, as bytes: several events joined for one write. Watches with equal views at the same position get
 * the same buffer, so an event is encoded, joined and framed once for all watchers.
 */
import {STEPS} from '../../base/limits.ts';
import type {CachedObject} from '../cached-object.ts';
import type {CacheEvent, EventLog, EventType} from '../event-log.ts';

export type WatchEventType = EventType | 'BOOKMARK';

/** Which events, in which encoding. */
export interface WatchView {
  /** Views with equal keys share bytes, if they have a format. */
  readonly key: string;
  matches(object: CachedObject): boolean;
  encode(type: WatchEventType, object: CachedObject): Buffer;
  /** Frames of equal formats are equal, so an event keeps them; undefined: they depend on their place in the stream. */
  readonly format: string | undefined;
}

/** `bytes` is undefined when all events up to `end` concern only others. */
export type Joined = {
  readonly bytes: Buffer | undefined;
  readonly end: number;
  /** Bytes of each event in `bytes`. */
  readonly sizes: readonly number[];
};

export class SharedFrames {
  readonly #log: EventLog;
  /** Writes kept for the next watcher that asks. */
  readonly #kept = new Map<string, Joined>();
  /** The end of the log when they were joined. */
  #keptAt = 0;

  constructor(log: EventLog) {
    this.#log = log;
  }

  /** What `view` sees from `position` on, to `until` (the end of the log) or the end of one write. The log must still have `position`. */
  from(position: number, view: WatchView, until = this.#log.end): Joined {
    if (view.format === undefined || until < this.#log.end) return this.#join(position, view, until);
    if (this.#keptAt !== this.#log.end || this.#kept.size >= STEPS.sharedWritesMax) {
      this.#kept.clear();
      this.#keptAt = this.#log.end;
    }
    const key = `${position} ${view.key}`;
    let joined = this.#kept.get(key);
    if (joined === undefined) {
      joined = this.#join(position, view, until);
      this.#kept.set(key, joined);
    }
    return joined;
  }

  #join(position: number, view: WatchView, until: number): Joined {
    const frames: Buffer[] = [];
    let end = position;
    const endMax = Math.min(until, position + STEPS.writeEventsMax);
    for (let bytes = 0; end < endMax && bytes < STEPS.writeBytes; end++) {
      const event = this.#log.at(end);
      const frame = event === undefined ? undefined : frameFor(view, event);
      if (frame === undefined) continue;
      frames.push(frame);
      bytes += frame.length;
    }
    const sizes = frames.map(({length}) => length);
    return {bytes: frames.length > 1 ? Buffer.concat(frames) : frames[0], end, sizes};
  }
}

/** The frame of an event as this view sees it, or undefined when it concerns only others. Objects that leave the selector are DELETED. */
const frameFor = (view: WatchView, event: CacheEvent): Buffer | undefined => {
  const before = event.previous !== undefined && view.matches(event.previous);
  const after = event.type !== 'DELETED' && view.matches(event.object);
  if (!before && !after) return undefined;
  const type: EventType = after ? (before ? 'MODIFIED' : 'ADDED') : 'DELETED';
  if (view.format === undefined) return view.encode(type, shownBy(event, type));
  const key = `${type} ${view.format}`;
  event.frames ??= new Map();
  let frame = event.frames.get(key);
  if (frame === undefined) {
    frame = view.encode(type, shownBy(event, type));
    event.frames.set(key, frame);
  }
  return frame;
};

/** What leaves the selector is shown as it was, at the version at which it left. */
const shownBy = (event: CacheEvent, type: EventType): CachedObject =>
  type === 'DELETED' && event.type !== 'DELETED' && event.previous !== undefined
    ? event.previous.at(event.revision)
    : event.object;
