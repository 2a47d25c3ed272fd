// SPDX-License-Identifier: Apache-2.0
/** Large groups, many groups, and members that flap: bounded writes, and turns of the event loop between them. */
import {afterEach, expect, test, vi} from 'vitest';
import {endpointsKind} from '../endpoints/kind.ts';
import {GroupsApi, ips, manyIps} from './testing/groups-api.ts';

let api: GroupsApi;
afterEach(() => api[Symbol.asyncDispose]());
const HTTP = {name: 'http', port: 80, check: {tcpSocket: {}, failureThreshold: 1}};

test('46-2 a group of 1,000 members follows its checks, and its status fits', async () => {
  api = await GroupsApi.open();
  await api.group({members: manyIps(1_000), ports: [HTTP]});
  api.prober.report('');
  for (let i = 0; i < 20; i++) api.prober.report('10.0.2.');
  await api.settle();
  api.prober.report('10.0.0.7:', 'refused');
  await api.settle();
  const [ready, notReady] = await api.addresses();
  expect([ready.length, notReady]).toEqual([999, ['10.0.0.7']]);
  const status = await api.status();
  expect([status.ready, status.total, status.members.length]).toEqual([999, 1_000, 1_000]);
  expect(status.members[512].ports[0].results).toHaveLength(5);
  const before = await api.stored();
  await api.restart();
  expect(await api.stored()).toEqual(before);
}, 30_000);

test('46-2 of more ports than a status can hold it lists those that are not ready first, and a restart keeps all states', async () => {
  api = await GroupsApi.open();
  const ports = [HTTP, {...HTTP, name: 'b', port: 81}, {...HTTP, name: 'c', port: 82}, {...HTTP, name: 'd', port: 83}];
  await api.group({members: manyIps(3_000), ports});
  api.prober.report('');
  await api.settle();
  api.prober.report('10.0.11.183:80', 'refused'); // the last one
  await api.settle();
  const {ready, total, members} = await api.status();
  expect([ready, total, members.length]).toEqual([2_999, 3_000, 2_500]);
  expect(members.at(-1)).toMatchObject({ip: '10.0.11.183', ports: [{state: 'NotReady'}, {}, {}, {}]});
  const before = await api.stored();
  await api.restart();
  expect(await api.stored()).toEqual(before);
}, 60_000);

test('46-2 1,000 groups are composed in turns of the event loop, one at a time', async () => {
  api = await GroupsApi.open();
  for (let i = 0; i < 1_000; i++) await api.groups.make({name: `g${i}`}, {spec: {members: manyIps(3), ports: [HTTP]}});
  await api.settle();
  const {scheduler} = api.memory.api.services;
  const turn = vi.spyOn(scheduler, 'turn');
  const written = api.writes(endpointsKind);
  api.prober.report('');
  await api.work();
  expect([written.count, turn.mock.calls.length]).toEqual([1_000, 1_000]);
  expect(await api.addresses('g999')).toEqual([['10.0.0.0', '10.0.0.1', '10.0.0.2'], []]);
  await api.settle();
  expect((await api.status('g999')).ready).toBe(3);
}, 60_000);

test('46-2 members that flap: at most 20 writes of the Endpoints and 4 of the status in a second, and a bounded number of Events', async () => {
  api = await GroupsApi.open();
  await api.group({members: ips('10.0.0.1', '10.0.0.2'), ports: [HTTP]});
  const endpoints = api.writes(endpointsKind);
  const groups = api.writes(api.groups.kind);
  const events = api.writes(api.events.kind);
  for (let ms = 0; ms < 2_000; ms += 10) {
    api.prober.report('10.0.0.1', ms % 20 === 0 ? '' : 'refused');
    await api.work();
    api.time.advance(10);
    await api.work();
  }
  expect([endpoints.count <= 41, groups.count <= 8, events.count <= 60]).toEqual([true, true, true]);
  expect([endpoints.count > 10, groups.count > 4]).toEqual([true, true]);
}, 30_000);

test('46-1 a group beyond its limit of pairs keeps the first ones and their states, and says how many are left out', async () => {
  api = await GroupsApi.open();
  const ports = Array.from({length: 100}, (_, i) => ({
    name: `p${i}`,
    port: i + 1,
    ...(i === 0 && {check: HTTP.check}),
  }));
  await api.group({members: manyIps(499), selector: {}, ports});
  await api.register('m1', {addresses: ['10.9.0.1']});
  api.prober.report('');
  await api.settle();
  expect((await api.conditions()).Composed).toEqual(['True', 'Composed']);
  const before = await api.subsets();
  await api.register('m2', {addresses: ['10.0.0.9', '10.9.0.2'], ports: [{name: 'p0', port: 99}]});
  const {ready, total, conditions} = await api.status();
  expect([ready, total, conditions[0].reason]).toEqual([500, 500, 'TooManyPairs']);
  expect(conditions[0].message).toMatch(/^50000 pairs .*; 2 more, /);
  expect(await api.subsets()).toEqual(before);
  expect((await api.eventTexts()).filter(text => text.startsWith('TooManyPairs'))).toHaveLength(1);
  await api.registrations.remove('m1');
  await api.settle();
  expect(JSON.stringify(await api.subsets())).toContain('10.9.0.2');
  expect((await api.conditions()).Composed).toEqual(['True', 'Composed']);
}, 60_000);

test('46-1 46-3 a group of registrations alone beyond its limit leaves out what the newest offer, until older ones go', async () => {
  api = await GroupsApi.open();
  const ports = Array.from({length: 100}, (_, i) => ({name: `p${i}`, port: i + 1}));
  await api.group({selector: {matchLabels: {app: 'x'}}, ports});
  const all = manyIps(512).map(({ip}) => ip);
  for (let i = 0; i < 32; i++) {
    await api.registrations.make(
      // The names are against the order of age, which has to decide.
      {name: `m${99 - i}`, labels: {app: 'x'}},
      {spec: {group: 'web', addresses: all.slice(i * 16, i * 16 + 16)}},
    );
    api.time.advance(1_000);
  }
  await api.settle();
  const {ready, total, conditions} = await api.status();
  expect([ready, total, conditions[0].status, conditions[0].reason]).toEqual([500, 500, 'True', 'TooManyPairs']);
  expect(conditions[0].message).toMatch(/^50000 pairs .*; 1200 more, of the newest registrations, are left out/);
  expect((await api.addresses())[0].toSorted()).toEqual(all.slice(0, 500).toSorted());
  const before = await api.stored();
  await api.restart();
  expect(await api.stored()).toEqual(before);
  await api.registrations.remove('m99'); // the oldest
  await api.settle();
  expect((await api.addresses())[0].toSorted()).toEqual(all.slice(16).toSorted());
  expect((await api.conditions()).Composed).toEqual(['True', 'Composed']);
}, 60_000);

test('46-1 a registration wakes its groups with what they look at only, and a large group no more often than it can bear', async () => {
  api = await GroupsApi.open();
  await api.group({members: manyIps(5_000), selector: {}, ports: [HTTP]});
  await api.register('m', {addresses: ['10.9.0.1']});
  const {scheduler} = api.memory.api.services;
  const turn = vi.spyOn(scheduler, 'turn');
  await api.registrations.merge('m', {annotations: {note: 'x'}});
  await api.settle();
  expect(turn.mock.calls.length).toBe(0);
  const change = async (spec: object): Promise<void> => {
    await api.registrations.patch('m', 'merge', {spec});
    await api.work();
  };
  await change({draining: true});
  expect(turn.mock.calls.length).toBe(1);
  await change({draining: false});
  api.time.advance(99); // 50 and 5,001 / 100
  await api.work();
  expect(turn.mock.calls.length).toBe(1);
  api.time.advance(1);
  await api.work();
  expect(turn.mock.calls.length).toBe(2);
  await api.registrations.merge('m', {labels: {app: 'y'}});
  await api.settle();
  expect(turn.mock.calls.length).toBeGreaterThan(2);
}, 30_000);
