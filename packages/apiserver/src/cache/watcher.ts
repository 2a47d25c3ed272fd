// SPDX-License-Identifier: Apache-2.0
/**
 * One watch stream. Phases: snapshot (synthetic ADDED), then live.
 *
 * A watcher owns no queue: it owns a position in the event log. While its socket takes what is written it is a member of its
 * group and gets the group's bytes, encoded and joined once for all members. When the socket is full it leaves the group, and
 * goes on from its own position once the socket has drained. So a reader that stands still costs what its socket holds, and
 * delays nobody; when the log has passed its position, or it stood still too long, it is ended with a reason.
 *
 * I1 every event after the start position that the selector lets through is written once, in order.
 * I2 live members of a group stand at the group's position.
 */
import type {Timer, Timers} from '../time.ts';
import type {CachedObject} from './cached-object.ts';
import type {CacheEvent, EventLog, EventType} from './event-log.ts';

/** Where a watcher's bytes go; the HTTP layer implements it. */
export interface WatchSink {
  /** Takes the bytes in any case; false: nothing more until `onDrain` calls. */
  write(bytes: Buffer): boolean;
  onDrain(action: () => void): void;
  /** Ends the stream; after `write` of an ERROR frame if there is a reason to tell. */
  end(): void;
}

export type WatchEventType = EventType | 'BOOKMARK';

/** What a group of watchers sees: the same selector and the same encoding. */
export interface WatchView {
  /** Equal keys share bytes. */
  readonly key: string;
  matches(object: CachedObject): boolean;
  encode(type: WatchEventType, object: CachedObject): Buffer;
  /** Frames of equal formats are equal, so an event keeps them; undefined: they depend on their place in the stream. */
  readonly format: string | undefined;
}

export type WatchEnd = 'timeout' | 'gone' | 'too-slow' | 'shutdown';

/** The frame of an event as this view sees it, or undefined when it concerns only others. Objects that leave the selector are DELETED. */
export const frameFor = (view: WatchView, event: CacheEvent): Buffer | undefined => {
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

/** Bytes joined into one write while catching up. */
const CATCH_UP_BYTES = 64 * 1024;

export type WatcherOptions = {
  readonly view: WatchView;
  readonly sink: WatchSink;
  readonly log: EventLog;
  /** Where live delivery begins. */
  readonly position: number;
  /** Objects to send first as ADDED, in key order. */
  readonly snapshot: readonly CachedObject[];
  /** Makes what is written between snapshot and live events, when its turn comes. */
  readonly afterSnapshot?: (() => Buffer) | undefined;
  readonly timers: Timers;
  readonly blockedMsMax: number;
  /** Writes the reason as an ERROR frame. */
  readonly tooSlowFrame: () => Buffer;
  /** Called when the watcher stands at the end of the log with a free socket. */
  readonly onCaughtUp: (watcher: Watcher) => void;
  readonly onEnd: (watcher: Watcher, why: WatchEnd) => void;
};

export class Watcher {
  readonly view: WatchView;
  readonly #options: WatcherOptions;
  #position: number;
  #snapshotAt = 0;
  #blocked: Timer | undefined;
  #ended = false;

  constructor(options: WatcherOptions) {
    this.#options = options;
    this.view = options.view;
    this.#position = options.position;
    options.sink.onDrain(() => this.#drained());
  }

  get isBlocked(): boolean {
    return this.#blocked !== undefined;
  }

  get position(): number {
    return this.#position;
  }

  /** Begins to write. */
  start(): void {
    this.#advance();
  }

  /** Delivers the group's bytes; `position` is the group's position after them. */
  deliver(bytes: Buffer | undefined, position: number): void {
    this.#position = position;
    if (bytes !== undefined && !this.#options.sink.write(bytes)) this.#block();
  }

  /** Writes something that is not an event (a bookmark). Only while live. */
  interject(bytes: Buffer): void {
    if (!this.#ended && this.#blocked === undefined && !this.#options.sink.write(bytes)) this.#block();
  }

  end(why: WatchEnd): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#blocked?.cancel();
    if (why === 'too-slow') this.#options.sink.write(this.#options.tooSlowFrame());
    this.#options.sink.end();
    this.#options.onEnd(this, why);
  }

  /** The client went away. */
  gone(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#blocked?.cancel();
    this.#options.onEnd(this, 'gone');
  }

  #block(): void {
    if (this.#ended || this.#blocked !== undefined) return;
    this.#blocked = this.#options.timers.after(this.#options.blockedMsMax, () => this.end('too-slow'));
  }

  #drained(): void {
    if (this.#ended || this.#blocked === undefined) return;
    this.#blocked.cancel();
    this.#blocked = undefined;
    this.#advance();
  }

  /** Snapshot, then history, until the socket is full or the end of the log is reached. */
  #advance(): void {
    if (!this.#writeSnapshot()) this.#block();
    else if (this.#position < this.#options.log.first) this.end('too-slow');
    else if (!this.#writeHistory()) this.#block();
    else this.#options.onCaughtUp(this);
  }

  /** False: the socket is full. */
  #writeSnapshot(): boolean {
    const {snapshot, sink, afterSnapshot} = this.#options;
    while (this.#snapshotAt < snapshot.length) if (!sink.write(this.#snapshotChunk())) return false;
    if (this.#snapshotAt === snapshot.length && afterSnapshot !== undefined) {
      this.#snapshotAt++;
      return sink.write(afterSnapshot());
    }
    return true;
  }

  /** False: the socket is full. */
  #writeHistory(): boolean {
    const {sink, log} = this.#options;
    while (this.#position < log.end) {
      const chunk = this.#historyChunk();
      if (chunk !== undefined && !sink.write(chunk)) return false;
    }
    return true;
  }

  #snapshotChunk(): Buffer {
    const {snapshot, view} = this.#options;
    const frames: Buffer[] = [];
    for (let bytes = 0; this.#snapshotAt < snapshot.length && bytes < CATCH_UP_BYTES; this.#snapshotAt++) {
      const object = snapshot[this.#snapshotAt];
      if (object === undefined) continue;
      const frame = view.encode('ADDED', object);
      frames.push(frame);
      bytes += frame.length;
    }
    return Buffer.concat(frames);
  }

  #historyChunk(): Buffer | undefined {
    const {log, view} = this.#options;
    const frames: Buffer[] = [];
    for (let bytes = 0; this.#position < log.end && bytes < CATCH_UP_BYTES; this.#position++) {
      const event = log.at(this.#position);
      const frame = event === undefined ? undefined : frameFor(view, event);
      if (frame === undefined) continue;
      frames.push(frame);
      bytes += frame.length;
    }
    return frames.length === 0 ? undefined : Buffer.concat(frames);
  }
}
