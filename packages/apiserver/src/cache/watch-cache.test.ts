// SPDX-License-Identifier: Apache-2.0
/** What becomes of the cache when its feed from the store ends by itself. */
import {getEventListeners} from 'node:events';
import {type Store, StoreError, type StoreErrorCode} from '@palisade/store';
import {openMemoryStore} from '@palisade/store/memory';
import {afterEach, beforeEach, describe, expect, test, vi} from 'vitest';
import {DEFAULT_LIMITS} from '../base/limits.ts';
import {systemClock, systemTimers} from '../base/time.ts';
import {notOlderThan} from '../verbs/wait-for-version.ts';
import {Scheduler} from './watch/scheduler.ts';
import {objectKey, WatchCache} from './watch-cache.ts';

const RESOURCE = {group: '', resource: 'things', namespaced: true};
const keyOf = (name: string): string => objectKey(RESOURCE, 'one', name);
const bytesOf = (name: string): Buffer => Buffer.from(JSON.stringify({metadata: {name, namespace: 'one'}}));

/** Ends the feeds of a store whenever the test says so. */
class BreakableFeeds {
  readonly store: Store;
  opened = 0;
  #breaks: ((error: StoreError) => void)[] = [];

  constructor(inner: Store) {
    this.store = new Proxy(inner, {
      get: (target, name) => {
        if (name === 'watch') return (...args: Parameters<Store['watch']>) => this.#watch(target, args);
        const member: unknown = Reflect.get(target, name, target);
        return typeof member === 'function' ? member.bind(target) : member;
      },
    });
  }

  break(code: StoreErrorCode): void {
    for (const end of this.#breaks.splice(0)) end(new StoreError(code, {}));
  }

  async *#watch(target: Store, [prefix, from, signal]: Parameters<Store['watch']>) {
    this.opened++;
    const broken = Promise.withResolvers<never>();
    this.#breaks.push(broken.reject);
    const feed = target.watch(prefix, from, signal)[Symbol.asyncIterator]();
    for (;;) {
      const step = await Promise.race([feed.next(), broken.promise]);
      if (step.done === true) return;
      yield step.value;
    }
  }
}

let store: Store;
let feeds: BreakableFeeds;
let cache: WatchCache;
let resumed: unknown[];
let broken: unknown[];
beforeEach(async () => {
  store = await openMemoryStore();
  feeds = new BreakableFeeds(store);
  [resumed, broken] = [[], []];
  cache = newCache();
  await cache.start();
});
const newCache = (): WatchCache =>
  new WatchCache({
    store: feeds.store,
    resources: [RESOURCE],
    historyEventsMax: 100,
    historyBytesMax: 100_000,
    scheduler: new Scheduler(systemTimers, systemClock),
    onResumed: error => resumed.push(error),
    onBroken: error => broken.push(error),
  });
afterEach(async () => {
  await cache.stop();
  await store.close();
});

const names = (): string[] => ['a', 'b', 'c'].filter(name => cache.resource(RESOURCE).get('one', name) !== undefined);

test.each([
  '{"kind":"Endpoints"}',
  '',
  '{"metadata":[]}',
  '{"metadata":null}',
  'x{"metadata":{}}',
  '{"metadata":{"name":',
])('a value that is no object (%s) is told with its key, by the feed and by the next start', async value => {
  const key = keyOf('a');
  const damaged = {
    code: 'corrupt',
    key,
    message: expect.stringMatching(/one\/a at revision \d+ is not a valid object.*from a backup/),
  };
  const waiting = expect(cache.reached(1_000n)).rejects.toMatchObject(damaged);
  await store.put(key, Buffer.from(value));
  await waiting;
  expect(broken).toMatchObject([damaged]);
  const next = newCache();
  await expect(next.start()).rejects.toMatchObject(damaged);
  await next.stop();
});

test('who gives up waiting for a revision leaves nothing behind; the others wait on', async () => {
  const next = cache.revision + 1n;
  const [soon, never] = [new AbortController(), new AbortController()];
  const waits = [cache.reached(next, soon.signal), cache.reached(next + 1_000n, never.signal)];
  expect(cache.waiting).toBe(2);
  never.abort(new Error('too late'));
  await expect(waits[1]).rejects.toThrow('too late');
  expect(cache.waiting).toBe(1);
  await store.put(keyOf('a'), bytesOf('a'));
  await waits[0];
  soon.abort();
  expect(cache.waiting).toBe(0);
});

test('a request for a version that does not come is refused in time, and its wait is over', async () => {
  const due: (() => void)[] = [];
  const cancel = (): void => undefined;
  const timers = {...systemTimers, after: (_delayMs: number, action: () => void) => ({cancel, at: due.push(action)})};
  const waiting = notOlderThan({cache, timers, limits: DEFAULT_LIMITS}, cache.revision + 5n);
  expect([cache.waiting, due.length]).toEqual([1, 1]);
  due[0]?.();
  await expect(waiting).rejects.toMatchObject({code: 504});
  expect(cache.waiting).toBe(0);
  expect(notOlderThan({cache, timers, limits: DEFAULT_LIMITS}, cache.revision)).toBeUndefined();
});

describe('who may give up a wait for a version leaves nothing behind', () => {
  let open = 0;
  const timers = {
    ...systemTimers,
    after: () => {
      open++;
      return {cancel: () => void open--};
    },
  };
  const listening = ({signal}: AbortController) => getEventListeners(signal, 'abort').length;
  const left = (client: AbortController) => [cache.waiting, open, listening(client)];
  const waitFor = (versions: bigint, {signal}: AbortController) =>
    notOlderThan({cache, timers, limits: DEFAULT_LIMITS}, cache.revision + versions, signal);

  test('when he gives up', async () => {
    const client = new AbortController();
    const waiting = waitFor(5n, client);
    expect(left(client)).toEqual([1, 1, 1]);
    client.abort(new Error('has left'));
    await expect(waiting).rejects.toThrow('has left');
    expect(left(client)).toEqual([0, 0, 0]);
  });

  test('when the version comes', async () => {
    const client = new AbortController();
    const any = vi.spyOn(AbortSignal, 'any'); // Node keeps what it makes: no listener shows it
    const waiting = waitFor(1n, client);
    expect(left(client)).toEqual([1, 1, 1]);
    await store.put(keyOf('a'), bytesOf('a'));
    await waiting;
    expect([...left(client), any.mock.calls]).toEqual([0, 0, 0, []]);
    any.mockRestore();
  });

  test('when he gave up before', async () => {
    const client = new AbortController();
    client.abort(new Error('has left'));
    await expect(waitFor(1n, client)).rejects.toThrow('has left');
    expect(left(client)).toEqual([0, 0, 0]);
  });
});

describe('the feed ends', () => {
  test('E-275 because the cache fell behind: it goes on behind the last change, without a gap', async () => {
    await cache.reached(await store.put(keyOf('a'), bytesOf('a')));
    feeds.break('too-slow');
    await store.put(keyOf('b'), bytesOf('b'));
    await cache.reached(await store.put(keyOf('c'), bytesOf('c')));
    expect(names()).toEqual(['a', 'b', 'c']);
    expect([feeds.opened, resumed.length, broken]).toEqual([2, 1, []]);
  });

  test('again and again with nothing in between: it is broken, not tried for ever', async () => {
    const gaveUp = expect(cache.reached(1_000n)).rejects.toMatchObject({code: 'too-slow'});
    for (let ends = 1; broken.length === 0; ends++) {
      feeds.break('too-slow');
      await expect.poll(() => feeds.opened > ends || broken.length > 0).toBe(true);
    }
    await gaveUp;
    expect(resumed.length).toBe(3);
  });

  test('for another reason: who waits is told, and so is the server', async () => {
    const waiting = expect(cache.reached(1_000n)).rejects.toMatchObject({code: 'corrupt'});
    feeds.break('corrupt');
    await waiting;
    await expect(cache.reached(1_001n)).rejects.toMatchObject({code: 'corrupt'});
    expect(broken).toMatchObject([{code: 'corrupt'}]);
    expect(resumed).toEqual([]);
  });
});
