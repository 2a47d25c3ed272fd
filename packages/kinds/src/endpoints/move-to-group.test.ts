// SPDX-License-Identifier: Apache-2.0
/** The move from one shared Endpoints object to registrations, as docs/reference/kinds.md has it. */
import {type Body, MemoryApi, type Resource} from '@palisade/apiserver/testing';
import {beforeEach, expect, onTestFinished, test} from 'vitest';
import {noProber} from '../checks/prober.ts';
import {createKubeModule} from '../index.ts';
import {DEFAULT_KIND_SETTINGS} from '../settings.ts';

const OLD = {addresses: [{ip: '10.0.0.1'}], ports: [{name: 'http', port: 80, protocol: 'TCP'}]};
const ALL = [{...OLD, addresses: [{ip: '10.0.0.1'}, {ip: '10.0.0.2'}]}];

let api: MemoryApi;
let endpoints: Resource;
let groups: Resource;
let group: Body;

const settle = async (): Promise<void> => {
  for (let i = 0; i < 3; i++) {
    await api.settle();
    api.time.advance(350);
  }
  await api.settle();
};
const composed = async (): Promise<string> => (await groups.get('web')).status.conditions[0].reason;

beforeEach(async () => {
  const {kinds, controllers, bootstraps} = createKubeModule(DEFAULT_KIND_SETTINGS, {prober: noProber});
  const opened = await MemoryApi.open({kinds, controllers, bootstraps});
  onTestFinished(() => opened[Symbol.asyncDispose]());
  api = opened;
  const of = (resource: string): Resource => {
    const kind = kinds.find(each => each.resource === resource);
    if (kind === undefined) throw new Error(resource);
    return api.of(kind, 'default');
  };
  endpoints = of('endpoints');
  groups = of('endpointgroups');
  await settle();
  const annotations = {'platform.io/address-ownership': 'per-address', note: 'mine'};
  await endpoints.make({name: 'web', annotations}, {subsets: [OLD]});
  for (const ip of ['10.0.0.1', '10.0.0.2'])
    await of('endpointregistrations').make({name: `web-${ip}`}, {spec: {group: 'web', addresses: [ip]}});
  const spec = {selector: {matchLabels: {'platform.io/group': 'web'}}, ports: [{name: 'http', port: 80}]};
  group = await groups.make({name: 'web'}, {spec});
  await settle();
});

test('46-4 the old Endpoints serve until they are deleted; then the group has its own', async () => {
  expect(await composed()).toBe('NameConflict');
  expect((await endpoints.get('web')).subsets).toEqual([OLD]);
  await endpoints.remove('web');
  await settle();
  expect((await endpoints.get('web')).subsets).toEqual(ALL);
  expect(await composed()).toBe('Composed');
});

test('46-4 Endpoints that are given to the group by an owner reference are its own; only subsets change', async () => {
  const {uid} = group.metadata;
  const owner = {apiVersion: 'platform.io/v1alpha1', kind: 'EndpointGroup', name: 'web', uid};
  await endpoints.merge('web', {
    annotations: {'platform.io/address-ownership': null},
    ownerReferences: [{...owner, controller: true, blockOwnerDeletion: true}],
  });
  await settle();
  const {metadata, subsets} = await endpoints.get('web');
  expect([metadata.annotations, subsets]).toEqual([{note: 'mine'}, ALL]);
  expect(await composed()).toBe('Composed');
});
