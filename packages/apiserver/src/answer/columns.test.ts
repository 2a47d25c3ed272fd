// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {humanDuration} from './columns.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

test.each([
  {ms: -5 * SECOND, text: '<invalid>'},
  {ms: -SECOND / 2, text: '0s'},
  {ms: 0, text: '0s'},
  {ms: 119 * SECOND, text: '119s'},
  {ms: 120 * SECOND, text: '2m'},
  {ms: 5 * MINUTE + 20 * SECOND, text: '5m20s'},
  {ms: 10 * MINUTE + 20 * SECOND, text: '10m'},
  {ms: 179 * MINUTE, text: '179m'},
  {ms: 3 * HOUR + 5 * MINUTE, text: '3h5m'},
  {ms: 8 * HOUR + 5 * MINUTE, text: '8h'},
  {ms: 47 * HOUR, text: '47h'},
  {ms: 3 * DAY + 4 * HOUR, text: '3d4h'},
  {ms: 8 * DAY, text: '8d'},
  {ms: 800 * DAY, text: '2y70d'},
  {ms: 10 * 365 * DAY, text: '10y'},
])('$ms ms reads $text', ({ms, text}) => {
  expect(humanDuration(ms)).toBe(text);
});
