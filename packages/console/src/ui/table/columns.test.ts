// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {byNumber, byText, type Column, counted, findNear, nextSort, sortRows} from './columns.ts';
import {moveTo} from './use-active-row.ts';

type Row = {name: string; size: number};
const rows: Row[] = [
  {name: 'b', size: 1},
  {name: 'a', size: 2},
];
const columns: Column<Row>[] = [
  {id: 'name', title: 'Name', width: 1, compare: byText(row => row.name), cell: () => ''},
  {id: 'size', title: 'Size', width: 1, compare: byNumber(row => row.size), cell: () => ''},
];

test('49-3 rows are sorted up, down, and not at all', () => {
  expect(
    ['', 'name', '-name', 'size'].map(sort =>
      sortRows(rows, columns, sort)
        .map(({name}) => name)
        .join(''),
    ),
  ).toEqual([...['ba', 'ab', 'ba', 'ba']]);
  expect(['', 'name', '-name'].map(sort => nextSort(sort, 'name'))).toEqual(['name', '-name', '']);
});

test.each([
  ['ArrowDown', 3, 4],
  ['ArrowUp', 0, 0],
  ['ArrowUp', -1, 0],
  ['PageDown', 3, 13],
  ['PageDown', 95, 99],
  ['Home', 50, 0],
  ['End', 50, 99],
])('49-3 %s from row %i leads to row %i', (key, from, to) => expect(moveTo(key, from, 100, 10)).toBe(to));

test('49-3 other keys do nothing, and nothing moves in an empty table', () => {
  expect(moveTo('x', 0, 100, 10)).toBeUndefined();
  expect(moveTo('End', -1, 0, 10)).toBeUndefined();
});

test('49-3 a row is found again after rows came before it; -1 when it is gone', () => {
  const many = Array.from({length: 100}, (_, i) => i);
  expect(findNear(many, 40, row => row === 42)).toBe(42);
  expect(findNear(many, 99, row => row === 0)).toBe(0);
  expect(findNear(many, 200, row => row === 7)).toBe(7);
  expect(findNear(many, 3, () => false)).toBe(-1);
});

test('49-3 a count names what it counts, by the number of all', () => {
  expect([counted(12_000, 12_000), counted(3, 12_000)]).toEqual(['12,000', '3 of 12,000']);
  expect([counted(1, 1, 'group'), counted(0, 1, 'group')]).toEqual(['1 group', '0 of 1 group']);
  expect([counted(1, 12, 'group'), counted(0, 0, 'group')]).toEqual(['1 of 12 groups', '0 groups']);
});
