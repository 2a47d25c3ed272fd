// SPDX-License-Identifier: Apache-2.0
import {manualClock} from '@palisade/client/testing';
import {expect, test} from 'vitest';
import {withDeadline, withGrace} from './deadline.ts';
import {ProviderError} from './provider.ts';

const HOLD_MS = 5_000;
const bounds = (parent = new AbortController().signal) => {
  const clock = manualClock(HOLD_MS);
  return {clock, parent, timeoutMs: 6_000, what: 'the work'};
};
/** Ends only by its signal. */
const forever = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason), {once: true}));

test('what ends in time gives its result, or its own error', async () => {
  expect(await withDeadline(bounds(), async () => 5)).toBe(5);
  const failure = new Error('own');
  await expect(withDeadline(bounds(), async () => Promise.reject(failure))).rejects.toBe(failure);
});

test('when the time is over the work is told to stop and named', async () => {
  const limits = bounds();
  const work = withDeadline(limits, forever);
  for (let i = 0; i < 3; i += 1) await limits.clock.sleep(2_000, new AbortController().signal);
  await expect(work).rejects.toMatchObject({code: 'deadline-exceeded', message: 'the work did not finish within 6 s'});
});

test('cancellation from outside keeps its own reason', async () => {
  const outside = new AbortController();
  const work = withDeadline(bounds(outside.signal), forever);
  const reason = new ProviderError('cancelled', 'stop');
  outside.abort(reason);
  await expect(work).rejects.toBe(reason);
});

test('what is on its way may be answered for a while after the cancellation, and nothing is begun any more', async () => {
  const outside = new AbortController();
  const limits = bounds(outside.signal);
  const answered = Promise.withResolvers<number>();
  const sent = withGrace(limits, () => answered.promise);
  const silent = withGrace(limits, forever);
  const reason = new ProviderError('cancelled', 'stop');
  outside.abort(reason);
  answered.resolve(5);
  expect(await sent).toBe(5);
  for (let i = 0; i < 3; i += 1) await limits.clock.sleep(2_000, new AbortController().signal);
  await expect(silent).rejects.toBe(reason);
  await expect(withGrace(limits, async () => 6)).rejects.toBe(reason);
});
