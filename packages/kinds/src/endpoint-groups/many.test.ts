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
