// SPDX-License-Identifier: Apache-2.0
/** What kinds warn of is what the product's prober refuses. */
import {createKubeModule, DEFAULT_KIND_SETTINGS} from '@palisade/kinds';
import {createProber} from '@palisade/prober';
import {afterAll, beforeAll, expect, test} from 'vitest';
import {startWire, type Wire} from './support.ts';

const GROUPS = '/apis/platform.io/v1alpha1/namespaces/one/endpointgroups';
const ignore = (): void => undefined;
const prober = createProber({
  ...{clock: {now: () => 0}, timers: {after: () => ({cancel: ignore})}, random: {next: () => 0}},
  ...{log: {info: ignore, warn: ignore, error: ignore}},
});

let wire: Wire;
beforeAll(async () => {
  const {kinds} = createKubeModule(DEFAULT_KIND_SETTINGS, {prober});
  wire = await startWire({module: {kinds, controllers: [], bootstraps: []}});
});
afterAll(() => wire[Symbol.asyncDispose]());

test('46-2 E-061 a group whose members no check may connect to is stored, with a Warning header for each of them', async () => {
  const refused = [
    ['239.0.0.1', 'a multicast address'],
    ['ff05::2', 'a multicast address'],
    ['255.255.255.255', 'the broadcast address'],
    ['0.0.0.1', 'an unspecified address'],
    ['64:ff9b::a00:1', 'an IPv6 address that stands for one of IPv4'],
    ['64:ff9b:1::a00:1', 'an IPv6 address that stands for one of IPv4'],
    ['fd00:ec2::254', 'an address of instance metadata'],
    ['fd20:ce::254', 'an address of instance metadata'],
    ['2002:a9fe:a9fe::', 'an IPv6 address (6to4) of a link-local address'],
  ];
  const members = [{ip: '10.0.0.1'}, {ip: 'fd00::1'}, ...refused.map(([ip]) => ({ip}))];
  const ports = [{name: 'http', port: 80, check: {tcpSocket: {}}}];
  const body = {apiVersion: 'platform.io/v1alpha1', kind: 'EndpointGroup', metadata: {name: 'web'}};
  const made = await wire.send('POST', GROUPS, {body: {...body, spec: {members, ports}}});
  expect([made.status, made.warnings]).toEqual([
    201,
    refused.map(
      ([ip, what], i) =>
        `spec.members[${i + 2}].ip: ${ip} is ${what}, which is never checked: it is not ready at ports with a check`,
    ),
  ]);
  const unchecked = {members, ports: [{name: 'http', port: 80}]};
  const other = {...body, metadata: {name: 'other'}, spec: unchecked};
  expect((await wire.send('POST', GROUPS, {body: other})).warnings).toEqual([]);
});
