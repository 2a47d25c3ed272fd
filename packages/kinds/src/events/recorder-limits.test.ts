// SPDX-License-Identifier: Apache-2.0
/** Events are counted, combined and limited as upstream's recorder does it. */
import {silentLog} from '@palisade/apiserver';
import {type Body, MemoryApi} from '@palisade/apiserver/testing';
import {afterEach, beforeEach, describe, expect, test, vi} from 'vitest';
import {endpointsKind} from '../endpoints/kind.ts';
import {eventsKind} from '../events/kind.ts';
import {type EventRecorder, eventRecorder, type RecordedEvent} from './recorder.ts';

const MINUTE_MS = 60_000;

let api: MemoryApi;
let recorder: EventRecorder;
let about: RecordedEvent['about'];
let warned: [object, string][];
beforeEach(async () => {
  warned = [];
  const log = {...silentLog, warn: (fields: object, text: string) => warned.push([fields, text])};
  api = await MemoryApi.open({kinds: [endpointsKind, eventsKind], log});
  recorder = eventRecorder(api.api, {component: 'tester', manager: 'manager'});
  about = {kind: 'Endpoints', namespace: 'default', name: 'a', uid: 'u1', apiVersion: 'v1', resourceVersion: '7'};
});
afterEach(() => api[Symbol.asyncDispose]());

const record = (message: string, reason = 'Because'): void =>
  recorder.record({about, type: 'Warning', reason, message});
const events = async (): Promise<Body[]> => {
  await api.settle();
  return (await api.of(eventsKind).send('list', '')).body.items;
};
const counts = async (): Promise<string[]> =>
  (await events()).map(({message, count}) => `${count} ${message}`).toSorted();

describe('45-2 an Event', () => {
  test('is one for equal occurrences, with the first and the last time', async () => {
    record('x');
    api.time.advance(5 * MINUTE_MS);
    record('x');
    expect(await events()).toMatchObject([
      {
        count: 2,
        firstTimestamp: '2026-01-01T00:00:00Z',
        lastTimestamp: '2026-01-01T00:05:00Z',
        metadata: {managedFields: [{manager: 'manager'}]},
      },
    ]);
  });

  test('is another one for another text, reason or object', async () => {
    record('x');
    record('y');
    record('x', 'Other');
    about = {...about, uid: 'u2'};
    record('x');
    expect(await counts()).toEqual(['1 x', '1 x', '1 x', '1 y']);
  });

  test('that was deleted is made again, with its count', async () => {
    record('x');
    const [{metadata}] = (await events()) as [Body];
    await api.of(eventsKind).remove(metadata.name);
    record('x');
    expect(await counts()).toEqual(['2 x']);
  });

  test('stands for all from the tenth text of a reason on, until ten minutes pass without one', async () => {
    for (let i = 1; i <= 12; i++) record(`text ${i}`);
    expect((await counts()).filter(text => text.includes('combined'))).toEqual([
      '3 (combined from similar events): text 12',
    ]);
    expect(await counts()).toHaveLength(10);
    api.time.advance(11 * MINUTE_MS);
    record('later');
    expect(await counts()).toContain('1 later');
  });

  test('of one object comes 25 times at once, then every five minutes', async () => {
    for (let i = 1; i <= 30; i++) record('x');
    expect(await counts()).toEqual(['25 x']);
    api.time.advance(5 * MINUTE_MS);
    record('x');
    record('x');
    expect(await counts()).toEqual(['31 x']);
  });

  test('has a name of its own when the object has one that is too long', async () => {
    about = {...about, name: 'a'.repeat(253)};
    record('x');
    expect((await events())[0].metadata.name).toMatch(/^[0-9a-f-]{36}$/);
  });
});

test('45-2 a server without Events drops them', async () => {
  await using other = await MemoryApi.open({kinds: [endpointsKind]});
  const silent = eventRecorder(other.api, {component: 'tester', manager: 'manager'});
  silent.record({about, type: 'Warning', reason: 'Because', message: 'x'});
  await silent.stop();
});

describe('45-2 while the store takes no writes', () => {
  let release: () => void;
  beforeEach(() => {
    const {promise, resolve} = Promise.withResolvers<void>();
    release = resolve;
    const registry = api.api.services.registryOf(eventsKind);
    const create = registry.create.bind(registry);
    vi.spyOn(registry, 'create').mockImplementation(async (...args) => {
      await promise;
      return create(...args);
    });
  });
  const recordOf = (name: string): void =>
    recorder.record({about: {...about, name}, type: 'Warning', reason: 'R', message: 'm'});
  const dropped = (count: number): unknown[] => [
    [{component: 'tester', dropped: count}, 'events dropped, too many waited'],
  ];

  test('1,000 Events wait, further ones are dropped and logged once, and the next ones are taken again', async () => {
    for (let i = 0; i < 1_006; i++) recordOf(`e${i}`);
    release();
    expect(await events()).toHaveLength(1_001); // one was being written
    expect(warned).toEqual(dropped(5));
    recordOf('later');
    expect(await events()).toHaveLength(1_002);
    expect(warned).toHaveLength(1);
  });

  test('a stop waits five seconds, then drops what waits', async () => {
    for (const name of ['e1', 'e2', 'e3']) recordOf(name);
    let isStopped = false;
    const stopped = recorder.stop().then(() => {
      isStopped = true;
    });
    api.time.advance(4_999);
    await api.settle();
    expect(isStopped).toBe(false);
    api.time.advance(1);
    await stopped;
    expect(warned).toEqual(dropped(2));
    release();
    expect(await events()).toHaveLength(1);
  });

  test('a stop writes what waits, and takes no more', async () => {
    for (const name of ['e1', 'e2', 'e3']) recordOf(name);
    const stopped = recorder.stop();
    recordOf('late');
    release();
    await stopped;
    expect(await events()).toHaveLength(3);
    expect([warned, api.time.pending]).toEqual([[], 0]);
  });
});
