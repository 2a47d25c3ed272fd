// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {absoluteText} from '../../ui/data/time-text.ts';
import {reasonParts, reasonText} from './reason-text.ts';

test('49-3 the time of a switch is found in the reason, and read as all times of the console', () => {
  const time = '2026-11-28T17:05:09Z';
  const switched = {state: 'DISABLED', user: 'root', time} as const;
  const off = {reason: `turned off by root, ${time}`, switched};
  expect(reasonParts(off)).toEqual({before: 'turned off by root, ', time, after: ''});
  expect(reasonText(off)).toBe(`turned off by root, ${absoluteText(Date.parse(time))}`);
  for (const other of [{reason: 'unknown keyword'}, {reason: 'refused', switched}, {reason: ''}]) {
    expect(reasonParts(other)).toEqual({before: other.reason, time: undefined, after: ''});
    expect(reasonText(other)).toBe(other.reason);
  }
});
