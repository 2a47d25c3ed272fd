// SPDX-License-Identifier: Apache-2.0
import {describe, expect, test} from 'vitest';
import {bytes, listAll, type OpenStore, text} from './under-test.ts';

export function describeReads(open: OpenStore): void {
  describe('get', () => {
    test('at each revision the key is what it was then', async () => {
      await using store = await open();
      await store.put('/other', bytes('x')); // 1
      await store.put('/a', bytes('one')); // 2
      await store.put('/a', bytes('two')); // 3
      await store.delete('/a'); // 4
      await store.put('/other', bytes('y')); // 5
      await store.put('/a', bytes('three')); // 6
      const values = await Promise.all(
        [0n, 1n, 2n, 3n, 4n, 5n, 6n].map(async at => text((await store.get('/a', at))?.value)),
      );
      expect(values).toEqual([undefined, undefined, 'one', 'two', undefined, undefined, 'three']);
      expect(await store.get('/a', 3n)).toMatchObject({createRevision: 2n, modRevision: 3n});
    });

    test('a revision that does not exist yet, or is not valid, is refused', async () => {
      await using store = await open();
      await store.put('/a', bytes('x'));
      await expect(store.get('/a', 2n)).rejects.toMatchObject({code: 'future-revision', revision: 2n});
      await expect(store.get('/a', -1n)).rejects.toMatchObject({code: 'invalid-argument'});
      await expect(store.list('/', {at: 2n, limit: 1})).rejects.toMatchObject({code: 'future-revision'});
    });
  });

  describe('list', () => {
    test('keys are ordered by their UTF-8 bytes', async () => {
      await using store = await open();
      const keys = ['/b', '/\u{1f600}', '/a', '/\uffee', '/B', '/é', '/a/', '/a-', '/aa', '/\ue000', '/\u{10ffff}'];
      for (const key of keys) await store.put(key, bytes(key));
      const want = keys.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
      expect((await listAll(store, '')).map(([key]) => key)).toEqual(want);
      await store.put('/z', bytes('later'));
      expect((await listAll(store, '', {at: 11n})).map(([key]) => key)).toEqual(want);
    });

    test('a prefix is only a prefix: letters, not path segments', async () => {
      await using store = await open();
      for (const key of ['/a', '/a/1', '/a/2', '/ab', '/b', '0', 'z']) await store.put(key, bytes('x'));
      const keys = async (prefix: string) => (await listAll(store, prefix)).map(([key]) => key);
      expect(await keys('/a')).toEqual(['/a', '/a/1', '/a/2', '/ab']);
      expect(await keys('/a/')).toEqual(['/a/1', '/a/2']);
      expect(await keys('/c')).toEqual([]);
      expect(await keys('')).toEqual(['/a', '/a/1', '/a/2', '/ab', '/b', '0', 'z']);
    });

    test.each([0, -1, 1.5, 10_001, Number.NaN])('limit %s is refused', async limit => {
      await using store = await open();
      await expect(store.list('/', {limit})).rejects.toMatchObject({code: 'invalid-argument'});
    });

    test('limit 10,000 is taken', async () => {
      await using store = await open();
      expect(await store.list('/', {limit: 10_000})).toEqual({entries: [], revision: 0n, remaining: 0});
    });

    test('pages go on behind `after`, whether it exists or not, and tell how many remain', async () => {
      await using store = await open();
      for (const key of ['/k/1', '/k/3', '/k/5', '/k/7', '/other']) await store.put(key, bytes('x'));
      const page = async (after: string | undefined) => {
        const {entries, remaining} = await store.list('/k/', {after, limit: 2});
        return [...entries.map(entry => entry.key), remaining];
      };
      expect(await page(undefined)).toEqual(['/k/1', '/k/3', 2]);
      expect(await page('/k/3')).toEqual(['/k/5', '/k/7', 0]);
      expect(await page('/k/4')).toEqual(['/k/5', '/k/7', 0]);
      expect(await page('/a')).toEqual(['/k/1', '/k/3', 2]);
      expect(await page('/k/7')).toEqual([0]);
      expect(await page('/z')).toEqual([0]);
    });

    test('pages of a revision do not see later writes, creations or removals', async () => {
      await using store = await open();
      const name = (i: number) => `/k/${String(i).padStart(3, '0')}`;
      for (let i = 0; i < 60; i += 2) await store.put(name(i), bytes(`${i}`));
      const want = await listAll(store, '/k/', {limit: 1000});
      const at = await store.currentRevision();
      const seen: [string, string][] = [];
      const remaining: number[] = [];
      for (let after: string | undefined, i = 0; ; i++) {
        const page = await store.list('/k/', {at, after, limit: 7});
        seen.push(...page.entries.map((entry): [string, string] => [entry.key, text(entry.value) ?? '']));
        remaining.push(page.remaining);
        expect(page.revision).toBe(at);
        if (page.remaining === 0) break;
        after = page.entries.at(-1)?.key;
        // Ahead of and behind the place of the reader.
        await Promise.all([
          store.put(name(i * 6 + 1), bytes('new')),
          store.put(name(58 - i * 2), bytes('changed')),
          store.delete(name(i * 4)).catch(() => store.put(name(i * 4), bytes('again'))),
        ]);
      }
      expect(seen).toEqual(want);
      expect(remaining).toEqual([23, 16, 9, 2, 0]);
    });

    test('remaining is that of the revision, whatever was created and removed since', async () => {
      await using store = await open();
      for (const key of ['/1', '/2', '/3', '/4']) await store.put(key, bytes('x')); // 1..4
      await store.delete('/2'); // 5
      await store.put('/5', bytes('x')); // 6
      await store.put('/2', bytes('y')); // 7
      await store.delete('/2'); // 8
      const remaining = async (at: bigint) => (await store.list('/', {at, limit: 1})).remaining;
      expect(await Promise.all([1n, 2n, 3n, 4n, 5n, 6n, 7n, 8n].map(remaining))).toEqual([0, 1, 2, 3, 2, 3, 4, 3]);
    });

    test('a read sees every write that was answered before', async () => {
      await using store = await open();
      await Promise.all(
        Array.from({length: 20}, async (_, i) => {
          const revision = await store.put(`/k${i}`, bytes(`${i}`));
          expect(await store.currentRevision()).toBeGreaterThanOrEqual(revision);
          expect(text((await store.get(`/k${i}`))?.value)).toBe(`${i}`);
        }),
      );
    });

    test('a read does not see a write before it is durable', async () => {
      await using store = await open();
      const write = store.put('/a', bytes('x'));
      expect(await store.get('/a')).toBeUndefined();
      expect(await store.currentRevision()).toBe(0n);
      await write;
      expect(await store.get('/a')).toBeDefined();
    });
  });
}
