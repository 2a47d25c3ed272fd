// SPDX-License-Identifier: Apache-2.0
/** A fan-out whose clock, timers and sockets a test moves by hand. */
import type {Clock, Timer, Timers} from '../../base/time.ts';
import {CachedObject} from '../cached-object.ts';
import {EventLog} from '../event-log.ts';
import {FanOut, NEW_MAX} from '../fan-out.ts';
import type {WatchView} from '../joined-frames.ts';
import {SlicedQueue} from '../pace.ts';
import {type WatchEnd, Watcher, type WatchSink} from '../watcher.ts';

type Due = {readonly atMs: number; readonly action: () => void};

/** Time moves only when something takes time, or when the next timer is run. */
export class ManualTurns implements Clock, Timers {
  nowMs = 0;
  /** In the order in which they run. */
  #due: Due[] = [];

  now(): number {
    return this.nowMs;
  }

  after(delayMs: number, action: () => void): Timer {
    const entry = {atMs: this.nowMs + delayMs, action};
    const later = this.#due.findIndex(({atMs}) => atMs > entry.atMs);
    this.#due.splice(later < 0 ? this.#due.length : later, 0, entry);
    return {
      cancel: () => {
        this.#due = this.#due.filter(other => other !== entry);
      },
    };
  }

  soon(action: () => void): Timer {
    return this.after(0, action);
  }

  /** Runs what is due next, one turn; false: nothing is due until `untilMs`. */
  turn(untilMs = this.nowMs): boolean {
    const [next] = this.#due;
    if (next === undefined || next.atMs > Math.max(untilMs, this.nowMs)) return false;
    this.#due.shift();
    this.nowMs = Math.max(this.nowMs, next.atMs);
    next.action();
    return true;
  }

  /** Runs all that is due within `ms`. */
  pass(ms: number): void {
    const untilMs = this.nowMs + ms;
    while (this.turn(untilMs));
    this.nowMs = Math.max(this.nowMs, untilMs);
  }
}

/** A socket that takes everything, or nothing while it is `stuck`. */
export class ManualSink implements WatchSink {
  readonly #onWrite: (text: string) => void;
  text = '';
  isStuck = false;
  /** It asks for patience at each write. */
  isFull = false;
  isFree = true;
  isEnded = false;
  #action: () => void = () => {};

  constructor(onWrite: (text: string) => void) {
    this.#onWrite = onWrite;
  }

  write(bytes: Buffer): boolean {
    this.text += String(bytes);
    this.isFree &&= !this.isStuck;
    this.#onWrite(String(bytes));
    if (this.isFull) this.isFree = false;
    return !this.isFull;
  }

  onTaken(action: () => void): void {
    this.#action = action;
  }

  /** The reader reads again. */
  take(): void {
    this.isStuck = false;
    if (this.isFree) return;
    this.isFree = true;
    this.#action();
  }

  end(): void {
    this.isEnded = true;
  }
}

export type OpenOptions = {
  readonly isStuck?: boolean;
  readonly from?: number;
  readonly snapshot?: readonly CachedObject[];
};
export type ManualWatch = {readonly name: string; readonly sink: ManualSink; readonly watcher: Watcher};

const VIEW: WatchView = {
  key: 'all',
  format: 'names',
  matches: () => true,
  encode: (type, object) => Buffer.from(`${type} ${object.name}\n`),
};

export const objectNamed = (name: string, revision: bigint): CachedObject =>
  new CachedObject({namespace: '', name}, Buffer.from('{"metadata":{"uid":"u"}}'), revision, `${revision}`);

export class ManualFanOut {
  readonly time = new ManualTurns();
  readonly log: EventLog;
  readonly fanOut: FanOut;
  readonly endings: SlicedQueue;
  /** Names of watches, in the order in which they were written to. */
  readonly served: string[] = [];
  readonly ended: [name: string, why: WatchEnd][] = [];
  readonly faults: unknown[] = [];
  static readonly FAULT = new Error('it cannot be encoded');
  cannotEncode = false;
  /** What one write to a socket takes. */
  writeMs = 0;
  blockedMsMax = 60_000;
  /** What goes on with a snapshot, one piece each. */
  readonly turns: (() => void)[] = [];
  #events = 0;

  constructor(limits = {countMax: 100_000, bytesMax: 100_000_000}, newMax = NEW_MAX) {
    this.log = new EventLog(0n, limits);
    this.fanOut = new FanOut(this.log, this.time, this.time, newMax);
    this.endings = new SlicedQueue(this.time, this.time);
  }

  #encode(...event: Parameters<WatchView['encode']>): Buffer {
    if (this.cannotEncode) throw ManualFanOut.FAULT;
    return VIEW.encode(...event);
  }

  open(name: string, {isStuck = false, from = this.log.end, snapshot = []}: OpenOptions = {}): ManualWatch {
    const sink = new ManualSink(() => {
      this.served.push(name);
      this.time.nowMs += this.writeMs;
    });
    sink.isStuck = isStuck;
    const {fanOut, endings, time, blockedMsMax} = this;
    const watcher = new Watcher({
      view: {...VIEW, encode: (type, object) => this.#encode(type, object)},
      sink,
      frames: fanOut.frames,
      position: from,
      snapshot,
      timers: time,
      nextTurn: () => new Promise(resolve => this.turns.push(resolve)),
      blockedMsMax,
      endLater: end => endings.add(end),
      tooSlowFrame: () => Buffer.from('ERROR\n'),
      failedFrame: () => Buffer.from('FAILED\n'),
      onFault: error => void this.faults.push(error),
      onLive: live => fanOut.join(live),
      onBlocked: () => {},
      onEnd: (left, why) => {
        fanOut.leave(left);
        this.ended.push([name, why]);
      },
    });
    watcher.start();
    this.served.length = 0;
    return {name, sink, watcher};
  }

  /** One more object; returns its name. */
  append(): string {
    const name = `o${++this.#events}`;
    const revision = BigInt(this.#events);
    const object = objectNamed(name, revision);
    this.log.append({type: 'ADDED', revision, object, previous: undefined, frames: undefined});
    this.fanOut.wake();
    return name;
  }
}
