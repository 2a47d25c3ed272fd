// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {atNewest} from './state-format.ts';

test('48-4 a state of an older version goes forward step by step, one of the newest stays the same, others are refused', () => {
  const later = {
    newest: 5,
    migrations: [
      {to: 4, migrate: (state: object) => ({...state, steps: 'four'})},
      {to: 5, migrate: (state: object) => ({...state, steps: `${(state as {steps?: string}).steps}, five`})},
    ],
  };
  const state = {resources: []};
  expect(atNewest(state, 3, later)).toEqual({resources: [], steps: 'four, five'});
  expect(atNewest({...state, steps: 'as it was'}, 4, later)).toEqual({resources: [], steps: 'as it was, five'});
  expect(atNewest(state, 5, later)).toBe(state);
  expect(() => atNewest(state, 2, later)).toThrow('has version 2, and this engine reads versions 3 to 5');
  expect(() => atNewest(state, 6, later)).toThrow('has version 6, written by another program');
  expect(atNewest(state, 3)).toBe(state);
});
