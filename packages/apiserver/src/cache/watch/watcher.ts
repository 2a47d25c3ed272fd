// SPDX-License-Identifier: Apache-2.0
/**
 * One watch stream. scheduler.ts describes its phases.
 *
 * I1 every event after the start position that the selector lets through is written once, in order.
 */
import type {Buckets} from '../../base/buckets.ts';
import {STEPS} from '../../base/limits.ts';
import {expired} from '../../base/status-error.ts';
import type {Timer} from '../../base/time.ts';
import type {CachedObject} from '../cached-object.ts';
import type {FanOut, Receiver} from './fan-out.ts';
import type {OpenWatches, WatchEnd} from './open-watches.ts';
import type {WatchView} from './shared-frames.ts';

/** Where a watcher's bytes go; the HTTP layer implements it. */
export interface WatchSink {
  /** Takes the bytes in any case; false: so much waits here for the socket that the rest should wait for `onTaken`. */
  write(bytes: Buffer): boolean;
  /** Nothing that was written waits here for the socket. Over TLS this is known a turn after the write. */
  readonly isFree: boolean;
  /** The action is called whenever the sink became free. */
  onTaken(action: () => void): void;
  /** Ends the stream; after `write` of an ERROR frame if there is a reason to report. */
  end(): void;
}

export type WatcherOptions = {
  readonly view: WatchView;
  readonly sink: WatchSink;
  readonly fanOut: FanOut;
  readonly watches: OpenWatches;
  /** What is watched, for the log. */
  readonly path: string;
  /** Of the first event. */
  readonly position: number;
  /** How events before a position are shown where that is not as the later ones. */
  readonly past?: {readonly view: WatchView; readonly end: number} | undefined;
  /** Existing objects, which are written first as ADDED. */
  readonly state: readonly CachedObject[];
  /** Makes what is written between them and the events. */
  readonly afterState?: (() => Buffer) | undefined;
  readonly laggingMsMax: number;
  /** Counts the bytes of each event that is written. */
  readonly sizes?: Buckets | undefined;
  /** The ERROR frame of a failure. */
  readonly errorFrame: (error: unknown) => Buffer;
  /** Called when it has written what it begins with, when its reader holds it up, and when it ends. */
  readonly onBegun?: (() => void) | undefined;
  /** Called once, when it has ended. */
  readonly onEnd: () => void;
};

/** Clients start over on 410, with a list or from the version they saw last. */
const READER_TOO_SLOW = 'the watch was ended because its reader did not keep up with the changes';

export class Watcher implements Receiver {
  readonly #options: WatcherOptions;
  #phase: 'catching up' | 'live' | 'lagging' | 'ended' = 'catching up';
  #position: number;
  #stateAt = 0;
  #lagging: Timer | undefined;

  constructor(options: WatcherOptions) {
    this.#options = options;
    this.#position = options.position;
    options.sink.onTaken(() => {
      if (this.#leaveLagging()) this.#catchUp(STEPS.liveWritesMax);
    });
  }

  get isLive(): boolean {
    return this.#phase === 'live';
  }

  /** Begins to write. */
  start(): void {
    this.#catchUp();
  }

  /** Writes what is new, if it is live. False: it is not, or no longer. */
  deliver(): boolean {
    if (this.isLive && this.#isBehind) {
      if (this.#options.sink.isFree) this.#catchUp(STEPS.liveWritesMax);
      else this.#lag();
    }
    return this.isLive;
  }

  /** Writes what is new and then something that is not an event (a bookmark), if it is live. */
  interject(frame: () => Buffer): void {
    if (this.deliver()) this.#guarded(() => this.#options.sink.write(this.#counted(frame())) || this.#lag());
  }

  end(why: WatchEnd): void {
    if (why !== 'too-slow') this.deliver();
    this.#close(why, why === 'too-slow' ? expired(READER_TOO_SLOW) : undefined);
  }

  /** Writes nothing more but the reason. */
  revoke(error: unknown): void {
    this.#close('revoked', error);
  }

  /** The client went away. */
  gone(): void {
    this.#close('gone');
  }

  #close(why: WatchEnd, error?: unknown): void {
    if (this.#phase === 'ended') return;
    const {sink, fanOut, watches, path, errorFrame, onEnd} = this.#options;
    this.#leaveLagging();
    this.#phase = 'ended';
    if (error !== undefined) sink.write(this.#counted(errorFrame(error)));
    if (why !== 'gone') sink.end();
    fanOut.leave(this);
    watches.countEnd(why, path);
    this.#options.onBegun?.();
    onEnd();
  }

  /** A fault, such as an object that cannot be encoded, ends this watch and nothing else. */
  #guarded(step: () => unknown): void {
    try {
      step();
    } catch (error) {
      if (this.#phase === 'ended') return;
      this.#options.watches.reportFault(error, this.#options.path);
      this.#close('failed', error);
    }
  }

  #counted(frame: Buffer): Buffer {
    this.#options.sizes?.add(frame.length);
    return frame;
  }

  #lag(): void {
    const {fanOut, watches, laggingMsMax} = this.#options;
    const {scheduler} = fanOut;
    this.#phase = 'lagging';
    this.#options.onBegun?.();
    watches.countLagging(1);
    const lagging = scheduler.timers.after(laggingMsMax, () =>
      scheduler.add(() => {
        if (this.#lagging === lagging) this.end('too-slow'); // else it goes on meanwhile
      }),
    );
    this.#lagging = lagging;
  }

  /** False: it was not lagging. */
  #leaveLagging(): boolean {
    if (this.#lagging === undefined) return false;
    this.#lagging.cancel();
    this.#lagging = undefined;
    this.#options.watches.countLagging(-1);
    return true;
  }

  /** One step, of at most so many writes of events; then it lags, is live, or waits for its turn to continue. */
  #catchUp(writesMax = 1): void {
    this.#guarded(() => {
      const {fanOut, state} = this.#options;
      if (!this.#writeState()) this.#lag();
      else if (this.#stateAt >= state.length && this.#position < fanOut.log.first) this.end('too-slow');
      else if (!this.#writeEvents(writesMax)) this.#lag();
      else if (this.#stateAt < state.length || this.#isBehind) this.#waitForTurn();
      else if (!this.isLive) {
        this.#phase = 'live';
        fanOut.join(this);
        this.#options.onBegun?.();
      }
    });
  }

  #waitForTurn(): void {
    this.#phase = 'catching up';
    void this.#options.fanOut.scheduler.turn().then(() => {
      if (this.#phase === 'catching up') this.#catchUp();
    });
  }

  get #isBehind(): boolean {
    return this.#position < this.#options.fanOut.log.end;
  }

  /** Writes the next existing objects. False: the socket takes no more. */
  #writeState(): boolean {
    const {state, past, sink, afterState} = this.#options;
    const view = past?.view ?? this.#options.view;
    if (this.#stateAt > state.length || (this.#stateAt === state.length && afterState === undefined)) return true;
    const frames: Buffer[] = [];
    for (let bytes = 0; this.#stateAt < state.length && bytes < STEPS.writeBytes; this.#stateAt++) {
      const frame = this.#counted(view.encode('ADDED', state[this.#stateAt] as CachedObject));
      frames.push(frame);
      bytes += frame.length;
    }
    if (this.#stateAt === state.length && afterState !== undefined) {
      this.#stateAt++;
      frames.push(this.#counted(afterState()));
    }
    return sink.write(Buffer.concat(frames));
  }

  /** Writes the next events, once the state is written. False: the socket takes no more. */
  #writeEvents(writesMax: number): boolean {
    const {fanOut, view, past, sink, state, sizes: counted} = this.#options;
    if (this.#stateAt < state.length) return true;
    for (let writes = 0; this.#isBehind && writes < writesMax; writes++) {
      const isPast = past !== undefined && this.#position < past.end;
      const {bytes, end, sizes} = isPast
        ? fanOut.frames.from(this.#position, past.view, past.end)
        : fanOut.frames.from(this.#position, view);
      this.#position = end;
      if (counted !== undefined) for (const size of sizes) counted.add(size);
      if (bytes !== undefined && !sink.write(bytes)) return false;
    }
    return true;
  }
}
