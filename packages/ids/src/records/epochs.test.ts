// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {EPOCHS_MAX, type Epoch, isOfHistory, withEpoch} from './epochs.ts';

test('44-1 a cursor is of the history when its epoch is known and had not ended at its sequence number', () => {
  const epochs = [
    {name: 'a', first: 1},
    {name: 'b', first: 11},
    {name: 'c', first: 11},
  ];
  const holds = (history: string, sequence: number): boolean => isOfHistory(epochs, 20, {history, sequence});
  expect([holds('a', 0), holds('a', 10), holds('a', 11), holds('b', 10), holds('b', 11)]).toEqual([
    ...[true, true, false],
    ...[true, false],
  ]);
  expect([holds('c', 10), holds('c', 20), holds('c', 21), holds('d', 5)]).toEqual([true, true, false, false]);
});

test('44-1 the list of epochs is bounded; the oldest go', () => {
  let epochs: readonly Epoch[] = [];
  for (let i = 0; i <= EPOCHS_MAX; i++) epochs = withEpoch(epochs, {name: String(i), first: i});
  expect(epochs).toHaveLength(EPOCHS_MAX);
  expect(isOfHistory(epochs, EPOCHS_MAX, {history: '0', sequence: 0})).toBe(false);
  expect(isOfHistory(epochs, EPOCHS_MAX, {history: '1', sequence: 1})).toBe(true);
});
