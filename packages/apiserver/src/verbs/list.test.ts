// SPDX-License-Identifier: Apache-2.0
/** Lists that select by a field of the content. */
import {afterEach, expect, test, vi} from 'vitest';
import type {ListAnswer} from '../answer/answer.ts';
import {CachedObject} from '../cache/cached-object.ts';
import {parseQuery} from '../request/query.ts';
import {MemoryApi, type Resource, sampleKind} from '../testing/index.ts';
import {list} from './list.ts';

const kind = sampleKind();
const things = {
  ...kind,
  strategy: {
    ...kind.strategy,
    selectableFields: {
      parity: ({metadata}: {metadata: {labels?: Record<string, string>}}) => metadata.labels?.['parity'] ?? '',
      third: ({metadata}: {metadata: {labels?: Record<string, string>}}) => metadata.labels?.['third'] ?? '',
    },
  },
};

let api: MemoryApi;
let own: Resource;
const name = (i: number): string => `n${String(i).padStart(3, '0')}`;
const COUNT = 250;
const open = async (): Promise<void> => {
  api = await MemoryApi.open({kinds: [things]});
  own = api.of(things);
  const labels = (i: number) => ({parity: i % 2 === 0 ? 'even' : 'odd', third: i % 3 === 0 ? 'yes' : 'no'});
  await Promise.all(Array.from({length: COUNT}, (_, i) => own.make({name: name(i), labels: labels(i)})));
};
afterEach(async () => {
  vi.restoreAllMocks();
  await api[Symbol.asyncDispose]();
});

test('45-1 each object is decoded once, and only a bounded number in one turn', async () => {
  await open();
  const decode = vi.spyOn(CachedObject.prototype, 'decode');
  const turn = vi.spyOn(api.api.services.scheduler, 'turn');
  const perTurn: number[] = [];
  turn.mockImplementation(async () => {
    perTurn.push(decode.mock.calls.length);
  });
  expect(await own.names({fieldSelector: 'parity!=x,third!=yes,third!=no'})).toEqual([]);
  expect(perTurn).toEqual([100, 200]);
  expect(decode).toHaveBeenCalledTimes(COUNT);
});

test('45-1 a list of the past decodes a bounded number in one turn, too', async () => {
  await open();
  const {metadata} = await own.get(name(0));
  await own.make({name: 'z', labels: {parity: 'even'}});
  const turn = vi.spyOn(api.api.services.scheduler, 'turn');
  const past = {resourceVersion: String(Number(metadata.resourceVersion) + COUNT - 1), resourceVersionMatch: 'Exact'};
  expect(await own.names({fieldSelector: 'parity=even', ...past})).toHaveLength(COUNT / 2);
  expect(turn).toHaveBeenCalledTimes(2);
});

test('45-1 what a name or a label rules out is not decoded', async () => {
  await open();
  const decode = vi.spyOn(CachedObject.prototype, 'decode');
  expect(await own.names({fieldSelector: 'parity=even', labelSelector: 'third in (maybe,never)'})).toEqual([]);
  expect(decode).not.toHaveBeenCalled();
});

test('45-1 the list is of the moment in which it began, whatever is written while it is made', async () => {
  await open();
  const {scheduler} = api.api.services;
  vi.spyOn(scheduler, 'turn').mockImplementationOnce(async () => {
    await own.remove(name(248));
    await own.make({name: 'z', labels: {parity: 'even'}});
  });
  const names = await own.names({fieldSelector: 'parity=even'});
  expect(names).toEqual(Array.from({length: COUNT / 2}, (_, i) => name(2 * i)));
});

test('45-1 pages: all matches once, in order, and no page behind the last object', async () => {
  await open();
  const found: string[] = [];
  let token: string | undefined = '';
  let pages = 0;
  do {
    const query = parseQuery(`fieldSelector=parity%3Dodd&limit=25${token === '' ? '' : `&continue=${token}`}`);
    const answer: ListAnswer = await list({...api.api.contextFor(things, 'default'), query});
    for (const object of answer.slices.flat()) found.push(object.name);
    token = answer.continueToken;
    pages++;
  } while (token !== undefined);
  expect(found).toEqual(Array.from({length: COUNT / 2}, (_, i) => name(2 * i + 1)));
  expect(pages).toBe(5);
});
