// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {diffLines, foldSame} from './line-diff.ts';
import {ageText, relativeText} from './time-text.ts';

test('49-3 the lines of a diff are those of both texts, in order', () => {
  const lines = fc.array(fc.constantFrom('a', 'b', 'c', ''), {minLength: 1, maxLength: 12});
  fc.assert(
    fc.property(lines, lines, (a, b) => {
      const diff = diffLines(a.join('\n'), b.join('\n'));
      expect(diff.filter(({kind}) => kind !== 'added').map(({text}) => text)).toEqual(a);
      expect(diff.filter(({kind}) => kind !== 'removed').map(({text}) => text)).toEqual(b);
    }),
    {numRuns: 300},
  );
});

test('49-3 one changed line is one removed and one added, and what is far from it is folded', () => {
  const before = Array.from({length: 20}, (_, i) => `line ${i}`);
  const after = before.with(10, 'other');
  const diff = diffLines(before.join('\n'), after.join('\n'));
  expect(diff.filter(({kind}) => kind !== 'same')).toEqual([
    {kind: 'removed', text: 'line 10', before: 11},
    {kind: 'added', text: 'other', after: 11},
  ]);
  const folded = foldSame(diff);
  expect(folded[0]).toEqual({kind: 'skipped', count: 7});
  expect(folded.at(-1)).toEqual({kind: 'skipped', count: 6});
});

test('ages as kubectl prints them', () => {
  expect([5_000, 119_999, 120_000, 3 * 3_600_000, 50 * 3_600_000].map(ageText)).toEqual([
    '5s',
    '119s',
    '2m',
    '3h',
    '2d',
  ]);
  expect(relativeText(0, 10_000)).toBe('10s ago');
  expect(relativeText(10_000, 0)).toBe('in 10s');
});
