// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {isSame, mergeChanges} from './merge.ts';

const BASE = {labels: {a: '1', b: '2'}, list: [1, 2]};

test('49-3 changes of different fields are put together, deletions too', () => {
  const mine = {labels: {a: 'mine', b: '2'}, list: [1, 2]};
  const theirs = {labels: {a: '1', c: 'theirs'}, list: [1, 2, 3]};
  expect(mergeChanges(BASE, mine, theirs)).toEqual({
    object: {labels: {a: 'mine', c: 'theirs'}, list: [1, 2, 3]},
    both: [],
  });
});

test('49-3 a field that both changed keeps my value and is named', () => {
  const mine = {labels: {a: 'mine'}, list: [9]};
  const theirs = {labels: {a: 'theirs', b: '2'}, list: [8]};
  expect(mergeChanges(BASE, mine, theirs)).toEqual({
    object: {labels: {a: 'mine'}, list: [9]},
    both: ['labels.a', 'list'],
  });
});

test('49-3 the same change of both is no conflict', () => {
  const both = {...BASE, list: []};
  expect(mergeChanges(BASE, both, structuredClone(both)).both).toEqual([]);
});

test('equality of JSON ignores the order of names, not that of items', () => {
  expect(isSame({a: 1, b: [{c: null}]}, {b: [{c: null}], a: 1})).toBe(true);
  expect(isSame([1, 2], [2, 1])).toBe(false);
  expect(isSame({a: undefined}, {})).toBe(false);
});
