// SPDX-License-Identifier: Apache-2.0
/** What stays of a write when the store refuses it, or a part of it. Ref: issue 45, point 1. */
import {hasCode, StoreError} from '@palisade/store';
import {openMemoryStore} from '@palisade/store/memory';
import {afterEach, describe, expect, test} from 'vitest';
import {silentLog} from '../../base/log.ts';
import type {KindDefinition, Reservations} from '../../kind/kind.ts';
import {
  faultyStore,
  MemoryApi,
  type MemoryApiOptions,
  type Resource,
  type StoreWrite,
  sampleKind,
  sampleKindWith,
  takingAlong,
} from '../../testing/index.ts';

let api: MemoryApi;
let things: Resource;
let before: (write: StoreWrite) => void | Promise<void> = () => {};
let logged: {readonly fields: object; readonly message: string}[] = [];
const log = {...silentLog, error: (fields: object, message: string) => logged.push({fields, message})};
const open = async (kind: KindDefinition, options: Partial<MemoryApiOptions> = {}): Promise<void> => {
  before = () => {};
  logged = [];
  const store = faultyStore(options.store ?? (await openMemoryStore()), write => before(write));
  api = await MemoryApi.open({kinds: [kind], log, ...options, store});
  things = api.of(kind);
};
afterEach(() => api[Symbol.asyncDispose]());

describe('what goes along', () => {
  const others = sampleKind({kind: 'Other'});
  const owners = sampleKindWith({deletion: takingAlong(others)});
  const refuse = (error: Error): void => {
    before = ({op, keys}) => {
      if (op === 'delete' && keys.some(key => key.includes('/others/'))) throw error;
    };
  };

  test.each([
    {what: 'the disk is full', error: new StoreError('disk-full', {})},
    {what: 'something unexpected', error: new Error('broken')},
  ])('45-1 $what: the deletion is done and answered as done, and the log names what stayed', async ({error}) => {
    await open(owners, {kinds: [owners, others]});
    await things.make({name: 'a'});
    await api.of(others).make({name: 'a'});
    refuse(error);
    expect((await things.remove('a')).status).toBe(200);
    expect([await things.names(), await api.of(others).names()]).toEqual([[], ['a']]);
    const fields = {err: error, component: 'things', resource: 'others', namespace: 'default', name: 'a'};
    expect(logged.map(line => line.fields)).toEqual([fields]);
  });

  test('45-1 the same when it is the last finalizer that goes', async () => {
    await open(owners, {kinds: [owners, others]});
    await things.make({name: 'a', finalizers: ['e.io/x']});
    await api.of(others).make({name: 'a'});
    await things.remove('a');
    refuse(new StoreError('unavailable', {}));
    expect((await things.merge('a', {finalizers: null})).status).toBe(200);
    expect(await things.names()).toEqual([]);
    expect(logged).toHaveLength(1);
  });

  test('45-1 one that somebody else removed meanwhile is no failure', async () => {
    await open(owners, {kinds: [owners, others]});
    await things.make({name: 'a'});
    await api.of(others).make({name: 'a'});
    let raced = false;
    before = async ({op, keys}) => {
      if (raced || op !== 'delete' || !keys.some(key => key.includes('/others/'))) return;
      raced = true;
      await api.of(others).remove('a');
    };
    expect((await things.remove('a')).status).toBe(200);
    expect([raced, logged]).toEqual([true, []]);
  });
});

describe('reservations', () => {
  /** Of the whole: how many are out, and how many were ever made. */
  const counting = () => {
    const counts = {open: 0, made: 0, stored: 0};
    const book: Reservations = {
      stored: () => {
        counts.stored++;
      },
      damaged: () => {},
      reserve: () => {
        counts.open++;
        counts.made++;
        return () => {
          counts.open--;
        };
      },
    };
    return {counts, kind: sampleKindWith({reservations: () => book})};
  };

  test.each(['disk-full', 'unavailable'] as const)(
    '45-1 a write that the store refuses (%s) holds nothing',
    async code => {
      const {counts, kind} = counting();
      await open(kind);
      await things.make({name: 'old'});
      before = () => {
        throw new StoreError(code, {});
      };
      const isRefused = (error: unknown): boolean => hasCode(error, code);
      await expect(things.post({name: 'a'})).rejects.toSatisfy(isRefused);
      await expect(things.merge('old', {labels: {a: 'b'}})).rejects.toSatisfy(isRefused);
      expect(counts).toEqual({open: 0, made: 3, stored: 1});
    },
  );

  test('45-1 an update that must be tried again gives back what it took before it takes again', async () => {
    const {counts, kind} = counting();
    await open(kind);
    await things.make({name: 'a'});
    const openAtWrite: number[] = [];
    let raced = false;
    before = async () => {
      openAtWrite.push(counts.open);
      if (raced) return;
      raced = true;
      await things.merge('a', {labels: {other: 'writer'}});
    };
    expect((await things.merge('a', {labels: {a: 'b'}})).status).toBe(200);
    expect(openAtWrite).toEqual([1, 2, 1]); // the first attempt, the other writer, the second attempt
    expect(counts).toEqual({open: 0, made: 4, stored: 3});
  });

  test('45-1 a create whose namespace was written meanwhile does so too, and is stored once', async () => {
    const {counts, kind} = counting();
    const namespaces = sampleKind({group: '', kind: 'Namespace', namespaced: false});
    await open(kind, {kinds: [namespaces, kind]});
    await api.of(namespaces).make({name: 'default'});
    const openAtWrite: number[] = [];
    let raced = false;
    before = async ({op}) => {
      if (op !== 'txn') return;
      openAtWrite.push(counts.open);
      if (raced) return;
      raced = true;
      await api.of(namespaces).merge('default', {labels: {a: 'b'}});
    };
    expect((await things.post({name: 'a'})).status).toBe(201);
    expect(openAtWrite).toEqual([1, 1]);
    expect(counts).toEqual({open: 0, made: 2, stored: 1});
  });

  test('45-1 a namespace that is written again and again refuses the create in the end, and nothing is held', async () => {
    const {counts, kind} = counting();
    const namespaces = sampleKind({group: '', kind: 'Namespace', namespaced: false});
    await open(kind, {kinds: [namespaces, kind], limits: {updateAttemptsMax: 3}});
    await api.of(namespaces).make({name: 'default'});
    let writes = 0;
    before = async ({op}) => {
      if (op === 'txn') await api.of(namespaces).merge('default', {labels: {a: String(writes++)}});
    };
    await expect(things.post({name: 'a'})).rejects.toThrow('the namespace has been modified');
    expect([counts.open, counts.made, await things.names()]).toEqual([0, 3, []]);
  });
});

describe('damaged objects', () => {
  test('45-1 one that cannot be read is logged and counted, the server starts, and the book has the others', async () => {
    const store = await openMemoryStore();
    await open(sampleKind(), {store});
    for (const name of ['a', 'b', 'c']) await things.make({name, labels: {is: name}});
    await api.api.stop();
    const damage = '{"metadata":{"name":"b","uid":"u"},"subsets":[{"broken}';
    await store.put('/kube/example.com/things/default/b', Buffer.from(damage));
    const noted: string[] = [];
    const book: Reservations = {
      stored: (key, object) => noted.push(`${key} ${object?.metadata.labels?.['is']}`),
      damaged: (key, text) => noted.push(`${key} damaged ${text}`),
      reserve: () => () => {},
    };
    await open(sampleKindWith({reservations: () => book}), {store});
    expect(noted).toEqual(['default/a a', `default/b damaged ${damage}`, 'default/c c']);
    expect(logged).toMatchObject([{fields: {resource: 'things', namespace: 'default', name: 'b', damaged: 1}}]);
    expect(JSON.stringify(logged)).not.toContain('broken');
    expect((await things.post({name: 'd'})).status).toBe(201);
  });
});
