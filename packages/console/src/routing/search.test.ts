// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {links} from '../links.ts';
import {
  flag,
  oneOf,
  parseQuery,
  queryOf,
  readSearch,
  type SearchShape,
  text,
  texts,
  whole,
  writeSearch,
} from './search.ts';

type All = {q: string; on: boolean; port: number | undefined; tab: 'a' | 'b'; label: readonly string[]};
const SHAPE: SearchShape<All> = {q: text(), on: flag(), port: whole(1, 9), tab: oneOf(['a', 'b'], 'a'), label: texts()};

test('49-3 any state comes back from its address', () => {
  const any = fc.record({
    q: fc.string(),
    on: fc.boolean(),
    port: fc.option(fc.integer({min: 1, max: 9}), {nil: undefined}),
    tab: fc.constantFrom('a' as const, 'b' as const),
    label: fc.uniqueArray(fc.string()),
  });
  fc.assert(
    fc.property(any, state => {
      expect(readSearch(SHAPE, parseQuery(queryOf(writeSearch(SHAPE, {}, state))))).toEqual(state);
    }),
    {numRuns: 200},
  );
});

test('49-3 defaults are left out, other fields stay, and nonsense is the default', () => {
  expect(writeSearch(SHAPE, {other: 'x', q: 'y'}, {q: '', on: true})).toEqual({other: 'x', on: '1'});
  expect(readSearch(SHAPE, parseQuery('?port=99&tab=z&on=no&label=a&label=a'))).toEqual({
    ...{q: '', on: false, port: undefined, tab: 'a', label: ['a']},
  });
});

test('49-3 names in addresses are encoded', () => {
  expect(links.endpoints('a/b', 'x y', {tab: 'yaml'})).toBe('/endpoints/a%2Fb/x%20y?tab=yaml');
});
