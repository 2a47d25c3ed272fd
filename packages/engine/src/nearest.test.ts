// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {nearest} from './nearest.ts';

test.each([
  ['srve', ['serve', 'up'], 'serve'],
  ['completely-else', ['serve', 'up'], undefined],
  ['xy', ['up', 'ls'], undefined],
  ['inti', ['init', 'ls'], 'init'],
  ['jobs', ['roles', 'pods'], undefined],
  ['role', ['roles', 'pods'], 'roles'],
  ['', ['up'], undefined],
])('the nearest of %j in %j is %j', (word, known, near) => {
  expect(nearest(word, known)).toBe(near);
});
