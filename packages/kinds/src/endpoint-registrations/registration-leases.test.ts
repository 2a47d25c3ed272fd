// SPDX-License-Identifier: Apache-2.0
/** Registrations live as long as their Lease is renewed. Ref: issue 46, point 3. */
import {type CacheEvent, garbageCollection} from '@palisade/apiserver';
import {faultyStore, ManualTime, MemoryApi, type MemoryApiOptions, type Resource} from '@palisade/apiserver/testing';
import {openMemoryStore} from '@palisade/store/memory';
import {afterEach, beforeEach, expect, test} from 'vitest';
import {eventsModule} from '../events/index.ts';
import {leasesKind} from '../leases/kind.ts';
import {namespacesKind} from '../namespaces/kind.ts';
import {DEFAULT_KIND_SETTINGS} from '../settings.ts';
import {registrationLeases} from './controller.ts';
import {endpointRegistrationsKind} from './kind.ts';
import {STEP_MS} from './tracked.ts';

const events = eventsModule(DEFAULT_KIND_SETTINGS).kinds;
const TTL_MS = 30_000;
const REMOVE_MS = 600_000;
/** Something happens late by this at most. */
const LATE_MS = 2 * STEP_MS;

let api: MemoryApi;
let time: ManualTime;
let registrations: Resource;
let leases: Resource;

const open = async (options: Partial<MemoryApiOptions> = {}): Promise<void> => {
  api = await MemoryApi.open({
    kinds: [endpointRegistrationsKind, leasesKind, namespacesKind, ...events],
    controllers: [registrationLeases],
    clock: time,
    timers: time,
    ...options,
  });
  registrations = api.of(endpointRegistrationsKind);
  leases = api.of(leasesKind);
};

beforeEach(async () => {
  time = new ManualTime();
  await open();
  await api.of(namespacesKind).make({name: 'default'});
});
afterEach(() => api[Symbol.asyncDispose]());

const wait = async (ms: number): Promise<void> => {
  time.advance(ms);
  await api.settle();
};
const register = (name: string, spec: object = {}): Promise<unknown> =>
  registrations.make({name}, {spec: {group: 'web', addresses: ['10.0.0.1'], ...spec}});
let renewals = 0;
/** Of a Lease that does not name the registration as its owner. */
const renewAny = async (name: string, spec: object = {}, more: object = {}): Promise<void> => {
  const metadata = {...more, annotations: {n: `${renewals++}`}};
  const {status} = await leases.patch(name, 'merge', {metadata, spec});
  if (status === 404) await leases.make({name, ...metadata}, {spec});
  await api.settle();
};
/** As `palisade register` does it. */
const renew = async (name: string, spec: object = {}): Promise<void> => {
  const {metadata} = await registrations.get(name);
  await renewAny(name, spec, {ownerReferences: [registrations.refTo(metadata)]});
};
const states = async (): Promise<Readonly<Record<string, string>>> =>
  Object.fromEntries(
    (await registrations.send('list', '')).body.items.map(
      ({metadata, status}: {metadata: {name: string}; status: {state: string}}) => [metadata.name, status.state],
    ),
  );
const reasons = async (): Promise<readonly string[]> => {
  const kind = events.find(({group}) => group === '');
  if (kind === undefined) throw new Error('no events');
  return (await api.of(kind).send('list', '')).body.items.map(({reason}: {reason: string}) => reason).sort();
};

test('46-3 without a renewal it expires after its TTL, not earlier; a renewal brings it back at once', async () => {
  await register('a');
  await wait(TTL_MS - 1);
  expect(await states()).toEqual({a: 'Live'});
  await wait(1 + LATE_MS);
  expect(await states()).toEqual({a: 'Expired'});
  expect((await registrations.get('a')).status.since).toBe(
    new Date(time.now() - LATE_MS + STEP_MS).toISOString().replace('Z', '000Z'),
  );
  await renew('a');
  expect(await states()).toEqual({a: 'Live'});
  expect(await reasons()).toEqual(['RegistrationExpired', 'RegistrationReturned']);
});

test('46-3 renewals keep it live, and wake no watcher of registrations; the times in the Lease count for nothing', async () => {
  await register('a');
  const seen: CacheEvent[] = [];
  api.api.services.registryOf(endpointRegistrationsKind).cache.onEvent(event => seen.push(event));
  for (let second = 0; second < 120; second += 20) {
    await renew('a', {renewTime: '2001-01-01T00:00:00.000000Z', acquireTime: '2099-01-01T00:00:00.000000Z'});
    await wait(20_000);
  }
  expect(await states()).toEqual({a: 'Live'});
  expect(seen).toEqual([]);
});

test('46-3 only the Lease of the same name in the same namespace counts', async () => {
  await api.of(namespacesKind).make({name: 'two'});
  await register('a');
  await renewAny('b');
  await wait(20_000);
  await leases.in('two').make({name: 'a'});
  await renewAny('b');
  await wait(10_000 + LATE_MS);
  expect(await states()).toEqual({a: 'Expired'});
});

test('46-3 the duration of the Lease wins over ttlSeconds, shorter or longer, up to a day', async () => {
  for (const name of ['long', 'short', 'none']) await register(name);
  await renew('long', {leaseDurationSeconds: 60});
  await renew('short', {leaseDurationSeconds: 2});
  await renew('none');
  await wait(2_000 + LATE_MS);
  expect(await states()).toEqual({long: 'Live', none: 'Live', short: 'Expired'});
  await wait(28_000);
  expect(await states()).toEqual({long: 'Live', none: 'Expired', short: 'Expired'});
  await renew('long', {leaseDurationSeconds: 2_000_000_000});
  await wait(86_400_000 + LATE_MS);
  expect(await states()).toEqual({long: 'Expired'});
});

const short = {leaseDurationSeconds: 5};
test.each<[string, number, ...(() => Promise<unknown>)[]]>([
  ['one that was there first', TTL_MS, () => renewAny('a', {leaseDurationSeconds: 86_400}), () => register('a')],
  ['one that does not name its owner', TTL_MS, () => register('a'), () => renewAny('a', short)],
  ['one that names it', 5_000, () => register('a'), () => renew('a', short)],
  ['one that is deleted', TTL_MS, () => register('a'), () => renew('a', short), () => leases.remove('a')],
  [
    'one of another registration, which is gone',
    TTL_MS,
    ...[() => register('a'), () => renew('a', short), () => registrations.remove('a'), () => register('a')],
  ],
])(
  '46-3 the duration of a Lease counts before a start as after it, whatever is written later: %s',
  async (_, ms, ...steps) => {
    for (const isStart of [false, true]) {
      const store = await openMemoryStore();
      await api.api.stop();
      await open({store});
      await api.of(namespacesKind).make({name: 'default'});
      for (const step of steps) await step();
      await registrations.patch('a', 'merge', {spec: {draining: true}});
      if (isStart) await api.api.stop();
      if (isStart) await open({store});
      await wait(ms - 1);
      expect(await states()).toEqual({a: 'Live'});
      await wait(1 + LATE_MS);
      expect(await states()).toEqual({a: 'Expired'});
    }
  },
);

test('46-3 a change of ttlSeconds counts at once, from the last renewal', async () => {
  await register('a', {ttlSeconds: 3_600});
  await wait(10_000);
  await registrations.patch('a', 'merge', {spec: {ttlSeconds: 20}});
  await wait(10_000 - LATE_MS);
  expect(await states()).toEqual({a: 'Live'});
  await wait(2 * LATE_MS);
  expect(await states()).toEqual({a: 'Expired'});
});

test('46-3 a Lease that is deleted is no renewal: its last one counts, and the TTL of the registration', async () => {
  await register('a', {ttlSeconds: 10});
  await renew('a', {leaseDurationSeconds: 60});
  await wait(5_000);
  await leases.remove('a');
  await wait(5_000 - 1);
  expect(await states()).toEqual({a: 'Live'});
  await wait(1 + LATE_MS);
  expect(await states()).toEqual({a: 'Expired'});
});

test('46-3 one that stays expired is removed after removeAfterSeconds, and its Lease goes with it', async () => {
  await api.api.stop();
  await open({controllers: [registrationLeases, garbageCollection], store: api.api.store});
  const made = (await register('a')) as {metadata: {name: string; uid: string}};
  await leases.make({name: 'a', ownerReferences: [registrations.refTo(made.metadata)]});
  await wait(TTL_MS + LATE_MS);
  await wait(REMOVE_MS - LATE_MS);
  expect(await states()).toEqual({a: 'Expired'});
  await wait(2 * LATE_MS);
  expect([await states(), await leases.names()]).toEqual([{}, []]);
  expect(await reasons()).toEqual(['RegistrationExpired', 'RegistrationRemoved']);
  expect(time.pending).toBe(0);
});

test('46-3 a longer removeAfterSeconds counts also while a removal is being tried', async () => {
  let isBroken = false;
  const store = faultyStore(await openMemoryStore(), ({op}) => {
    if (op === 'delete' && isBroken) throw new Error('broken');
  });
  await api.api.stop();
  await open({store});
  await api.of(namespacesKind).make({name: 'default'});
  await register('a', {removeAfterSeconds: 10});
  await wait(TTL_MS + LATE_MS);
  isBroken = true;
  await wait(10_000 + LATE_MS);
  isBroken = false;
  await registrations.patch('a', 'merge', {spec: {removeAfterSeconds: 600}});
  await wait(60_000);
  expect(await states()).toEqual({a: 'Expired'});
  await wait(REMOVE_MS);
  expect(await states()).toEqual({});
});

test('46-3 one with a finalizer is marked once, and not written again', async () => {
  await registrations.make(
    {name: 'a', finalizers: ['example.com/x']},
    {spec: {group: 'web', addresses: ['10.0.0.1'], removeAfterSeconds: 10}},
  );
  await wait(TTL_MS + LATE_MS);
  await wait(10_000 + LATE_MS);
  const marked = await registrations.get('a');
  expect(marked.metadata.deletionTimestamp).toBeDefined();
  expect(await reasons()).toEqual(['RegistrationExpired']);
  await wait(REMOVE_MS);
  expect((await registrations.get('a')).metadata.resourceVersion).toBe(marked.metadata.resourceVersion);
});

test('46-3 a new one of the same name starts with a whole TTL', async () => {
  await register('a');
  await wait(TTL_MS - 1_000);
  await registrations.remove('a');
  await register('a');
  await wait(TTL_MS - 1);
  expect(await states()).toEqual({a: 'Live'});
});

test('46-3 a state written by others is put back', async () => {
  await register('a');
  await registrations.send('patch', 'a', {
    subresource: 'status',
    type: 'application/merge-patch+json',
    body: {status: {state: 'Expired'}},
  });
  await api.settle();
  expect(await states()).toEqual({a: 'Live'});
});

test.each([
  {status: {state: 'Gone'}, code: 422},
  {status: {state: 'Expired', since: 'yesterday'}, code: 422},
])('46-3 a malformed status is refused: $status', async ({status, code}) => {
  await register('a');
  const type = 'application/merge-patch+json';
  const reply = await registrations.send('patch', 'a', {subresource: 'status', type, body: {status}});
  expect([reply.status, reply.body.message]).toEqual([
    code,
    expect.stringMatching(/status\.state: Unsupported value|parsing time/),
  ]);
});

test('46-3 a start counts as a renewal of those that were live, writes nothing, and does not bring back the others', async () => {
  const store = await openMemoryStore();
  await api.api.stop();
  await open({store});
  await api.of(namespacesKind).make({name: 'default'});
  await register('late');
  await wait(TTL_MS - 5_000);
  await register('live');
  await wait(5_000 + LATE_MS);
  expect(await states()).toEqual({late: 'Expired', live: 'Live'});
  await api.api.stop();
  time.advance(120_000);
  await open({store});
  const before = api.api.services.cache.revision;
  await api.settle();
  expect(api.api.services.cache.revision).toBe(before);
  await wait(TTL_MS - 1);
  expect(await states()).toEqual({late: 'Expired', live: 'Live'});
  await renew('late');
  expect(await states()).toEqual({late: 'Live', live: 'Live'});
  await wait(LATE_MS);
  expect(await states()).toEqual({late: 'Live', live: 'Expired'});
});

test('46-3 the time until it is removed goes on over restarts, and a start leaves one TTL to come back', async () => {
  const store = await openMemoryStore();
  await api.api.stop();
  await open({store});
  await api.of(namespacesKind).make({name: 'default'});
  await register('a');
  await wait(TTL_MS + LATE_MS);
  for (let restart = 0; restart < 4; restart++) {
    await wait(REMOVE_MS / 5);
    await api.api.stop();
    await open({store});
  }
  await wait(REMOVE_MS / 5 - 2 * LATE_MS);
  expect(await states()).toEqual({a: 'Expired'});
  await api.api.stop();
  time.advance(REMOVE_MS);
  await open({store});
  await wait(TTL_MS - LATE_MS);
  expect(await states()).toEqual({a: 'Expired'});
  await wait(2 * LATE_MS);
  expect(await states()).toEqual({});
});

test('46-3 a clock that was set back while the server was down removes nothing early, nor keeps it for ever', async () => {
  const store = await openMemoryStore();
  await api.api.stop();
  await open({store});
  await api.of(namespacesKind).make({name: 'default'});
  await register('a');
  await wait(TTL_MS + LATE_MS);
  await api.api.stop();
  time.advance(-100 * REMOVE_MS);
  await open({store});
  await wait(REMOVE_MS - LATE_MS);
  expect(await states()).toEqual({a: 'Expired'});
  await wait(2 * LATE_MS);
  expect(await states()).toEqual({});
});

test.each([
  {jump: 'forward', ms: 1_000_000_000},
  {jump: 'back', ms: -1_000_000_000},
])('46-3 a clock that jumps $jump expires and removes nothing', async ({ms}) => {
  let offsetMs = 0;
  await api.api.stop();
  await open({clock: {now: () => time.now() + offsetMs}});
  await api.of(namespacesKind).make({name: 'default'});
  await register('a');
  await wait(TTL_MS / 2);
  offsetMs = ms;
  await wait(TTL_MS / 2 - 1);
  expect(await states()).toEqual({a: 'Live'});
  await wait(1 + LATE_MS);
  expect(await states()).toEqual({a: 'Expired'});
  offsetMs = 0;
  await wait(REMOVE_MS - LATE_MS);
  expect(await states()).toEqual({a: 'Expired'});
  await wait(2 * LATE_MS);
  expect(await states()).toEqual({});
});

test('46-3 a thousand that fall silent at the same time all expire, and all return', async () => {
  const names = Array.from({length: 1_000}, (_, i) => `n${i}`);
  await Promise.all(names.map(name => register(name)));
  await wait(TTL_MS + LATE_MS);
  expect(new Set(Object.values(await states()))).toEqual(new Set(['Expired']));
  await Promise.all(names.map(name => renew(name)));
  expect(new Set(Object.values(await states()))).toEqual(new Set(['Live']));
});

test('46-3 there is one timer for all of them, and none without any', async () => {
  expect(time.pending).toBe(0);
  for (const name of ['a', 'b', 'c']) await register(name);
  expect(time.pending).toBe(1);
  for (const name of ['a', 'b', 'c']) await registrations.remove(name);
  expect(time.pending).toBe(0);
});
