// SPDX-License-Identifier: Apache-2.0
/** The work of the thread: targets in, results out in batches. */

import type {AddressGuard} from '../checks/address.ts';
import {startCheck} from '../checks/start-check.ts';
import {TlsContexts} from '../checks/tls-contexts.ts';
import {CHECKS_UNDER_WAY_MAX, RESULTS_BATCH_MS, THREAD_REPORT_MS} from '../limits.ts';
import type {CheckTarget} from '../port.ts';
import {type ScheduledResult, Scheduler} from '../schedule/scheduler.ts';
import type {Clock, Random, Timer, Timers} from '../system.ts';
import type {ThreadReport, ToThread} from './messages.ts';
import {SharedTexts} from './shared-texts.ts';

export type ServeOptions = {
  readonly guard: AddressGuard;
  /** Never jumps. */
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
  readonly post: (report: ThreadReport) => void;
  /** An error of the schedule itself, which is not to be trusted any longer. */
  readonly onBroken: (error: unknown) => void;
  /** Nothing is under way any longer. */
  readonly onStopped: () => void;
};

/** Returns what takes the messages of the main thread. */
export const serveChecks = ({guard, clock, timers: givenTimers, random, post, onBroken, onStopped}: ServeOptions) => {
  const guarded = (action: () => void): void => {
    try {
      action();
    } catch (error) {
      onBroken(error);
    }
  };
  const timers: Timers = {after: (delayMs, action) => givenTimers.after(delayMs, () => guarded(action))};
  const ports = {guard, timers, contexts: new TlsContexts()};
  const bundles = new SharedTexts();
  const targets = new Map<number, CheckTarget>();
  let results: ScheduledResult[] = [];
  let batch: Timer | undefined;
  let ticks: Timer | undefined;

  const report = (): void => {
    batch?.cancel();
    batch = undefined;
    const nowMs = clock.now();
    const sent = results.map(({endMs, ...result}) => ({...result, agoMs: nowMs - endMs}));
    results = [];
    post({results: sent, counts: scheduler.counts, delays: scheduler.takeDelays()});
  };
  const scheduler = new Scheduler({
    ...{clock, timers, random, underWayMax: CHECKS_UNDER_WAY_MAX},
    start: (target, onEnd) => startCheck(target, ports, outcome => guarded(() => onEnd(outcome))),
    onResult: result => {
      results.push(result);
      batch ??= timers.after(RESULTS_BATCH_MS, report);
    },
  });
  const tick = (): void => {
    report();
    ticks = timers.after(THREAD_REPORT_MS, tick);
  };
  ticks = timers.after(THREAD_REPORT_MS, tick);

  const forget = (number: number): void => {
    scheduler.forget(number);
    const target = targets.get(number);
    targets.delete(number);
    if (target !== undefined) bundles.release(bundleOf(target));
  };
  return (message: ToThread): void => {
    if ('stop' in message) {
      scheduler.stop();
      batch?.cancel();
      ticks?.cancel();
      onStopped();
      return;
    }
    for (const number of message.forget) forget(number);
    for (const {number, target} of message.watch) {
      const shared = withBundle(target, bundles.share(bundleOf(target)));
      targets.set(number, shared);
      scheduler.watch({number, target: shared});
    }
  };
};

const bundleOf = ({method}: CheckTarget): string | undefined => ('tls' in method ? method.tls?.ca : undefined);

/** Each message brings its own copy of the bundle; thousands of targets of one group share one. */
const withBundle = (target: CheckTarget, ca: string | undefined): CheckTarget => {
  const {method} = target;
  if (ca === undefined || !('tls' in method) || method.tls === undefined) return target;
  return {...target, method: {...method, tls: {...method.tls, ca}}};
};
