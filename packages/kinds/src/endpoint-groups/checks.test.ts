// SPDX-License-Identifier: Apache-2.0
/** What results of checks do: Endpoints, status, Events, panic, restarts. */
import type {Body} from '@palisade/apiserver/testing';
import {afterEach, beforeEach, describe, expect, test, vi} from 'vitest';
import {endpointsKind} from '../endpoints/kind.ts';
import {GroupsApi, ips} from './testing/groups-api.ts';

let api: GroupsApi;
beforeEach(async () => {
  api = await GroupsApi.open();
});
afterEach(() => api[Symbol.asyncDispose]());

const HTTP = {name: 'http', port: 80, check: {httpGet: {path: '/healthz'}}};
const FOUR = ips('10.0.0.1', '10.0.0.2', '10.0.0.3', '10.0.0.4');
/** Of the Endpoints. */
const version = async (): Promise<string> => (await api.endpoints.get('web')).metadata.resourceVersion;
const portOf = async (member = 0): Promise<Body> => (await api.status()).members[member].ports[0];

describe('46-2 checks', () => {
  test('are asked for with everything that a prober needs', async () => {
    const check = {grpc: {service: 's'}, port: 9_000, periodSeconds: 5, initialDelaySeconds: 7};
    await api.group({members: ips('FD00:0::1'), ports: [{name: 'http', port: 80, check}]});
    expect([...api.prober.targets.values()]).toEqual([
      {
        id: expect.stringMatching(/^[-0-9a-f]{36} fd00::1 http\/80\/TCP$/),
        group: expect.stringMatching(/^[-0-9a-f]{36}$/),
        namespace: 'default',
        ip: 'fd00::1',
        port: 9_000,
        method: {type: 'grpc', tls: undefined, service: 's'},
        periodMs: 5_000,
        timeoutMs: 1_000,
        delayMs: 7_000,
        jitter: 0.1,
      },
    ]);
  });

  test('that fail as often as the threshold says take a member out at once, and the status says why', async () => {
    await api.group({members: FOUR, ports: [HTTP]});
    api.prober.report('');
    await api.settle();
    api.prober.report('10.0.0.2', 'HTTP 503', {times: 2, atMs: api.time.now()});
    await api.work();
    expect((await api.addresses())[1]).toEqual([]);
    api.prober.report('10.0.0.2', 'HTTP 503', {atMs: api.time.now()});
    await api.work(); // no time passes
    expect((await api.addresses())[1]).toEqual(['10.0.0.2']);
    expect(await portOf(1)).toMatchObject({
      name: 'http',
      port: 80,
      protocol: 'TCP',
      state: 'NotReady',
      since: '2026-01-01T00:00:02.100000Z',
      lastError: 'HTTP 503',
      results: [
        {passed: false, milliseconds: 1, message: 'HTTP 503'},
        {passed: false},
        {passed: false},
        {passed: true},
      ],
    });
  });

  test('of a second member within 50 ms share the next write', async () => {
    await api.group({members: FOUR, ports: [HTTP]});
    const written = api.writes(endpointsKind);
    for (const {ip} of FOUR) {
      api.prober.report(ip);
      await api.work();
    }
    expect(written.count).toBe(1);
    api.time.advance(50);
    await api.work();
    expect([written.count, (await api.addresses())[0].length]).toEqual([2, 4]);
  });

  test('that change no state are shown and not written', async () => {
    await api.group({members: FOUR, ports: [HTTP]});
    api.prober.report('');
    await api.settle();
    const before = await api.stored();
    api.prober.report('10.0.0.1', 'slow');
    api.prober.report('10.0.0.1');
    await api.settle();
    expect(await portOf()).toMatchObject({
      state: 'Ready',
      lastError: 'slow',
      results: [{passed: true}, {passed: false, message: 'slow'}, {passed: true}],
    });
    expect(await api.stored()).toEqual(before);
    const {metadata, spec} = await api.groups.get('web');
    expect((await api.groups.put('web', {metadata, spec})).status).toBe(200);
    expect(await api.stored()).toEqual(before);
  });

  test('are made on as their target changes, and from the start for an address that is new', async () => {
    await api.group({members: FOUR.slice(0, 2), ports: [HTTP]});
    api.prober.report('');
    await api.settle();
    const check = {httpGet: {path: '/other'}};
    await api.groups.put('web', {spec: {members: FOUR.slice(1, 3), ports: [{...HTTP, name: 'renamed', check}]}});
    await api.settle();
    expect(await api.addresses()).toEqual([['10.0.0.2'], ['10.0.0.3']]);
    const targets = [...api.prober.targets.values()].map(({ip, method}) => [ip, method.type === 'http' && method.path]);
    expect(targets).toEqual([
      ['10.0.0.2', '/other'],
      ['10.0.0.3', '/other'],
    ]);
  });

  test('of all members share what they do', async () => {
    await api.group({members: FOUR, ports: [HTTP]});
    const methods = [...api.prober.targets.values()].map(({method}) => method);
    expect([methods.length, new Set(methods).size]).toEqual([4, 1]);
  });

  test('can be added to a group that serves, without an outage', async () => {
    await api.group({members: FOUR, ports: [{...HTTP, check: undefined}]});
    expect((await api.addresses())[0]).toHaveLength(4);
    const written = api.writes(endpointsKind);
    await api.groups.put('web', {spec: {members: FOUR, ports: [HTTP]}});
    await api.settle();
    expect([written.count, (await portOf()).state]).toEqual([0, 'Ready']);
    api.prober.report('10.0.0.1', 'refused', {times: 3});
    await api.settle();
    expect((await api.addresses())[1]).toEqual(['10.0.0.1']);
  });
});

test.each(['watch', 'forget'] as const)(
  '46-2 a prober that fails once at %s costs no member its state',
  async method => {
    await api.group({members: FOUR.slice(0, 3), ports: [HTTP]});
    api.prober.report('');
    await api.settle();
    vi.spyOn(api.prober, method).mockImplementationOnce(() => {
      throw new Error('the worker is gone');
    });
    await api.groups.put('web', {spec: {members: FOUR.slice(1), ports: [{...HTTP, name: 'renamed'}]}});
    await api.settle();
    api.time.advance(60_000); // the retry
    await api.settle();
    expect(await api.addresses()).toEqual([['10.0.0.2', '10.0.0.3'], ['10.0.0.4']]);
    expect(api.prober.targets.size).toBe(3);
    api.prober.report('10.0.0.4');
    await api.settle();
    expect((await api.addresses())[0]).toHaveLength(3);
  },
);

test('46-2 Events name each change of a port, and a restart repeats none', async () => {
  await api.group({members: FOUR.slice(0, 1), ports: [HTTP]});
  api.prober.report('');
  await api.settle();
  api.prober.report('', 'connection refused', {times: 3});
  await api.settle();
  const texts = [
    'MemberNotReady: 10.0.0.1 at port http 80/TCP is not ready: connection refused',
    'MemberReady: 10.0.0.1 at port http 80/TCP is ready',
  ];
  expect(await api.eventTexts()).toEqual(texts);
  await api.restart();
  expect(await api.eventTexts()).toEqual(texts);
  const [event] = (await api.events.send('list', '')).body.items;
  expect(event).toMatchObject({
    involvedObject: {kind: 'EndpointGroup', name: 'web', apiVersion: 'platform.io/v1alpha1'},
    source: {component: 'endpoint-group-controller'},
  });
});

test('46-2 Events come after the Endpoints that they are about, also when these could not be written at once', async () => {
  await api.group({members: FOUR.slice(0, 1), ports: [HTTP]});
  const {scheduler} = api.memory.api.services;
  vi.spyOn(scheduler, 'turn').mockRejectedValueOnce(new Error('no turn'));
  api.prober.report('');
  await api.work();
  expect([await api.addresses(), await api.eventTexts()]).toEqual([[[], ['10.0.0.1']], []]);
  api.time.advance(60_000); // the retry
  await api.settle();
  expect([await api.addresses(), await api.eventTexts()]).toEqual([
    [['10.0.0.1'], []],
    ['MemberReady: 10.0.0.1 at port http 80/TCP is ready'],
  ]);
});

describe('46-2 panic', () => {
  test('keeps all members in that fail when too few pass, but not those that never passed', async () => {
    await api.group({members: FOUR, ports: [HTTP], panicThresholdPercent: 50});
    for (const {ip} of FOUR.slice(0, 3)) api.prober.report(ip);
    await api.settle();
    api.prober.report('10.0.0.1', 'refused', {times: 3});
    await api.settle();
    expect([await api.addresses(), (await api.conditions()).Panic]).toEqual([
      [
        ['10.0.0.2', '10.0.0.3'],
        ['10.0.0.1', '10.0.0.4'],
      ],
      ['False', 'EnoughPass'],
    ]);
    api.prober.report('10.0.0.2', 'refused', {times: 3});
    await api.settle();
    expect([await api.addresses(), (await api.conditions()).Panic]).toEqual([
      [['10.0.0.1', '10.0.0.2', '10.0.0.3'], ['10.0.0.4']],
      ['True', 'TooFewPass'],
    ]);
    expect(await api.status()).toMatchObject({ready: 1, total: 4});
    expect(await api.eventTexts()).toContain(
      'Panic: 1 of 3 members pass at port http, fewer than 50 %: none is taken out',
    );
    const before = await api.stored();
    await api.restart();
    expect(await api.stored()).toEqual(before);
    api.prober.report('10.0.0.2');
    await api.settle();
    expect((await api.addresses())[1]).toEqual(['10.0.0.1', '10.0.0.4']);
    expect(await api.eventTexts()).toContain('PanicOver: Members whose checks fail are taken out again');
  });

  test('is off without a threshold', async () => {
    await api.group({members: FOUR, ports: [HTTP]});
    api.prober.report('', 'refused', {times: 3});
    await api.settle();
    expect([(await api.addresses())[0], (await api.conditions()).Panic]).toEqual([[], undefined]);
  });
});

describe('46-2 a restart', () => {
  test('keeps states, times and results, and writes nothing', async () => {
    await api.group({members: FOUR, ports: [HTTP], panicThresholdPercent: 10});
    api.prober.report('10.0.0.1');
    api.prober.report('10.0.0.2', 'HTTP 503', {times: 3});
    await api.settle();
    const before = [await api.stored(), await api.status()];
    api.time.advance(3_600_000);
    await api.restart();
    expect([await api.stored(), await api.status()]).toEqual(before);
    expect(api.prober.targets.size).toBe(4);
  });

  test('saves what a rest of the status held back', async () => {
    await api.group({members: FOUR, ports: [HTTP]});
    api.prober.report('10.0.0.1');
    await api.work();
    api.time.advance(60);
    api.prober.report('10.0.0.2');
    await api.work();
    expect((await api.status()).ready).toBe(1);
    await api.restart();
    expect([(await api.status()).ready, await api.addresses()]).toEqual([
      2,
      [
        ['10.0.0.1', '10.0.0.2'],
        ['10.0.0.3', '10.0.0.4'],
      ],
    ]);
  });

  test('after a kill between the Endpoints and the status believes the Endpoints', async () => {
    await api.group({members: FOUR, ports: [{...HTTP, check: {failureThreshold: 1}}]});
    api.prober.report('');
    await api.work();
    api.time.advance(60);
    api.prober.report('10.0.0.2', 'refused');
    await api.work();
    expect([(await portOf(1)).state, await api.addresses()]).toMatchObject(['Ready', [{}, ['10.0.0.2']]]);
    const before = await version();
    await api.restart({isKilled: true});
    expect([await version(), (await portOf(1)).state, (await api.addresses())[1]]).toEqual([
      before,
      'NotReady',
      ['10.0.0.2'],
    ]);
  });

  test('after a kill between the Endpoints and the first state in the status keeps in who has just come in', async () => {
    await api.group({members: FOUR.slice(0, 2), ports: [{...HTTP, check: {failureThreshold: 1}}]});
    api.prober.report('10.0.0.1');
    await api.work();
    api.time.advance(60);
    api.prober.report('10.0.0.2');
    await api.work();
    const both = [['10.0.0.1', '10.0.0.2'], []];
    expect([(await portOf(1)).state, await api.addresses()]).toEqual(['Starting', both]);
    const before = await version();
    await api.restart({isKilled: true});
    expect([await version(), (await portOf(1)).state, await api.addresses()]).toEqual([before, 'Ready', both]);
  });

  test('after a kill in a panic keeps in who failed from the start, and the panic', async () => {
    const check = {failureThreshold: 1};
    await api.group({members: FOUR, ports: [{...HTTP, check}], panicThresholdPercent: 60});
    api.prober.report('10.0.0.1');
    for (const ip of ['10.0.0.2', '10.0.0.3']) api.prober.report(ip, 'refused');
    await api.work();
    api.time.advance(60);
    api.prober.report('10.0.0.4', 'refused');
    await api.work();
    expect([(await portOf(3)).state, (await api.addresses())[0]]).toMatchObject(['Starting', {length: 4}]);
    const before = await version();
    await api.restart({isKilled: true});
    expect([await version(), (await portOf(3)).state, (await api.addresses())[1]]).toEqual([before, 'NotReady', []]);
    expect((await api.conditions()).Panic[0]).toBe('True');
  });

  test('after a kill before a port with a new name is composed starts no member again', async () => {
    await api.group({members: FOUR, ports: [HTTP]});
    api.prober.report('');
    api.prober.report('10.0.0.2', 'refused', {times: 3});
    await api.settle();
    const {scheduler} = api.memory.api.services;
    vi.spyOn(scheduler, 'turn').mockRejectedValueOnce(new Error('no turn')); // nothing is composed before the kill
    await api.groups.put('web', {spec: {members: FOUR, ports: [{...HTTP, name: 'renamed'}]}});
    await api.work();
    expect((await api.subsets())[0].ports[0].name).toBe('http');
    await api.restart({isKilled: true});
    expect((await api.subsets())[0].ports[0].name).toBe('renamed');
    expect((await api.addresses())[1]).toEqual(['10.0.0.2']);
  });

  test('finds no state in the status that the Endpoints do not know yet', async () => {
    await api.group({members: FOUR, ports: [{...HTTP, check: {failureThreshold: 1}}]});
    api.prober.report('');
    await api.settle();
    const {since} = await portOf(1);
    api.time.advance(5_000);
    api.prober.report('10.0.0.1', 'refused');
    await api.work();
    api.time.advance(60);
    api.prober.report('10.0.0.3', 'refused');
    await api.work(); // the Endpoints are written, the status rests
    api.prober.report('10.0.0.2', 'refused'); // now the Endpoints rest, too
    await api.restart(); // its stop saves the status
    expect([await portOf(1), (await api.addresses())[1]]).toEqual([
      expect.objectContaining({state: 'Ready', since}),
      ['10.0.0.1', '10.0.0.3'],
    ]);
  });

  test('after a kill at the end of a panic believes the Endpoints, too, and takes nobody back in', async () => {
    const check = {failureThreshold: 1};
    await api.group({members: FOUR, ports: [{...HTTP, check}], panicThresholdPercent: 50});
    api.prober.report('');
    for (const ip of ['10.0.0.2', '10.0.0.3']) api.prober.report(ip, 'refused');
    await api.settle();
    api.prober.report('10.0.0.4', 'refused');
    await api.work();
    expect([await api.addresses(), (await api.conditions()).Panic[0]]).toMatchObject([[{length: 4}, []], 'True']);
    api.time.advance(60);
    api.prober.report('10.0.0.2');
    await api.work();
    const calm = [ips('10.0.0.1', '10.0.0.2'), ips('10.0.0.3', '10.0.0.4')].map(list => list.map(({ip}) => ip));
    expect([await api.addresses(), (await api.conditions()).Panic[0]]).toEqual([calm, 'True']);
    const {metadata} = await api.endpoints.get('web');
    await api.restart({isKilled: true});
    expect([await api.addresses(), (await api.conditions()).Panic[0]]).toEqual([calm, 'False']);
    expect((await api.endpoints.get('web')).metadata.resourceVersion).toBe(metadata.resourceVersion);
  });
});
