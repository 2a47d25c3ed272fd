// SPDX-License-Identifier: Apache-2.0
/** A fan-out whose clock, timers and sockets a test moves by hand. */
import {silentLog} from '../../../base/log.ts';
import type {Clock, Timer, Timers} from '../../../base/time.ts';
import {CachedObject} from '../../cached-object.ts';
import {EventLog} from '../../event-log.ts';
import {FanOut} from '../fan-out.ts';
import {OpenWatches, type WatchEnd} from '../open-watches.ts';
import {Scheduler} from '../scheduler.ts';
import type {WatchView} from '../shared-frames.ts';
import {Watcher, type WatchSink} from '../watcher.ts';

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

/** A socket that takes everything, or nothing while it is stuck. */
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
  readonly state?: readonly CachedObject[];
  /** What came before the watch begins has frames of its own. */
  readonly showsPast?: boolean;
};
export type ManualWatch = {readonly name: string; readonly sink: ManualSink; readonly watcher: Watcher};

const VIEW: WatchView = {
  key: 'all',
  format: 'names',
  matches: () => true,
  encode: (type, object) => Buffer.from(`${type} ${object.name}\n`),
};

const PAST_VIEW: WatchView = {
  ...VIEW,
  key: 'past',
  format: 'past',
  encode: (_type, object) => Buffer.from(`PAST ${object.name}\n`),
};

export const objectNamed = (name: string, revision: bigint): CachedObject =>
  new CachedObject({namespace: '', name}, Buffer.from('{"metadata":{"uid":"u"}}'), revision, `${revision}`);

export class ManualFanOut {
  readonly time = new ManualTurns();
  readonly log: EventLog;
  readonly fanOut: FanOut;
  readonly watches = new OpenWatches(this.time, {...silentLog, error: fields => void this.faults.push(fields)});
  /** Names of watches, in the order in which they were written to. */
  readonly served: string[] = [];
  readonly ended: string[] = [];
  /** Names of watches that said that they have begun. */
  readonly begun = new Set<string>();
  readonly faults: object[] = [];
  /** Objects that were encoded. */
  encoded = 0;
  cannotEncode = false;
  /** What one write to a socket takes. */
  writeMs = 0;
  laggingMsMax = 60_000;
  #events = 0;

  constructor(limits = {countMax: 100_000, bytesMax: 100_000_000}) {
    this.log = new EventLog(0n, limits);
    this.fanOut = new FanOut(this.log, new Scheduler(this.time, this.time));
  }

  #encode(...event: Parameters<WatchView['encode']>): Buffer {
    if (this.cannotEncode) throw new Error('it cannot be encoded');
    this.encoded++;
    return VIEW.encode(...event);
  }

  open(name: string, {isStuck = false, from = this.log.end, state = [], showsPast}: OpenOptions = {}): ManualWatch {
    const sink = new ManualSink(() => {
      this.served.push(name);
      this.time.nowMs += this.writeMs;
    });
    sink.isStuck = isStuck;
    const {fanOut, watches, laggingMsMax} = this;
    const watcher = new Watcher({
      view: {...VIEW, encode: (type, object) => this.#encode(type, object)},
      past: showsPast === true ? {view: PAST_VIEW, end: this.log.end} : undefined,
      sink,
      fanOut,
      watches,
      path: `/${name}`,
      position: from,
      state,
      laggingMsMax,
      errorFrame: error => Buffer.from(`ERROR ${(error as Error).message}\n`),
      onBegun: () => void this.begun.add(name),
      onEnd: () => void this.ended.push(name),
    });
    watcher.start();
    this.served.length = 0;
    return {name, sink, watcher};
  }

  /** Runs what is due now, and what follows from it without further waiting. */
  async nextTurn(): Promise<void> {
    await Promise.resolve(); // a turn is asked for
    this.time.pass(0);
    await Promise.resolve();
    await Promise.resolve();
  }

  /** Why watches ended, and how many. */
  get ends(): Partial<Record<WatchEnd, number>> {
    return Object.fromEntries(Object.entries(this.watches.ended).filter(([, count]) => count > 0));
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
