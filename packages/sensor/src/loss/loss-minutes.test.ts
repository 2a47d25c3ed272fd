// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {LOSS_MINUTES_MAX} from '../limits.ts';
import {LossMinutes} from './loss-minutes.ts';

const MINUTE_MS = 60_000;
const minute = (number: number): string => `1970-01-01T00:${String(number).padStart(2, '0')}:00Z`;

test('43-3 packets count for the minute they are looked at in; a minute without a look has no row', () => {
  const minutes = new LossMinutes();
  minutes.add(59_999, 10, 1);
  minutes.add(60_000, 20, 2);
  minutes.add(119_999, 30, 0);
  minutes.add(5 * MINUTE_MS, 0, 0);
  expect(minutes.shown).toEqual([
    {minute: minute(0), received: 10, dropped: 1},
    {minute: minute(1), received: 50, dropped: 2},
    {minute: minute(5), received: 0, dropped: 0},
  ]);
});

test('43-3 minutes of the last hour are kept, also those of an earlier server', () => {
  const earlier = new LossMinutes();
  for (let i = 0; i < 100; i++) earlier.add(i * MINUTE_MS, i, 0);
  expect([earlier.rows.length, earlier.rows[0]?.minute]).toEqual([LOSS_MINUTES_MAX, 40]);
  const later = new LossMinutes(earlier.rows);
  later.add(110 * MINUTE_MS, 7, 0);
  expect([later.rows.length, later.rows[0]?.minute, later.rows.at(-2)?.minute]).toEqual([50, 51, 99]);
});

test('43-3 a clock that is set back: minutes that lie ahead go, and the count of this one continues', () => {
  const minutes = new LossMinutes();
  minutes.add(10 * MINUTE_MS, 1, 0);
  minutes.add(50 * MINUTE_MS, 2, 0);
  minutes.add(10 * MINUTE_MS, 3, 1);
  expect(minutes.rows).toEqual([{minute: 10, received: 4, dropped: 1}]);
});
