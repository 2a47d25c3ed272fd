// SPDX-License-Identifier: Apache-2.0
import {type Followed, IdsError, TransportError} from '@palisade/client/browser';
import {expect, test} from 'vitest';
import {fakeTab, settle} from '../testing/surroundings.ts';
import {RecordFeed} from './record-feed.ts';

type Line = Followed<'threats'>;
const record = (id: string): Line => ({record: {id} as never, id});
const SHAPE = {
  kind: 'threats' as const,
  toRow: ({id}: {id: string}) => ({name: id}),
  timeOf: ({name}: {name: string}) => name,
  matches: () => true,
};
const ALL = {name: 'e', filter: '', bounds: {since: undefined, until: undefined}, isLive: true};

test('49-3 records come once and newest first; the next stream goes on at the last cursor', async () => {
  const streams: (readonly (Line | Error)[])[] = [
    [{cursor: 'c1'}, record('1'), record('2'), {cursor: 'c2'}, record('3'), new TransportError('broken', 'broken')],
    [{cursor: 'c2'}, record('3'), record('4')],
  ];
  const asked: (string | undefined)[] = [];
  const client = {
    async *followRecords(
      _name: string,
      _kind: string,
      options: {cursor?: string | undefined; signal?: AbortSignal | undefined} = {},
    ) {
      asked.push(options.cursor);
      for (const line of streams[asked.length - 1] ?? []) {
        if (line instanceof Error) throw line;
        yield line;
      }
      if (asked.length < 2) return;
      await new Promise((_, reject) =>
        options.signal?.addEventListener('abort', () => reject(new TransportError('aborted', 'cancelled'))),
      );
    },
    listRecords: async () => ({records: [], nextPageToken: ''}),
  };
  const tab = fakeTab();
  const feed = new RecordFeed({
    ...{...SHAPE, ...ALL, client: client as never, keep: 3, surroundings: tab},
  });
  feed.start();
  await settle();
  tab.frame();
  const {rows, phase} = feed.state.get();
  expect(rows.map(({name}) => name)).toEqual(['4', '3', '2']);
  expect(phase).toBe('live');
  expect(asked).toEqual([undefined, 'c2']);
  feed.stop();
});

test('49-3 however many records stream in, the page is drawn five times a second; what the user does is shown at once', async () => {
  let [now, next] = [0, Promise.withResolvers<void>()];
  const client = {
    async *followRecords() {
      yield {cursor: 'c'};
      for (let id = 0; ; id++) {
        await next.promise;
        yield record(`${id}`);
      }
    },
    listRecords: async () => ({records: [], nextPageToken: ''}),
  };
  const tab = fakeTab();
  let sleeper: {readonly until: number; readonly wake: () => void} | undefined;
  const sleep = (ms: number): Promise<void> =>
    new Promise(wake => {
      sleeper = {until: now + ms, wake};
    });
  let setBackMs = 0; // the wall clock, not what passes
  const surroundings = {...tab, clock: {now: () => now - setBackMs, sleep}};
  const feed = new RecordFeed({...SHAPE, ...ALL, client: client as never, surroundings});
  const drawn: number[] = [];
  const frameWithOneMore = async (ms: number): Promise<void> => {
    const {resolve} = next;
    next = Promise.withResolvers();
    resolve();
    await settle();
    now += ms;
    if (sleeper !== undefined && sleeper.until <= now) sleeper.wake();
    await settle();
    tab.frame();
  };
  feed.start();
  await settle();
  tab.frame();
  feed.state.subscribe(() => drawn.push(feed.state.get().rows.length + feed.state.get().held));
  for (let frame = 0; frame < 50; frame++) await frameWithOneMore(20);
  expect(drawn).toEqual([10, 20, 30, 40, 50]);
  feed.hold(true);
  await frameWithOneMore(1);
  expect(drawn).toHaveLength(5);
  feed.hold(false);
  expect(drawn.slice(5)).toEqual([51]);
  while (drawn.length < 7) await frameWithOneMore(20);
  setBackMs = 3_600_000;
  for (let frame = 0; frame < 10; frame++) await frameWithOneMore(20);
  expect(drawn.slice(7)).toEqual([(drawn[6] ?? 0) + 10]);
  feed.stop();
});

test('49-3 a stream whose credential has ended makes the page ask who is signed in', async () => {
  const listRecords = async () => ({records: [], nextPageToken: ''});
  let asked = 0;
  const end = async (code: 'UNAUTHENTICATED' | 'PERMISSION_DENIED') => {
    const client = {
      async *followRecords() {
        yield {cursor: 'c'};
        throw new IdsError(code, 'its credential is no longer valid');
      },
      listRecords,
    };
    const tab = fakeTab();
    const surroundings = {...tab, onSignedOut: () => asked++};
    const feed = new RecordFeed({...SHAPE, ...ALL, client: client as never, surroundings});
    feed.start();
    await settle();
    tab.frame();
    feed.stop();
    return feed.state.get().phase;
  };
  expect([await end('PERMISSION_DENIED'), asked]).toEqual(['refused', 0]);
  expect([await end('UNAUTHENTICATED'), asked]).toEqual(['refused', 1]);
});

type Counted = {id: string; count: number};
const counted = (id: string, count: number) => ({record: {id, count} as never, id});

/** A feed of what `come` sends. `come`: the rows afterwards. */
const openCounted = async (more: object = {}) => {
  let next = Promise.withResolvers<ReturnType<typeof counted>[]>();
  const client = {
    async *followRecords() {
      yield {cursor: 'c'};
      for (;;) {
        for (const line of await next.promise) yield line;
        next = Promise.withResolvers();
      }
    },
    listRecords: async () => ({records: [], nextPageToken: ''}),
  };
  const tab = fakeTab();
  const parts = {toRow: (({id, count}: Counted) => ({name: id, count})) as never, client: client as never};
  const feed = new RecordFeed({...SHAPE, ...ALL, ...parts, surroundings: tab, ...more});
  const come = async (...lines: ReturnType<typeof counted>[]) => {
    next.resolve(lines);
    await settle();
    tab.frame();
    return (feed.state.get().rows as unknown as {name: string; count: number}[]).map(({name, count}) => name + count);
  };
  feed.start();
  await settle();
  return {feed, come};
};

test('49-3 while a list is paused its rows stand still, counts too; a decision made here is shown, and the rest afterwards', async () => {
  const {feed, come} = await openCounted();
  expect(await come(counted('a', 1), counted('b', 1))).toEqual(['b1', 'a1']);
  feed.hold(true);
  feed.still(true);
  expect(await come(counted('a', 2), counted('b', 2), counted('c', 1))).toEqual(['b1', 'a1']);
  feed.apply({id: 'b', count: 3} as never);
  expect(await come()).toEqual(['b3', 'a1']);
  feed.hold(false);
  feed.still(false);
  expect(await come()).toEqual(['c1', 'b3', 'a2']);
  feed.stop();
});

test('49-3 a change of a row that was dropped while the list was paused does not bring it back', async () => {
  const {feed, come} = await openCounted({keep: 1});
  feed.hold(true);
  feed.still(true);
  await come(counted('a', 1));
  await come(counted('a', 2));
  await come(...Array.from({length: 1_000}, (_, at) => counted(`x${at}`, 1)));
  feed.still(false);
  await come();
  expect(feed.state.get().held).toBe(1);
  feed.stop();
});
