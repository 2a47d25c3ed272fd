// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {bytes} from '../testing/index.ts';
import {changeId, toEntry} from './change.ts';
import {KeyIndex} from './key-index.ts';

const id = (revision: number) => changeId(revision, 0);
/** An index that took these, one revision each: `a` puts a key, `-a` removes it. */
function indexOf(...changes: string[]): KeyIndex {
  const index = new KeyIndex();
  for (const [i, change] of changes.entries()) {
    const removed = change.startsWith('-');
    const value = removed ? undefined : bytes(`${i + 1}`);
    const createRevision = removed ? 0 : i + 1;
    const whole = {id: id(i + 1), key: change.replace('-', ''), previousId: 0, createRevision, value};
    index.apply(whole, toEntry(whole));
  }
  return index;
}

test('compact returns each change that nobody can read any more, once, oldest first', () => {
  const index = indexOf('a', 'b', 'a', '-b', 'c', 'a', 'b');
  expect(index.compact(1)).toEqual([]);
  expect(index.compact(3)).toEqual([id(1)]);
  expect(index.compact(4)).toEqual([id(2), id(4)]);
  expect(index.compact(5)).toEqual([]);
  expect(index.compact(7)).toEqual([id(3)]);
});

test('a key that was removed is forgotten with its last version', () => {
  const index = indexOf('a', '-a');
  expect(index.versionAt('a', 1)).toBe(id(1));
  expect(index.compact(2)).toEqual([id(1), id(2)]);
  expect(index.versionAt('a', 1)).toBeUndefined();
  expect(index.pageAt(2, {prefix: '', after: undefined, limit: 1})).toEqual({versions: [], remaining: 0});
});

test('a version of the past is named by its change, the current one is the entry itself', () => {
  const index = indexOf('a', 'a', '-a', 'a');
  const versions = [0, 1, 2, 3, 4].map(revision => index.versionAt('a', revision));
  expect(versions).toEqual([undefined, id(1), id(2), undefined, index.current('a')]);
});
