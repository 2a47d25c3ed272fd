// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {agoText, bytesText, countText, durationText, shareText, timeText} from './figures.ts';

test.each([
  [0, '0 B'],
  [1023, '1,023 B'],
  [1024, '1.0 KiB'],
  [1_572_864, '1.5 MiB'],
  [2 ** 60 * 4, '4096.0 PiB'],
])('43-3 %d bytes are %s', (bytes, text) => expect(bytesText(bytes)).toBe(text));

test.each([
  [0, 0, '0.00 %'],
  [1, 1_000_000, '< 0.01 %'],
  [380, 1000, '38.00 %'],
  [2, 1, '100.00 %'],
])('43-3 %d of %d is %s: a small loss is not shown as no loss', (part, whole, text) =>
  expect(shareText(part, whole)).toBe(text),
);

test.each([
  [0, '0 s'],
  [0.25, '0.3 s'],
  [3.25, '3.3 s'],
  [59, '59 s'],
  [60, '1 min'],
  [3_725, '1 h 2 min'],
  [90_000, '1 d 1 h'],
  [86_405, '1 d'],
])('43-3 %d seconds are %s', (seconds, text) => expect(durationText(seconds)).toBe(text));

test('43-3 counts have grouped digits, times are in UTC, and what is no time stays', () => {
  expect([countText(1_234_567), timeText('2026-11-21T09:50:33.575Z'), timeText('soon')]).toEqual([
    '1,234,567',
    '2026-11-21 09:50:33 UTC',
    'soon',
  ]);
});

test.each([
  [0, ' (0 seconds ago)'],
  [1, ' (1 second ago)'],
  [185, ' (3 minutes ago)'],
  [7_300, ' (2 hours ago)'],
  [86_400 * 57, ' (57 days ago)'],
  [-5, ''],
])('43-7 %d seconds back is "%s"', (seconds, text) =>
  expect(agoText('2026-11-21T09:00:00Z', Date.parse('2026-11-21T09:00:00Z') + seconds * 1000)).toBe(text),
);
