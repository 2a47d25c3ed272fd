// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {barTimes, boundsOf, isOpenEnded, widthFor} from './time-range.ts';

const NOW = Date.parse('2026-11-28T12:00:30Z');
const HOUR = {range: '1h', from: '', to: ''} as const;

test('49-3 a preset ends now, absolute times win over it', () => {
  expect(boundsOf(HOUR, NOW)).toEqual({since: '2026-11-28T11:00:30Z', until: undefined});
  expect(boundsOf({...HOUR, range: 'all'}, NOW)).toEqual({since: undefined, until: undefined});
  const absolute = {...HOUR, from: '2026-11-01T00:00:00Z', to: '2026-11-02T00:00:00Z'};
  expect(boundsOf(absolute, NOW)).toEqual({since: absolute.from, until: absolute.to});
  expect(isOpenEnded(absolute, NOW)).toBe(false);
  expect(isOpenEnded({...absolute, to: ''}, NOW)).toBe(true);
});

test('49-3 a time that cannot be read does not count', () => {
  expect(boundsOf({...HOUR, from: 'yesterday', to: '"><img>'}, NOW)).toEqual(boundsOf(HOUR, NOW));
  expect(isOpenEnded({...HOUR, to: 'soon'}, NOW)).toBe(true);
});

test.each([
  ['15m', '10s'],
  ['1h', '1m'],
  ['24h', '15m'],
  ['7d', '3h'],
  ['30d', '12h'],
  ['all', '1d'],
] as const)('49-3 %s has bars of %s', (range, text) => {
  expect(widthFor(boundsOf({...HOUR, range}, NOW), NOW).text).toBe(text);
});

test('49-3 bars are multiples of their width and cover the whole range', () => {
  const times = barTimes(boundsOf(HOUR, NOW), 60_000, undefined, NOW);
  expect(new Date(times[0] ?? 0).toISOString()).toBe('2026-11-28T11:00:00.000Z');
  expect(new Date(times.at(-1) ?? 0).toISOString()).toBe('2026-11-28T12:01:00.000Z');
  expect(times).toHaveLength(62);
  expect(barTimes({since: undefined, until: undefined}, 60_000, NOW - 60_000, NOW)).toHaveLength(3);
});
