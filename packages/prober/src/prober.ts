// SPDX-License-Identifier: Apache-2.0
/**
 * The main thread's side: keeps what is watched, hands it to the thread that checks, and gives the results on.
 *
 * I1: there is a thread from the first `watch` on; one that ends or cannot start is replaced, and gets all targets again.
 * I2: each `watch` has a number, and only results of the number that its id has now are given on.
 */
import {isDeepStrictEqual} from 'node:util';
import {refusedAddress} from './checks/address.ts';
import {
  CHECKS_UNDER_WAY_MAX,
  GROUP_SHARE,
  LATE_START_MS,
  LOG_AGAIN_MS,
  TARGETS_PER_MESSAGE_MAX,
  THREAD_LOOK_MS,
  THREAD_RESTART_MAX_MS,
  THREAD_RESTART_MIN_MS,
  THREAD_SILENT_LOOKS_MAX,
  THREAD_STOP_MS_MAX,
} from './limits.ts';
import type {CheckResult, CheckTarget} from './port.ts';
import type {Watched} from './schedule/scheduler.ts';
import type {Clock, Log, Random, Timer, Timers} from './system.ts';
import {type CheckThread, type OpenThread, openThread} from './thread/check-thread.ts';
import type {ThreadReport} from './thread/messages.ts';

export type ProberPorts = {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
  readonly log: Log;
  /** Default: a worker thread with the product's rules. */
  readonly openThread?: OpenThread | undefined;
};

/** Since the start, or now. */
export type ProberCounts = {
  readonly passed: number;
  readonly failed: number;
  /** By a fault of this machine. */
  readonly notMade: number;
  readonly targets: number;
  readonly underWay: number;
  /** Due, but too many are under way. */
  readonly waiting: number;
  /** Checks that started, and by how many ms later than due in sum. */
  readonly started: number;
  readonly lateMs: number;
  readonly threadStarts: number;
};

const NOTHING_COUNTED: ProberCounts = {
  ...{passed: 0, failed: 0, notMade: 0, targets: 0, underWay: 0, waiting: 0},
  ...{started: 0, lateMs: 0, threadStarts: 0},
};

/** `notBeforeMs`: by the clock, of the first check. */
type Kept = Watched & {readonly notBeforeMs: number};

export class ThreadProber {
  readonly #ports: ProberPorts;
  readonly #kept = new Map<string, Kept>();
  readonly #idOf = new Map<number, string>();
  readonly #listeners = new Set<(results: readonly CheckResult[]) => void>();
  #toWatch = new Map<number, Watched>();
  #toForget: number[] = [];
  #isSending = false;
  #nextNumber = 1;
  #counts = NOTHING_COUNTED;
  #thread: CheckThread | undefined;
  #look: Timer | undefined;
  #silentLooks = 0;
  #restart: Timer | undefined;
  #restartMs = 0;
  #startedAtMs = 0;
  #loggedAtMs = new Map<string, number>();
  #onEnd = Promise.withResolvers<void>();
  #isStopped = false;

  constructor(ports: ProberPorts) {
    this.#ports = ports;
  }

  get counts(): ProberCounts {
    return {...this.#counts, targets: this.#kept.size};
  }

  watch(target: CheckTarget): void {
    if (this.#isStopped) return;
    const known = this.#kept.get(target.id);
    if (known !== undefined && isDeepStrictEqual(known.target, target)) return;
    this.forget(target.id);
    const number = this.#nextNumber++;
    const notBeforeMs = this.#ports.clock.now() + target.delayMs;
    this.#kept.set(target.id, {number, target, notBeforeMs});
    this.#idOf.set(number, target.id);
    this.#toWatch.set(number, {number, target});
    if (this.#thread === undefined && this.#restart === undefined) this.#start();
    this.#sendSoon();
  }

  forget(id: string): void {
    const known = this.#kept.get(id);
    if (known === undefined) return;
    this.#kept.delete(id);
    this.#idOf.delete(known.number);
    if (this.#toWatch.delete(known.number)) return; // the thread does not know it yet
    this.#toForget.push(known.number);
    this.#sendSoon();
  }

  onResults(listener: (results: readonly CheckResult[]) => void): () => void {
    const own = (results: readonly CheckResult[]): void => listener(results); // one that subscribes twice is called twice
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  /** The rules of the threads that the product opens. */
  refusal(ip: string): string | undefined {
    return refusedAddress(ip);
  }

  async stop(): Promise<void> {
    if (this.#isStopped) return this.#onEnd.promise;
    this.#isStopped = true;
    this.#listeners.clear();
    this.#kept.clear();
    this.#idOf.clear();
    this.#restart?.cancel();
    const thread = this.#thread;
    if (thread === undefined) this.#onEnd.resolve();
    else {
      thread.post({stop: true});
      const bound = this.#ports.timers.after(THREAD_STOP_MS_MAX, () => void thread.terminate());
      void this.#onEnd.promise.then(() => bound.cancel());
    }
    return this.#onEnd.promise;
  }

  /** All that one turn of the event loop asks for goes in one message. */
  #sendSoon(): void {
    if (this.#isSending) return;
    this.#isSending = true;
    queueMicrotask(() => {
      this.#isSending = false;
      this.#send();
    });
  }

  /** What is not sent for want of a thread goes with all others when there is one. */
  #send(): void {
    const thread = this.#thread;
    if (thread === undefined || this.#isStopped) return;
    const watch = [...this.#toWatch.values()];
    let forget = this.#toForget;
    this.#toWatch = new Map();
    this.#toForget = [];
    for (let from = 0; from < watch.length || forget.length > 0; from += TARGETS_PER_MESSAGE_MAX) {
      thread.post({watch: watch.slice(from, from + TARGETS_PER_MESSAGE_MAX), forget});
      forget = [];
    }
  }

  #start(): void {
    const {clock, random} = this.#ports;
    const nowMs = clock.now();
    this.#startedAtMs = nowMs;
    this.#counts = {...this.#counts, threadStarts: this.#counts.threadStarts + 1};
    this.#toForget = [];
    this.#toWatch = new Map(
      [...this.#kept.values()].map(({number, target, notBeforeMs}) => {
        const delayMs = Math.max(0, Math.min(target.delayMs, notBeforeMs - nowMs));
        return [number, {number, target: {...target, delayMs}}];
      }),
    );
    this.#silentLooks = 0;
    try {
      this.#thread = (this.#ports.openThread ?? openThread)({
        seed: random.next(),
        onReport: report => this.#take(report),
        onFault: error => this.#logNow('fault', {error}, 'health check met an unexpected error, others continue'),
        onEnd: why => this.#ended(why),
      });
      this.#lookLater();
    } catch (error) {
      // No memory or no thread left on this machine (EAGAIN): may pass, and is no fault of who asks for a check.
      this.#ended(error instanceof Error ? error.message : String(error));
    }
  }

  /** By looks, not by time: this thread may have been held up itself. */
  #lookLater(): void {
    this.#look = this.#ports.timers.after(THREAD_LOOK_MS, () => {
      if (this.#silentLooks++ < THREAD_SILENT_LOOKS_MAX) this.#lookLater();
      else void this.#thread?.terminate();
    });
  }

  #ended(why: string): void {
    this.#thread = undefined;
    this.#look?.cancel();
    this.#counts = {...this.#counts, underWay: 0, waiting: 0};
    if (this.#isStopped) {
      this.#onEnd.resolve();
      return;
    }
    const {clock, log, timers} = this.#ports;
    const isQuick = clock.now() - this.#startedAtMs < THREAD_RESTART_MAX_MS;
    this.#restartMs = isQuick
      ? Math.min(Math.max(this.#restartMs * 2, THREAD_RESTART_MIN_MS), THREAD_RESTART_MAX_MS)
      : THREAD_RESTART_MIN_MS;
    const error = why || (this.#silentLooks > THREAD_SILENT_LOOKS_MAX ? 'it reported nothing any longer' : 'it ended');
    const fields = {error, restartInMs: this.#restartMs, targets: this.#kept.size};
    log.error(fields, 'thread of health checks ended, starting another one');
    this.#restart = timers.after(this.#restartMs, () => {
      this.#restart = undefined;
      if (this.#kept.size === 0) return; // the next watch starts it
      this.#start();
      if (this.#thread === undefined) return;
      this.#send();
      log.info({targets: this.#kept.size}, 'thread of health checks started again');
    });
  }

  #take({results, counts, delays}: ThreadReport): void {
    this.#silentLooks = 0;
    if (this.#isStopped) return;
    const nowMs = this.#ports.clock.now();
    const given: CheckResult[] = [];
    let [passed, failed, notMade] = [0, 0, 0];
    for (const {number, kind, message, durationMs, agoMs} of results) {
      const id = this.#idOf.get(number);
      if (kind === 'not-made') {
        notMade++;
        const target = id === undefined ? undefined : this.#kept.get(id)?.target;
        const of = target === undefined ? {} : {ip: target.ip, port: target.port, group: target.group};
        this.#logNow('not-made', {reason: message, ...of}, 'health check could not be made');
        continue;
      }
      if (kind === 'passed') passed++;
      else failed++;
      if (id !== undefined)
        given.push({id, atMs: Math.round(nowMs - agoMs), passed: kind === 'passed', durationMs, message});
    }
    this.#counts = {
      ...{...this.#counts, underWay: counts.underWay, waiting: counts.waiting},
      ...{passed: this.#counts.passed + passed, failed: this.#counts.failed + failed},
      notMade: this.#counts.notMade + notMade,
      started: this.#counts.started + delays.count,
      lateMs: this.#counts.lateMs + delays.sumMs,
    };
    this.#sayLate({counts, delays});
    if (given.length > 0) for (const listener of this.#listeners) listener(given);
  }

  #sayLate({counts: {underWay, waiting}, delays: {maxMs}}: Pick<ThreadReport, 'counts' | 'delays'>): void {
    const limitOfGroup = CHECKS_UNDER_WAY_MAX * GROUP_SHARE;
    const fields = {underWay, waiting, latestByMs: Math.round(maxMs), limit: CHECKS_UNDER_WAY_MAX, limitOfGroup};
    if (waiting > 0)
      this.#logNow(
        'waiting',
        fields,
        'health checks are waiting, too many are under way, or too many of one group or namespace',
      );
    else if (maxMs > LATE_START_MS) this.#logNow('late', fields, 'health checks started late');
  }

  /** Not each time while it lasts. */
  #logNow(what: string, fields: Record<string, unknown>, message: string): void {
    const nowMs = this.#ports.clock.now();
    const lastMs = this.#loggedAtMs.get(what) ?? Number.NEGATIVE_INFINITY;
    if (Math.abs(nowMs - lastMs) < LOG_AGAIN_MS) return; // a clock that was set back must not silence it for long
    this.#loggedAtMs.set(what, nowMs);
    this.#ports.log.warn(fields, message);
  }
}

/** Fits the port `Prober` of the kinds. */
export const createProber = (ports: ProberPorts): ThreadProber => new ThreadProber(ports);
