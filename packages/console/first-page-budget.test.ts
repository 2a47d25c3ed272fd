// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {firstPageOf} from './first-page-budget.ts';

test('49-1 the first page is the entry with all that it imports at once, each once', () => {
  const chunk = (fileName: string, imports: string[], isEntry = false) => ({fileName, imports, isEntry, code: ''});
  const chunks = [chunk('lazy', ['a']), chunk('index', ['a', 'b'], true), chunk('a', ['b']), chunk('b', ['a'])];
  expect(firstPageOf(chunks).map(({fileName}) => fileName)).toEqual(['index', 'a', 'b']);
});
