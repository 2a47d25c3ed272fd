// SPDX-License-Identifier: Apache-2.0
import {describe, expect, test} from 'vitest';
import {TXN_STEPS_MAX} from '../limits.ts';
import type {Revision, TxnOp} from '../store.ts';
import {bytes, listAll, type OpenStore, text} from './under-test.ts';

export function describeWrites(open: OpenStore): void {
  describe('preconditions', () => {
    test('the empty store is at revision 0; each write takes the next one', async () => {
      await using store = await open();
      expect(await store.currentRevision()).toBe(0n);
      expect(await store.put('/a', bytes('1'))).toBe(1n);
      expect(await store.put('/b', bytes('2'))).toBe(2n);
      expect(await store.delete('/a')).toBe(3n);
      expect(await store.currentRevision()).toBe(3n);
    });

    test('expected 0 creates, and is refused with the revision found when the key exists', async () => {
      await using store = await open();
      const first = await store.put('/a', bytes('1'), 0n);
      await expect(store.put('/a', bytes('2'), 0n)).rejects.toMatchObject({
        code: 'key-exists',
        key: '/a',
        revision: first,
      });
      expect(text((await store.get('/a'))?.value)).toBe('1');
    });

    test('a stale expected revision is refused and changes nothing', async () => {
      await using store = await open();
      const first = await store.put('/a', bytes('1'), 0n);
      const second = await store.put('/a', bytes('2'), first);
      await expect(store.put('/a', bytes('3'), first)).rejects.toMatchObject({
        code: 'revision-conflict',
        revision: second,
      });
      await expect(store.delete('/a', first)).rejects.toMatchObject({code: 'revision-conflict', revision: second});
      expect(await store.get('/a')).toEqual({
        key: '/a',
        value: expect.anything(),
        createRevision: first,
        modRevision: second,
      });
      expect(await store.currentRevision()).toBe(second);
    });

    test('an absent key is key-not-found for an update and for a delete, with a revision or without', async () => {
      await using store = await open();
      const fault = {code: 'key-not-found', key: '/a', revision: 0n};
      await expect(store.put('/a', bytes('1'), 7n)).rejects.toMatchObject(fault);
      await expect(store.delete('/a')).rejects.toMatchObject(fault);
      await expect(store.delete('/a', 7n)).rejects.toMatchObject(fault);
      expect(await store.currentRevision()).toBe(0n);
    });

    test('without expected a put writes whatever is there', async () => {
      await using store = await open();
      const created = await store.put('/a', bytes('1'));
      const updated = await store.put('/a', bytes('2'));
      expect(await store.get('/a')).toMatchObject({createRevision: created, modRevision: updated});
    });

    test('a key that was removed and made again has a new createRevision', async () => {
      await using store = await open();
      const first = await store.put('/a', bytes('1'));
      await store.delete('/a', first);
      expect(await store.get('/a')).toBeUndefined();
      const again = await store.put('/a', bytes('2'), 0n);
      expect(await store.get('/a')).toMatchObject({createRevision: again, modRevision: again});
    });

    test('of many writers with the same expected revision exactly one wins', async () => {
      await using store = await open();
      const base = await store.put('/a', bytes('base'));
      const results = await Promise.allSettled(
        Array.from({length: 50}, (_, i) => store.put('/a', bytes(`${i}`), base)),
      );
      const won = results.flatMap((result, i) => (result.status === 'fulfilled' ? [i] : []));
      expect(won).toEqual([0]);
      expect(text((await store.get('/a'))?.value)).toBe('0');
      for (const result of results.slice(1))
        expect(result).toMatchObject({reason: {code: 'revision-conflict', revision: base + 1n}});
    });

    test('writes of one turn take revisions in the order of their calls', async () => {
      await using store = await open();
      const revisions = await Promise.all(Array.from({length: 100}, (_, i) => store.put(`/k${i}`, bytes(`${i}`))));
      expect(revisions).toEqual(Array.from({length: 100}, (_, i) => BigInt(i + 1)));
    });

    test('a refusal that rests on a write under way is not answered before that write is', async () => {
      await using store = await open();
      const order: string[] = [];
      const note = (name: string) => () => void order.push(name);
      const first = store.put('/a', bytes('1'), 0n).then(note('write'));
      const second = store.put('/a', bytes('2'), 0n).catch(note('refusal'));
      const removal = store.delete('/b').catch(note('absent'));
      await Promise.all([first, second, removal]);
      expect(order).toEqual(['absent', 'write', 'refusal']);
    });
  });

  describe('transactions', () => {
    test('all steps have one revision', async () => {
      await using store = await open();
      const old = await store.put('/old', bytes('x'));
      const revision = await store.txn([
        {op: 'put', key: '/b', value: bytes('1'), expected: 0n},
        {op: 'put', key: '/a', value: bytes('2')},
        {op: 'delete', key: '/old', expected: old},
      ]);
      expect(revision).toBe(old + 1n);
      const page = await store.list('/', {limit: 10});
      expect(page.entries.map(entry => [entry.key, entry.createRevision, entry.modRevision])).toEqual([
        ['/a', revision, revision],
        ['/b', revision, revision],
      ]);
    });

    test('a broken precondition in any step leaves nothing, and the first broken one is reported', async () => {
      await using store = await open();
      const base = await store.put('/there', bytes('x'));
      const steps = (broken: TxnOp): TxnOp[] => [
        {op: 'put', key: '/new', value: bytes('1')},
        broken,
        {op: 'delete', key: '/absent-too'},
      ];
      const cases: [TxnOp, string, Revision][] = [
        [{op: 'check', key: '/there', expected: 0n}, 'key-exists', base],
        [{op: 'check', key: '/there', expected: base + 5n}, 'revision-conflict', base],
        [{op: 'check', key: '/absent', expected: 3n}, 'key-not-found', 0n],
        [{op: 'put', key: '/there', value: bytes('2'), expected: 0n}, 'key-exists', base],
        [{op: 'delete', key: '/absent'}, 'key-not-found', 0n],
      ];
      for (const [broken, code, revision] of cases)
        await expect(store.txn(steps(broken))).rejects.toMatchObject({code, key: broken.key, revision});
      expect(await listAll(store, '/')).toEqual([['/there', 'x']]);
      expect(await store.currentRevision()).toBe(base);
    });

    test('checks hold or refuse, and alone take no revision', async () => {
      await using store = await open();
      const base = await store.put('/a', bytes('1'));
      const checks: TxnOp[] = [
        {op: 'check', key: '/a', expected: base},
        {op: 'check', key: '/none', expected: 0n},
      ];
      expect(await store.txn(checks)).toBe(base);
      expect(await store.txn([...checks, {op: 'put', key: '/b', value: bytes('2')}])).toBe(base + 1n);
      expect(await store.currentRevision()).toBe(base + 1n);
    });

    test('a check sees writes under way, and resolves after them', async () => {
      await using store = await open();
      const order: string[] = [];
      const write = store.put('/a', bytes('1')).then(revision => void order.push(`put ${revision}`));
      const check = store
        .txn([{op: 'check', key: '/a', expected: 1n}])
        .then(revision => void order.push(`check ${revision}`));
      await Promise.all([write, check]);
      expect(order).toEqual(['put 1', 'check 1']);
    });
  });

  describe('limits of writes', () => {
    test(`a transaction has 1 to ${TXN_STEPS_MAX} steps, each with a key of its own`, async () => {
      await using store = await open();
      const steps = (count: number): TxnOp[] =>
        Array.from({length: count}, (_, i) => ({op: 'put', key: `/k${i}`, value: bytes('x')}));
      expect(await store.txn(steps(TXN_STEPS_MAX))).toBe(1n);
      for (const ops of [[], steps(TXN_STEPS_MAX + 1), [...steps(2), ...steps(1)]])
        await expect(store.txn(ops)).rejects.toMatchObject({code: 'invalid-argument'});
      expect(await store.currentRevision()).toBe(1n);
      expect((await listAll(store, '/', {limit: 200})).length).toBe(TXN_STEPS_MAX);
    });

    test.each([
      {name: 'empty', key: '', fits: false},
      {name: 'with a NUL', key: '/a\0b', fits: false},
      {name: 'half a surrogate pair', key: '/\ud800', fits: false},
      {name: '1025 bytes of ASCII', key: 'k'.repeat(1025), fits: false},
      {name: '1025 bytes in fewer letters', key: `k${'é'.repeat(512)}`, fits: false},
      {name: '1024 bytes in fewer letters', key: 'é'.repeat(512), fits: true},
      {name: '1024 bytes of ASCII', key: 'k'.repeat(1024), fits: true},
    ])('a key that is $name: fits $fits', async ({key, fits}) => {
      await using store = await open();
      if (!fits) await expect(store.put(key, bytes('x'))).rejects.toMatchObject({code: 'invalid-argument', key});
      else expect(await store.put(key, bytes('x'))).toBe(1n);
      expect((await store.list('', {limit: 10})).entries.map(entry => entry.key)).toEqual(fits ? [key] : []);
    });

    test('a value at the limit is kept; one byte more is too-large, names the limit and writes nothing', async () => {
      await using store = await open({valueBytesMax: 100});
      await store.put('/a', new Uint8Array(100).fill(7));
      await expect(
        store.txn([
          {op: 'put', key: '/b', value: bytes('x')},
          {op: 'put', key: '/c', value: new Uint8Array(101)},
        ]),
      ).rejects.toMatchObject({code: 'too-large', key: '/c', message: expect.stringMatching(/101 bytes.*at most 100/)});
      expect((await store.list('/', {limit: 10})).entries.map(entry => [entry.key, entry.value.length])).toEqual([
        ['/a', 100],
      ]);
    });

    test('an empty value is a value', async () => {
      await using store = await open();
      await store.put('/a', new Uint8Array());
      expect((await store.get('/a'))?.value.length).toBe(0);
      await store.put('/a', bytes('x'));
      expect((await store.get('/a', 1n))?.value.length).toBe(0);
    });

    test('more waiting writes than the limit are refused as unavailable; those that wait are kept', async () => {
      await using store = await open({queueWritesMax: 10});
      const results = await Promise.allSettled(Array.from({length: 30}, (_, i) => store.put(`/k${i}`, bytes('x'))));
      const kept = results.filter(result => result.status === 'fulfilled').length;
      expect(kept).toBe(10);
      expect(results[29]).toMatchObject({reason: {code: 'unavailable', message: expect.stringContaining('try again')}});
      expect(await store.put('/later', bytes('x'))).toBe(11n);
    });

    test('batches are bounded, and many of them keep order', async () => {
      await using store = await open({batchChangesMax: 3, batchBytesMax: 50});
      const writes = Array.from({length: 40}, (_, i) =>
        store.put(`/k${String(i).padStart(2, '0')}`, new Uint8Array(i % 4 === 0 ? 60 : 5).fill(i)),
      );
      expect(await Promise.all(writes)).toEqual(writes.map((_, i) => BigInt(i + 1)));
      const {entries} = await store.list('/', {limit: 100});
      expect(entries.map(entry => entry.value.length)).toEqual(writes.map((_, i) => (i % 4 === 0 ? 60 : 5)));
    });
  });
}
