// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {SAME_WORD_MS, stopSignals} from './stop-signals.ts';

const withClock = () => {
  const clock = {at: 5000, now: () => clock.at};
  let ends = 0;
  const signals = stopSignals(clock, () => {
    ends += 1;
  });
  return {clock, signals, ends: () => ends};
};

test('the first signal asks, and what comes at the same moment is the same word', () => {
  const {clock, signals, ends} = withClock();
  expect(signals.asked.aborted).toBe(false);
  signals.stop('SIGTERM');
  expect(signals.asked.reason).toBe('SIGTERM');
  signals.stop('SIGTERM');
  clock.at += SAME_WORD_MS - 1;
  signals.stop('SIGINT');
  expect(signals.asked.reason).toBe('SIGTERM');
  expect(ends()).toBe(0);
  clock.at += 1;
  signals.stop('SIGTERM');
  expect(ends()).toBe(1);
});

test('a terminal that is gone asks once, and never ends at once; a later stop does', () => {
  const {clock, signals, ends} = withClock();
  signals.hangUp('SIGHUP');
  signals.stop('SIGTERM');
  clock.at += SAME_WORD_MS;
  signals.hangUp('SIGHUP');
  expect([signals.asked.reason, ends()]).toEqual(['SIGHUP', 0]);
  signals.stop('SIGTERM');
  expect(ends()).toBe(1);
});
