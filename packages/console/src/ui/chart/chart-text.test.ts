// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {chartText, rangeText, spanText, stack, tickText, WHOLE_STEPS} from './chart-text.ts';

const at = new Date(2026, 10, 28, 17, 5, 9).getTime();

test('49-4 a chart in words: range and last value of each series', () => {
  const series = [
    {label: 'High', values: [3, null, 1]},
    {label: 'Low', values: [null, null, null]},
  ];
  expect(chartText('Alerts', {times: [at, at + 1000, at + 2000], series}, String)).toBe(
    'Alerts from 2026-11-28 17:05:09 to 2026-11-28 17:05:11. High: 1 to 3, last 1; Low: no data',
  );
  expect(chartText('Alerts', {times: [], series}, String)).toBe('Alerts: no data');
});

test('49-4 stacked series are sums of those below; an axis writes hours, seconds or days', () => {
  const stacked = stack([
    {label: 'a', values: [1, 2]},
    {label: 'b', values: [10, null]},
  ]);
  expect(stacked.map(({values}) => values)).toEqual([
    [1, 2],
    [11, 2],
  ]);
  const midnight = new Date(2026, 10, 28).getTime();
  expect([tickText(at, 300), tickText(at, 5), tickText(at, 86_400), tickText(midnight, 300)]).toEqual([
    ...['17:05', '17:05:09', '11-28', '11-28'],
  ]);
});

test('49-4 the legend of a chart at rest has the ranges; the axis of counts has whole steps', () => {
  const hour = 3_600_000;
  expect(spanText(at, at + hour)).toBe('11-28 17:05 to 18:05');
  expect(spanText(at - 24 * hour, at)).toBe('11-27 17:05 to 11-28 17:05');
  expect([rangeText([3, null, 12, undefined, 0], String), rangeText([null], String)]).toEqual(['0 to 12', undefined]);
  expect(WHOLE_STEPS.slice(0, 5)).toEqual([1, 2, 5, 10, 20]);
});
