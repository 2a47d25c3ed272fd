// SPDX-License-Identifier: Apache-2.0
/** Expiry when the store refuses, is slow, or keeps a note of a clock that was wrong. Ref: issue 45, point 1 (events). */
import {type Store, StoreError} from '@palisade/store';
import {openMemoryStore} from '@palisade/store/memory';
import {afterEach, beforeEach, expect, test} from 'vitest';
import {silentLog} from '../base/log.ts';
import {faultyStore, ManualTime, MemoryApi, type Resource, type StoreWrite, sampleKind} from '../testing/index.ts';
import {expireAfter} from './expiry.ts';

const things = sampleKind();
const HOUR_MS = 3_600_000;
const LATE_MS = 20_000;
/** After which an object that could not be removed is tried again. */
const RETRY_MS = 60_000 + LATE_MS;
const NOTE = '/kube-meta/ages/example.com/things';

let api: MemoryApi;
let own: Resource;
let time: ManualTime;
let store: Store;
let offsetMs = 0;
let before: (write: StoreWrite) => void | Promise<void>;
let warnings: {readonly fields: object; readonly message: string}[];
const log = {...silentLog, warn: (fields: object, message: string) => warnings.push({fields, message})};
const open = async (): Promise<void> => {
  api = await MemoryApi.open({
    kinds: [things],
    controllers: [expireAfter(things, HOUR_MS)],
    store: faultyStore(store, write => before(write)),
    clock: {now: () => time.now() + offsetMs},
    timers: time,
    log,
  });
  own = api.of(things);
};
beforeEach(async () => {
  store = await openMemoryStore();
  time = new ManualTime();
  offsetMs = 0;
  before = () => {};
  warnings = [];
});
afterEach(() => api[Symbol.asyncDispose]());

const after = async (ms: number): Promise<readonly string[]> => {
  time.advance(ms);
  await api.settle();
  return own.names();
};
const make = (count: number): Promise<unknown> =>
  Promise.all(Array.from({length: count}, (_, i) => own.make({name: `n${i}`})));
const refuseOf = (names: readonly string[], error: Error): void => {
  before = ({op, keys}) => {
    if (op === 'delete' && keys.some(key => names.includes(key.slice(key.lastIndexOf('/') + 1)))) throw error;
  };
};

test('45-1 objects that cannot be removed hold up no others, are logged in one line, and tried again later', async () => {
  await open();
  await make(200);
  const stuck = Array.from({length: 70}, (_, i) => `n${i}`); // more than a batch, and the oldest
  const error = new Error('broken');
  refuseOf(stuck, error);
  expect([...(await after(HOUR_MS + LATE_MS))].sort()).toEqual([...stuck].sort());
  expect(warnings).toEqual([
    {fields: {err: error, resource: 'things', failed: 70}, message: 'removal of expired objects failed, retrying'},
  ]);
  before = () => {};
  expect(await after(RETRY_MS)).toEqual([]);
  expect(time.pending).toBe(0);
});

test('45-1 a disk that refuses is asked for one batch at a time, not once for each object, and not logged here', async () => {
  await open();
  await make(300);
  let asked = 0;
  before = ({op}) => {
    if (op === 'delete') asked++;
    throw new StoreError('disk-full', {});
  };
  expect(await after(HOUR_MS)).toHaveLength(300);
  expect(await after(10_000)).toHaveLength(300);
  expect([asked > 0, asked % 64, asked <= 128, warnings]).toEqual([true, 0, true, []]);
  before = () => {};
  await after(RETRY_MS);
  expect(await after(RETRY_MS)).toEqual([]);
});

test('45-1 an object that is written while its removal waits for another try stays', async () => {
  await open();
  await make(1);
  refuseOf(['n0'], new Error('broken'));
  expect(await after(HOUR_MS + LATE_MS)).toEqual(['n0']);
  await own.merge('n0', {labels: {a: 'b'}});
  before = () => {};
  expect(await after(RETRY_MS)).toEqual(['n0']);
  expect(await after(HOUR_MS)).toEqual([]);
});

test('45-1 removals come in batches of 64, one batch in flight', async () => {
  await open();
  await make(150);
  let flying = 0;
  let most = 0;
  before = async ({op}) => {
    if (op !== 'delete') return;
    most = Math.max(most, ++flying);
    await new Promise(resolve => setImmediate(resolve));
    flying--;
  };
  expect(await after(HOUR_MS + LATE_MS)).toEqual([]);
  expect(most).toBe(64);
});

test.each([
  {what: 'in 1970', wrongMs: -Date.UTC(2026, 0, 1)},
  {what: 'years ahead', wrongMs: 20 * 365 * 24 * HOUR_MS},
])('45-1 a clock that was $what at the last stop lets nothing go early', async ({wrongMs}) => {
  await open();
  await make(1);
  await after(HOUR_MS / 2);
  offsetMs = wrongMs;
  await api.api.stop();
  offsetMs = 0;
  await open();
  expect(await after(HOUR_MS / 2 - LATE_MS)).toEqual(['n0']);
  expect(await after(3 * LATE_MS)).toEqual([]);
  expect(warnings).toHaveLength(wrongMs < 0 ? 1 : 0);
});

test('45-1 a clock that runs years ahead after a start lets nothing go early either', async () => {
  await open();
  await make(1);
  await api.api.stop();
  offsetMs = 20 * 365 * 24 * HOUR_MS;
  await open();
  expect(await after(HOUR_MS - LATE_MS)).toEqual(['n0']);
  expect(await after(3 * LATE_MS)).toEqual([]);
});

test('45-1 a damaged note is logged, and time begins again', async () => {
  await open();
  await make(1);
  await api.api.stop();
  await store.put(NOTE, Buffer.from('{"at":'));
  await open();
  expect(warnings.map(({message}) => message)).toEqual(['stored ages of objects are damaged, their time begins again']);
  expect(await after(HOUR_MS - LATE_MS)).toEqual(['n0']);
  expect(await after(3 * LATE_MS)).toEqual([]);
});

test('45-1 a note that takes long is not overtaken by the next one, and a stop waits for both', async () => {
  await open();
  await make(1);
  let release = (): void => {};
  let [open_, most, notes] = [0, 0, 0];
  before = async ({keys}) => {
    if (!keys.includes(NOTE)) return;
    notes++;
    most = Math.max(most, ++open_);
    if (notes === 1) await new Promise<void>(resolve => (release = resolve));
    open_--;
  };
  await after(HOUR_MS / 2);
  expect([notes, most]).toEqual([1, 1]);
  const stopped = api.api.stop();
  await new Promise(resolve => setImmediate(resolve));
  expect(notes).toBe(1);
  release();
  await stopped;
  expect([notes, most, open_]).toEqual([2, 1, 0]);
});
