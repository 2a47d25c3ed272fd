// SPDX-License-Identifier: Apache-2.0
/** Serves checks in this worker thread, with the time of the machine. */
import {parentPort, workerData} from 'node:worker_threads';
import type {AddressGuard} from '../checks/address.ts';
import {seededRandom} from '../schedule/seeded-random.ts';
import type {Timers} from '../system.ts';
import type {ThreadFault, ThreadStart, ToThread} from './messages.ts';
import {serveChecks} from './serve-checks.ts';

/** A longer one ends at once in Node; who waits longer is woken early, and waits again. */
const TIMEOUT_MS_MAX = 2 ** 31 - 1;

const timers: Timers = {
  after: (delayMs, action) => {
    const timer = setTimeout(action, Math.min(delayMs, TIMEOUT_MS_MAX));
    return {cancel: () => clearTimeout(timer)};
  },
};

export const runThread = (guard: AddressGuard): void => {
  const port = parentPort;
  if (port === null) throw new Error('not in a worker thread');
  const {seed} = workerData as ThreadStart;
  // Libraries that read what a peer sends must not end the checks of all others with one that they did not expect. The check ends
  // by its time-out; what the thread itself relies on is guarded by `onBroken`.
  const onFault = (error: Error): void => port.postMessage({fault: error.stack ?? String(error)} satisfies ThreadFault);
  process.on('uncaughtException', onFault);
  const take = serveChecks({
    ...{guard, timers, random: seededRandom(seed), clock: {now: () => performance.now()}},
    post: report => port.postMessage(report),
    onBroken: error => {
      process.off('uncaughtException', onFault);
      throw error; // ends the thread, wherever this is: another one takes over
    },
    onStopped: () => port.close(),
  });
  port.on('message', (message: ToThread) => take(message));
};
