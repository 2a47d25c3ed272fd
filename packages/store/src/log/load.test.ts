// SPDX-License-Identifier: Apache-2.0
import {describe, expect, test} from 'vitest';
import {MemoryDriver} from '../drivers/memory/memory-driver.ts';
import {STORE_LIMITS} from '../limits.ts';
import {bytes, listAll} from '../testing/index.ts';
import {type Change, type ChangeHead, type ChangeId, changeId} from './change.ts';
import type {EraseStep, Opened} from './driver.ts';
import {loadLog} from './load.ts';
import {openLogStore} from './log-store.ts';

/** A driver that comes up with changes that are there already. */
class FilledDriver extends MemoryDriver {
  readonly #changes: readonly Change[];
  readonly #opened: Opened;
  erased = 0;

  constructor(changes: readonly Change[], opened: Opened) {
    super();
    this.#changes = changes;
    this.#opened = opened;
  }

  override async open(): Promise<Opened> {
    await this.append(this.#changes);
    return this.#opened;
  }

  override async heads(after: ChangeId = 0): Promise<readonly ChangeHead[]> {
    return this.#changes.filter(change => change.id > after).slice(0, 2);
  }

  override async erase(compacted: number): Promise<EraseStep> {
    const step = await super.erase(compacted);
    this.erased += step.erased;
    return step;
  }
}

const id = (revision: number) => changeId(revision, 0);
const put = (revision: number, key: string, {previous = 0, created = revision} = {}): Change => ({
  id: id(revision),
  key,
  previousId: previous === 0 ? 0 : id(previous),
  createRevision: created,
  value: bytes(`${key}@${revision}`),
});
const removal = (revision: number, key: string, previous: number): Change => ({
  ...put(revision, key, {previous, created: 0}),
  value: undefined,
});

describe('loading refuses a log that cannot be', () => {
  test.each([
    {
      name: 'a revision is missing',
      changes: [put(1, '/a'), put(3, '/b')],
      revision: 3,
      says: 'revision 1 is followed by 3',
    },
    {name: 'the end is missing', changes: [put(1, '/a')], revision: 2, says: 'ends at revision 1, but 2 was written'},
    {
      name: 'a change supersedes one that is not there',
      changes: [put(1, '/a'), put(2, '/b', {previous: 1})],
      revision: 2,
      says: 'but follows 0',
    },
    {
      name: 'a change overlooks the one before it',
      changes: [put(1, '/a'), put(2, '/a')],
      revision: 2,
      says: 'should follow change 0',
    },
    {
      name: 'an absent key is removed',
      changes: [put(1, '/a'), removal(2, '/b', 0)],
      revision: 2,
      says: 'removes a key that does not exist',
    },
  ])('$name', async ({changes, revision, says}) => {
    const load = loadLog(new FilledDriver(changes, {revision, compacted: 0}), 10);
    await expect(load).rejects.toMatchObject({code: 'corrupt', message: expect.stringContaining(says)});
  });
});

test('values come in several calls, and only those of now', async () => {
  const changes = [
    put(1, '/a'),
    put(2, '/b'),
    put(3, '/a', {previous: 1, created: 1}),
    put(4, '/c'),
    removal(5, '/b', 2),
  ];
  const store = await openLogStore(new FilledDriver(changes, {revision: 5, compacted: 0}), {
    limits: {...STORE_LIMITS, readIdsMax: 1},
    defer: setImmediate,
  });
  expect(await listAll(store, '')).toEqual([
    ['/a', '/a@3'],
    ['/c', '/c@4'],
  ]);
  expect(await listAll(store, '', {at: 2n})).toEqual([
    ['/a', '/a@1'],
    ['/b', '/b@2'],
  ]);
  await store.close();
});

describe('a compaction that the end of the process cut short', () => {
  // Compacted at 5: /a@1, /b@2 and the removal of /b are dead; how many of them are erased differs.
  const all = [
    put(1, '/a'),
    put(2, '/b'),
    put(3, '/a', {previous: 1, created: 1}),
    put(4, '/c'),
    removal(5, '/b', 2),
    put(6, '/b'),
  ];
  test.each([0, 1, 2, 3])(
    'after %d of its changes were erased: the rest goes with the next one, reads are right',
    async erased => {
      const dead = [id(1), id(2), id(5)];
      const driver = new FilledDriver(
        all.filter(change => !dead.slice(0, erased).includes(change.id)),
        {revision: 6, compacted: 5},
      );
      const store = await openLogStore(driver, {limits: STORE_LIMITS, defer: setImmediate});
      expect(await listAll(store, '')).toEqual([
        ['/a', '/a@3'],
        ['/b', '/b@6'],
        ['/c', '/c@4'],
      ]);
      expect(await listAll(store, '', {at: 5n})).toEqual([
        ['/a', '/a@3'],
        ['/c', '/c@4'],
      ]);
      await store.compact(5n);
      expect(driver.erased).toBe(dead.length - erased);
      await store.close();
    },
  );
});
