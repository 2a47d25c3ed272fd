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

/** Compacts in one go; returns how many changes it forgot. */
const forget = (index: KeyIndex, revision: number): number => {
  const before = index.versions;
  for (const _key of index.compact(revision));
  return before - index.versions;
};

test('compact forgets each change that nobody can read any more, once', () => {
  const index = indexOf('a', 'b', 'a', '-b', 'c', 'a', 'b');
  expect(index.versions).toBe(4);
  expect([1, 3, 4, 5, 7].map(revision => forget(index, revision))).toEqual([0, 1, 2, 0, 1]);
  expect(index.versions).toBe(0);
});

test('a key that was removed is forgotten with its last version', () => {
  const index = indexOf('a', '-a');
  expect(index.versionAt('a', 1)).toBe(id(1));
  expect(forget(index, 2)).toBe(2);
  expect(index.versionAt('a', 1)).toBeUndefined();
  expect(index.pageAt(2, {prefix: '', after: undefined, limit: 1})).toEqual({versions: [], remaining: 0});
});

test('48-2 compact may pause after each key: reads and writes in between are right, and a key written again is kept', () => {
  const index = indexOf('a', 'b', 'c', 'a', 'b', 'c', '-b');
  const page = (revision: number) => index.pageAt(revision, {prefix: '', after: undefined, limit: 9});
  const at7 = page(7);
  const steps = index.compact(7);
  let paused = 0;
  for (let revision = 8; steps.next().done !== true; revision++, paused++) {
    expect(page(7)).toEqual(paused === 0 ? at7 : {...at7, versions: expect.anything()});
    const change = {id: id(revision), key: 'b', previousId: 0, createRevision: revision, value: bytes('new')};
    if (paused === 0) index.apply(change, toEntry(change));
    expect(page(7).versions).toHaveLength(2);
    expect(index.versionAt('b', 7)).toBeUndefined();
    expect(index.versionAt('b', 8)).toBe(index.current('b'));
  }
  expect(paused).toBe(3);
  expect(index.versions).toBe(0);
  expect(index.currentIds()).toEqual([id(4), id(6), id(8)]);
});

test('a version of the past is named by its change, the current one is the entry itself', () => {
  const index = indexOf('a', 'a', '-a', 'a');
  const versions = [0, 1, 2, 3, 4].map(revision => index.versionAt('a', revision));
  expect(versions).toEqual([undefined, id(1), id(2), undefined, index.current('a')]);
});
