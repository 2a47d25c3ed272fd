// SPDX-License-Identifier: Apache-2.0
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {setImmediate as turn} from 'node:timers/promises';
import {afterEach, beforeEach, describe, expect, test} from 'vitest';
import {openMemoryStore} from '../drivers/memory/index.ts';
import {openSqliteStore} from '../drivers/sqlite/index.ts';
import type {Entry, Store} from '../store.ts';
import {StoreError} from '../store-error.ts';
import {decodeBlock, EntryFormatError, encodeBlocks} from './entry-blocks.ts';
import {takeSnapshot} from './snapshot.ts';
import {StoreFileWriter} from './write-store-file.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
/** A value of the driver and one of the index are of different classes. */
const plain = (entries: readonly Entry[]) => entries.map(entry => ({...entry, value: Buffer.from(entry.value)}));

/** Every entry as of `at`, by the store's own pages. */
const allAt = async (store: Store, at: bigint): Promise<Entry[]> => {
  const entries: Entry[] = [];
  for (let after: string | undefined; ; ) {
    const page = await store.list('', {at, after, limit: 700});
    entries.push(...page.entries);
    after = page.entries.at(-1)?.key;
    if (page.remaining === 0) return entries;
  }
};

const filled = async (count: number): Promise<Store> => {
  const store = await openMemoryStore();
  for (let i = 0; i < count; i++) await store.put(`/k/${i}`, bytes(`first ${i}`), 0n);
  return store;
};

describe('takeSnapshot', () => {
  test('48-3 every entry is as of one revision, while writes change, add and remove keys between the pages', async () => {
    await using store = await filled(3_500);
    let step = 0;
    const snapshot = await takeSnapshot(store, async () => {
      step += 1;
      await store.put(`/k/${step}`, bytes('changed'));
      await store.put(`/a${step}`, bytes('added'), 0n);
      await store.delete(`/k/${3_499 - step}`);
      await turn();
    });
    expect(step).toBe(3);
    expect(snapshot.revision).toBe(3_500n);
    expect(snapshot.entries).toHaveLength(3_500);
    expect(plain(snapshot.entries)).toEqual(plain(await allAt(store, 3_500n)));
    expect(snapshot.valueBytes).toBe(snapshot.entries.reduce((sum, {value}) => sum + value.length, 0));
  });

  test('48-3 a compaction that overtakes it is met with a newer revision', async () => {
    await using store = await filled(2_500);
    let step = 0;
    const {revision, entries} = await takeSnapshot(store, async () => {
      step += 1;
      if (step !== 1) return;
      const newest = await store.put('/k/1', bytes('changed'));
      await store.compact(newest);
    });
    expect([revision, entries.length]).toEqual([2_501n, 2_500]);
    await expect(
      takeSnapshot(store, async () => {
        await store.compact(await store.put('/k/1', bytes('again')));
      }),
    ).rejects.toMatchObject({code: 'compacted'});
  });
});

describe('entry blocks', () => {
  const entries: readonly Entry[] = [
    {key: '/a', value: bytes('{"a":1}'), createRevision: 1n, modRevision: 9_007_199_254_740_993n},
    {key: '/ä "quoted"\n', value: bytes('line\nline\n'), createRevision: 2n, modRevision: 3n},
    {key: '/empty', value: bytes(''), createRevision: 4n, modRevision: 4n},
  ];

  test('48-3 entries come back as they were, from blocks of any size', () => {
    for (const size of [1, 100, 1_000]) {
      const blocks = [...encodeBlocks(entries, size)];
      expect(plain(blocks.flatMap(decodeBlock))).toEqual(plain(entries));
    }
    expect([...encodeBlocks([])]).toEqual([]);
  });

  test('48-3 a block that was cut anywhere but between entries is refused', () => {
    const [block = Buffer.alloc(0)] = encodeBlocks(entries);
    const ends = new Set([...encodeBlocks(entries, 1)].map((_, i, all) => Buffer.concat(all.slice(0, i + 1)).length));
    for (let at = 1; at < block.length; at++)
      if (!ends.has(at)) expect(() => decodeBlock(block.subarray(0, at)), String(at)).toThrow(EntryFormatError);
  });

  test.each([
    ['{"key":"","createRevision":"1","modRevision":"1","bytes":0}\n\n'],
    ['{"key":"/a","createRevision":"2","modRevision":"1","bytes":0}\n\n'],
    ['{"key":"/a","createRevision":1,"modRevision":"1","bytes":0}\n\n'],
    ['{"key":"/a","createRevision":"1","modRevision":"1","bytes":-1}\n\n'],
    ['null\n\n'],
  ])('48-3 %j is refused', text => {
    expect(() => decodeBlock(Buffer.from(text))).toThrow(EntryFormatError);
  });
});

describe('StoreFileWriter', () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'palisade-test-'));
  });
  afterEach(() => rmSync(dir, {recursive: true, force: true}));

  const restored = async (entries: readonly Entry[], revision: bigint) => {
    const file = join(dir, 'store.sqlite');
    const writer = new StoreFileWriter(file);
    writer.add(entries.slice(0, 2));
    writer.add(entries.slice(2));
    writer.finish(revision);
    return openSqliteStore({file});
  };

  test('48-3 entries keep their revisions, nothing older can be read, and the next write is behind all', async () => {
    await using source = await openMemoryStore();
    await source.txn([
      {op: 'put', key: '/b', value: bytes('1')},
      {op: 'put', key: '/a', value: bytes('1')},
      {op: 'put', key: '/c', value: bytes('1')},
    ]);
    await source.put('/a', bytes('2'));
    await source.delete('/c');
    const {entries} = await takeSnapshot(source, async () => {});
    await using store = await restored(entries, 1_000n);
    expect(plain(await allAt(store, 1_000n))).toEqual(plain(entries));
    expect([await store.currentRevision(), await store.compactedRevision()]).toEqual([1_000n, 1_000n]);
    for (const at of [0n, 2n, 999n]) await expect(store.get('/a', at)).rejects.toMatchObject({code: 'compacted'});
    const watch = store.watch('', 3n, new AbortController().signal)[Symbol.asyncIterator]();
    await expect(watch.next()).rejects.toMatchObject({code: 'compacted'});
    await expect(store.put('/a', bytes('3'), 1n)).rejects.toMatchObject({code: 'revision-conflict'});
    expect(await store.put('/a', bytes('3'), 2n)).toBe(1_001n);
    await store.delete('/b', 1n);
    await store.close();
    await using again = await openSqliteStore({file: join(dir, 'store.sqlite')});
    expect(await again.get('/b')).toBeUndefined();
    expect(plain(await allAt(again, 1_002n))).toMatchObject([{key: '/a', modRevision: 1_001n, createRevision: 1n}]);
    await again.compact(1_002n);
  });

  test('48-3 an empty backup makes an empty store that begins behind it', async () => {
    await using store = await restored([], 7n);
    expect([await store.currentRevision(), (await store.list('', {limit: 1})).entries]).toEqual([7n, []]);
  });

  test('48-3 revisions that no store gives are refused', () => {
    const writer = new StoreFileWriter(join(dir, 'store.sqlite'));
    const entry = (key: string) => ({key, value: bytes('1'), createRevision: 1n, modRevision: 1n});
    expect(() => writer.add(Array.from({length: 129}, (_, i) => entry(`/${i}`)))).toThrow(StoreError);
    expect(() => writer.finish(10n ** 15n)).toThrow('too large');
    writer.close();
  });
});
