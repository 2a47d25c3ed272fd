// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {focusAfter, focusBefore} from './focus-return.ts';

const element = (isConnected: boolean, menuOf?: string) => {
  const menu = menuOf === undefined ? null : {getAttribute: () => menuOf};
  return {isConnected, closest: () => menu} as unknown as HTMLElement;
};
const [grid, trigger] = [element(true), element(true)];
const page = (activeElement: HTMLElement) =>
  ({
    activeElement,
    querySelector: () => grid,
    getElementById: (id: string) => (id === 'more' ? trigger : null),
  }) as unknown as Document;

test('49-3 the focus returns to what had it: the row, the trigger of the menu, or else the table', () => {
  const row = element(true);
  expect(focusAfter(page(row), focusBefore(page(row)))).toBe(row);
  const item = element(false, 'more');
  expect(focusAfter(page(item), focusBefore(page(item)))).toBe(trigger);
  const gone = element(false);
  expect(focusAfter(page(gone), focusBefore(page(gone)))).toBe(grid);
});
