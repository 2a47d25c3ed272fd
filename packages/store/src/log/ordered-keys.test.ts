// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {isBelow, merge, OrderedKeys, partition} from './ordered-keys.ts';

const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));
const anyKey = fc.oneof(
  fc.string({unit: 'binary', minLength: 1, maxLength: 6}).filter(key => key.isWellFormed()),
  fc.string({unit: fc.constantFrom('a', 'b', '/', '\uffee', '\u{1f600}'), minLength: 1, maxLength: 5}),
);

test('isBelow is the order of UTF-8 bytes, on any two keys', () => {
  fc.assert(fc.property(anyKey, anyKey, (a, b) => isBelow(a, b) === byBytes(a, b) < 0));
});

describe('OrderedKeys', () => {
  test('walk and count are those of a sorted list, for any keys, removals, prefix and start', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(anyKey, {maxLength: 60}),
        fc.nat(60),
        fc.option(anyKey, {nil: undefined}),
        fc.oneof(anyKey, fc.constant('')),
        (keys, removed, after, prefix) => {
          const set = new OrderedKeys();
          for (const key of keys) set.add(key);
          for (const key of keys.slice(0, removed)) set.remove(key);
          const want = keys
            .slice(removed)
            .filter(key => key.startsWith(prefix) && (after === undefined || byBytes(key, after) > 0))
            .sort(byBytes);
          expect([...set.walk(prefix, after)]).toEqual(want);
          expect(set.count(prefix, after)).toBe(want.length);
          expect(set.size).toBe(Math.max(0, keys.length - removed));
        },
      ),
    );
  });

  test.each(['ascending', 'descending', 'mixed'])('many chunks, filled in %s order and emptied again', order => {
    const names = Array.from({length: 5_000}, (_, i) => `/k/${String(i).padStart(5, '0')}`);
    const mixed = names.toSorted((a, b) => byBytes(a.slice(-2) + a, b.slice(-2) + b));
    const set = new OrderedKeys();
    for (const key of order === 'ascending' ? names : order === 'descending' ? names.toReversed() : mixed) set.add(key);
    expect([...set.walk('/k/', undefined)]).toEqual(names);
    expect(set.count('/k/', '/k/01234')).toBe(5_000 - 1_235);
    expect(set.count('/k/00', undefined)).toBe(1_000);
    expect(set.count('/a', '/z')).toBe(0);
    for (const key of mixed) set.remove(key);
    expect([set.size, [...set.walk('', undefined)]]).toEqual([0, []]);
  });

  test('removing a key that is not there is a bug, and says so', () => {
    const set = new OrderedKeys();
    set.add('/a');
    expect(() => set.remove('/b')).toThrow('bug');
  });
});

test('merge gives two ascending walks as one', () => {
  const all = (left: string[], right: string[]) => [...merge(left.values(), right.values())];
  expect(all(['a', 'd'], ['b', 'c', 'e'])).toEqual(['a', 'b', 'c', 'd', 'e']);
  expect(all([], ['x'])).toEqual(['x']);
  expect(all(['x'], [])).toEqual(['x']);
});

test('partition finds where a condition stops to hold', () => {
  for (let want = 0; want <= 7; want++) expect(partition(7, i => i < want)).toBe(want);
});
