// SPDX-License-Identifier: Apache-2.0
/**
 * One watch stream. Phases: snapshot (synthetic ADDED), then history, then live.
 *
 * A watcher owns no queue: it owns a position in the event log. While its socket has taken all that was written, it is live and
 * gets what is new. When something is left over it is blocked: it gets nothing more until the socket took the rest, and goes on
 * from its position. So a reader that stands still costs what one write holds, and delays nobody; when the log has passed its
 * position, or it stood still too long, it is ended with a reason.
 *
 * I1 every event after the start position that the selector lets through is written once, in order.
 */
import type {Timer, Timers} from '../base/time.ts';
import type {CachedObject} from './cached-object.ts';
import {JOINED_BYTES, type JoinedFrames, type WatchView} from './joined-frames.ts';

/** Where a watcher's bytes go; the HTTP layer implements it. */
export interface WatchSink {
  /** Takes the bytes in any case; false: so much waits here for the socket that the rest should wait for `onTaken`. */
  write(bytes: Buffer): boolean;
  /** Nothing that was written waits here for the socket. Over TLS this is known a turn after the write. */
  readonly isFree: boolean;
  /** The action is called whenever the sink became free. */
  onTaken(action: () => void): void;
  /** Ends the stream; after `write` of an ERROR frame if there is a reason to tell. */
  end(): void;
}

export type WatchEnd = 'timeout' | 'gone' | 'too-slow' | 'shutdown' | 'failed';

export type WatcherOptions = {
  readonly view: WatchView;
  readonly sink: WatchSink;
  readonly frames: JoinedFrames;
  /** Where live delivery begins. */
  readonly position: number;
  /** Objects to send first as ADDED, in key order. */
  readonly snapshot: readonly CachedObject[];
  /** Makes what is written between snapshot and live events, when its turn comes. */
  readonly afterSnapshot?: (() => Buffer) | undefined;
  readonly timers: Timers;
  /** Waited for between two pieces of what was there when it was opened. */
  readonly nextTurn: () => Promise<void>;
  readonly blockedMsMax: number;
  /** Called when it stood still too long, with what ends it then: thousands come at the same time. */
  readonly endLater: (end: () => void) => void;
  /** Writes the reason as an ERROR frame. */
  readonly tooSlowFrame: () => Buffer;
  /** The same for a fault of the server's, such as an object that cannot be encoded. It ends this watch, and nothing else. */
  readonly failedFrame: (error: unknown) => Buffer;
  readonly onFault: (error: unknown) => void;
  /** Called when it turns live: it stands at the end of the log and nothing keeps its socket from taking more. */
  readonly onLive: (watcher: Watcher) => void;
  /** Called when it gets blocked (true), and when it no longer is. */
  readonly onBlocked: (isBlocked: boolean) => void;
  readonly onEnd: (watcher: Watcher, why: WatchEnd) => void;
};

export class Watcher {
  readonly #options: WatcherOptions;
  #position: number;
  #snapshotAt = 0;
  #blocked: Timer | undefined;
  /** More is written when its turn comes. */
  #isInLine = false;
  #hasBeenLive = false;
  #ended = false;

  constructor(options: WatcherOptions) {
    this.#options = options;
    this.#position = options.position;
    options.sink.onTaken(() => this.#taken());
  }

  get isLive(): boolean {
    return !this.#ended && this.#blocked === undefined && !this.#isInLine;
  }

  /** It turned live for the first time: it has just been opened. */
  get isNew(): boolean {
    return !this.#hasBeenLive;
  }

  get isBehind(): boolean {
    return this.#position < this.#options.frames.log.end;
  }

  /** Begins to write. */
  start(): void {
    this.#guarded(() => this.#advance());
  }

  /** Writes what is new, if it is live. */
  deliver(): void {
    if (!this.isLive || !this.isBehind) return;
    if (!this.#options.sink.isFree) this.#block();
    else if (this.#isPassed) this.end('too-slow');
    else this.#guarded(() => this.#writeHistory() || this.#block());
  }

  /** Writes what is new and then something that is not an event (a bookmark), if it is live. */
  interject(frame: () => Buffer): void {
    this.deliver();
    if (this.isLive) this.#guarded(() => this.#options.sink.write(frame()) || this.#block());
  }

  end(why: WatchEnd): void {
    if (why !== 'too-slow') this.deliver();
    if (this.#ended) return;
    this.#close(why, () => {
      if (why === 'too-slow') this.#options.sink.write(this.#options.tooSlowFrame());
      this.#options.sink.end();
    });
  }

  #guarded(step: () => unknown): void {
    try {
      step();
    } catch (error) {
      if (this.#ended) return;
      this.#options.onFault(error);
      this.#close('failed', () => {
        this.#options.sink.write(this.#options.failedFrame(error));
        this.#options.sink.end();
      });
    }
  }

  /** The client went away. */
  gone(): void {
    if (!this.#ended) this.#close('gone', () => {});
  }

  #close(why: WatchEnd, lastWords: () => void): void {
    this.#ended = true;
    this.#unblock();
    lastWords();
    this.#options.onEnd(this, why);
  }

  #block(): void {
    if (!this.isLive) return;
    const {timers, blockedMsMax, endLater} = this.#options;
    const blocked = timers.after(blockedMsMax, () =>
      endLater(() => {
        if (this.#blocked === blocked) this.end('too-slow');
      }),
    );
    this.#blocked = blocked;
    this.#options.onBlocked(true);
  }

  /** False: it was not blocked. */
  #unblock(): boolean {
    if (this.#blocked === undefined) return false;
    this.#blocked.cancel();
    this.#blocked = undefined;
    this.#options.onBlocked(false);
    return true;
  }

  #taken(): void {
    if (this.#unblock()) this.#guarded(() => this.#advance());
  }

  /** Snapshot, then history, until the socket takes no more or the end of the log is reached; at first a piece in each turn. */
  #advance(): void {
    if (!this.#writeSnapshot()) this.#block();
    else if (this.#hasMoreSnapshot) this.#standInLine();
    else if (this.#isPassed) this.end('too-slow');
    else if (!this.#writeHistory()) this.#block();
    else if (this.isBehind) this.#standInLine();
    else {
      this.#options.onLive(this);
      this.#hasBeenLive = true;
    }
  }

  /** The log has dropped what comes next. */
  get #isPassed(): boolean {
    return this.#position < this.#options.frames.log.first;
  }

  #standInLine(): void {
    this.#isInLine = true;
    void this.#options.nextTurn().then(() => {
      this.#isInLine = false;
      if (!this.#ended) this.#guarded(() => this.#advance());
    });
  }

  get #hasMoreSnapshot(): boolean {
    return this.#snapshotAt < this.#options.snapshot.length;
  }

  /** Writes the next piece of it. False: the socket takes no more. */
  #writeSnapshot(): boolean {
    const {snapshot, sink, afterSnapshot} = this.#options;
    if (this.#hasMoreSnapshot && !sink.write(this.#snapshotChunk())) return false;
    if (this.#snapshotAt === snapshot.length && afterSnapshot !== undefined) {
      this.#snapshotAt++;
      return sink.write(afterSnapshot());
    }
    return true;
  }

  /** False: the socket takes no more. Before it is live, one piece: it may be far behind. */
  #writeHistory(): boolean {
    const {frames, view, sink} = this.#options;
    while (this.isBehind) {
      const {bytes, end} = frames.from(this.#position, view);
      this.#position = end;
      if (bytes !== undefined && !sink.write(bytes)) return false;
      if (!this.#hasBeenLive) break;
    }
    return true;
  }

  #snapshotChunk(): Buffer {
    const {snapshot, view} = this.#options;
    const frames: Buffer[] = [];
    for (let bytes = 0; this.#snapshotAt < snapshot.length && bytes < JOINED_BYTES; this.#snapshotAt++) {
      const object = snapshot[this.#snapshotAt];
      if (object === undefined) continue;
      const frame = view.encode('ADDED', object);
      frames.push(frame);
      bytes += frame.length;
    }
    return Buffer.concat(frames);
  }
}
