// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {keyGroups} from './key-groups.ts';

const titles = (...found: Parameters<typeof keyGroups>): string[] => keyGroups(...found).map(({title}) => title);

test('49-3 the keyboard help has the keys of the page, of what is on it, and of every page', () => {
  expect(titles({title: 'On this threat', keys: []}, selector => /grid|filter/.test(selector))).toEqual([
    ...['On this threat', 'In every table', 'In the filter', 'Everywhere'],
  ]);
  expect(titles(undefined, selector => /tab|editor/.test(selector))).toEqual([
    ...['In a list of tabs', 'In the YAML', 'Everywhere'],
  ]);
  expect(titles(undefined, () => false)).toEqual(['Everywhere']);
});
