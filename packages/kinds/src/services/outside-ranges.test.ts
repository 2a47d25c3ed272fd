// SPDX-License-Identifier: Apache-2.0
/** Ref: issue 45, point 1: ranges that change between two starts. */
import {MemoryApi} from '@palisade/apiserver/testing';
import {openMemoryStore} from '@palisade/store/memory';
import {expect, test} from 'vitest';
import {endpointsKind} from '../endpoints/kind.ts';
import {namespacesModule} from '../namespaces/index.ts';
import {DEFAULT_KIND_SETTINGS, type KindSettings} from '../settings.ts';
import {servicesModule} from './index.ts';
import {outsideOf} from './outside-ranges.ts';

const RANGES = {serviceIpRanges: ['10.96.0.0/20', 'fd00:10:96::/112'], nodePorts: {first: 30_000, last: 30_100}};

test.each([
  {spec: {clusterIPs: ['10.96.15.255', 'fd00:10:96::ffff'], ports: [{nodePort: 30_100}]}, outside: false},
  {spec: {clusterIPs: ['None'], ports: [{}]}, outside: false},
  {spec: {}, outside: false},
  {spec: {clusterIPs: ['10.96.16.0']}, outside: true},
  {spec: {clusterIPs: ['10.96.1.1', 'fd00:10:96::1:0']}, outside: true},
  {spec: {clusterIPs: ['10.96.1.1'], ports: [{nodePort: 30_101}]}, outside: true},
])('45-1 $spec: outside $outside', ({spec, outside}) => {
  expect(outsideOf(RANGES)(spec as never)).toBe(outside);
});

test('45-1 a start with other ranges changes no Service and names those outside of them', async () => {
  const store = await openMemoryStore();
  const warned: object[] = [];
  const log = {debug: () => {}, info: () => {}, error: () => {}, warn: (fields: object) => warned.push(fields)};
  const start = async (settings: KindSettings) => {
    const own = servicesModule(settings);
    const modules = [namespacesModule, own];
    const api = await MemoryApi.open({
      store,
      kinds: [endpointsKind, ...modules.flatMap(({kinds}) => kinds)],
      bootstraps: modules.flatMap(({bootstraps}) => bootstraps),
      log: log as never,
    });
    const [kind] = own.kinds;
    if (kind === undefined) throw new Error('no kind services');
    return {api, services: api.of(kind)};
  };
  const before = await start(DEFAULT_KIND_SETTINGS);
  const {clusterIP} = (await before.services.make({name: 'a'}, {spec: {ports: [{port: 80}]}})).spec;
  await before.api.api.stop();
  expect(warned).toEqual([]);
  const after = await start({...DEFAULT_KIND_SETTINGS, serviceIpRanges: ['10.50.0.0/24']});
  await using _ = after.api;
  expect((await after.services.get('a')).spec.clusterIP).toBe(clusterIP);
  expect(warned).toMatchObject([{count: 2, services: ['default/a', 'default/kubernetes']}]);
});
