// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {bytesText, countText, percentText, rateText, shortNumber} from './number-text.ts';
import {createTicks} from './ticks.ts';
import {durationText, relativeText, shortTimeText} from './time-text.ts';

test('49-3 numbers, shares, rates and sizes have one form on all pages', () => {
  expect([0, 950, 1_234, 34_000_000].map(shortNumber)).toEqual(['0', '950', '1.2k', '34M']);
  expect([0, 0.00001, 0.0025, 0.12].map(percentText)).toEqual(['0%', '<0.01%', '0.25%', '12%']);
  expect([0, 0.433, 12_300].map(rateText)).toEqual(['0/s', '0.43/s', '12,300/s']);
  expect([0, 900, 1_536, 125_829_120].map(bytesText)).toEqual(['0 B', '900 B', '1.5 KiB', '120 MiB']);
  expect([1, 12_300].map(count => countText(count, 'rule'))).toEqual(['1 rule', '12,300 rules']);
});

test('49-3 durations have their two largest units; a time of another day has its day', () => {
  const seconds = [0, 45, 200, 3_605, 7_500, 90_061];
  expect(seconds.map(durationText)).toEqual(['0s', '45s', '3m 20s', '1h 0m', '2h 5m', '1d 1h']);
  const at = new Date(2026, 10, 28, 17, 5, 9).getTime();
  expect(shortTimeText(at, at + 1_000)).toBe('17:05:09');
  expect(shortTimeText(at, at + 86_400_000)).toBe('11-28 17:05');
});

test('49-3 a time is not in the future because of a small difference of clocks, nor of a clock that no one listens to', () => {
  const at = 1_000_000;
  const relative = [-9_000, -500, 1_900, 5_000, -20_000].map(past => relativeText(at, at + past));
  expect(relative).toEqual(['now', 'now', 'now', '5s ago', 'in 20s']);
  let real = at;
  const ticks = createTicks(() => real);
  real += 999;
  expect(ticks.now()).toBe(at);
  real += 12_000;
  expect(ticks.now()).toBe(real);
});
