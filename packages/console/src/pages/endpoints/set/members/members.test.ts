// SPDX-License-Identifier: Apache-2.0
import type {Endpoints} from '@palisade/client/browser';
import {expect, test} from 'vitest';
import {squaresText} from '../../../../ui/data/squares.tsx';
import {pollMsOf, squaresOf} from '../../../groups/model/checks.ts';
import type {EndpointGroup} from '../../../groups/model/kinds.ts';
import {groupCommand, groupOf} from './group.ts';
import {matchingMembers, membersOf} from './members.ts';

const HTTP = {name: 'http', port: 8080, protocol: 'TCP'};
const DNS = {port: 53, protocol: 'UDP'};
const SET: Endpoints = {
  metadata: {name: 'web', namespace: 'shop'},
  subsets: [
    {
      addresses: [
        {ip: '10.0.0.1', nodeName: 'n1', targetRef: {kind: 'Pod', namespace: 'shop', name: 'web-1'}},
        {ip: '10.0.0.3'},
      ],
      notReadyAddresses: [{ip: '10.0.0.2', hostname: 'two'}],
      ports: [HTTP, DNS],
    },
  ],
};
const TIME = '2026-11-28T10:00:00Z';
const GROUP: EndpointGroup = {
  status: {
    members: [
      {ip: '10.0.0.1', ports: [{...HTTP, state: 'Ready', since: TIME, results: [{time: TIME, passed: true}]}]},
      {ip: '10.0.0.2', ports: [{...HTTP, state: 'NotReady', since: TIME, lastError: 'connection refused'}]},
      {ip: '10.0.0.3', ports: [{...HTTP, state: 'NotReady', lastError: 'timed out'}]},
      {ip: '10.0.0.4', draining: true, ports: [{...HTTP, state: 'Ready'}]},
    ],
  },
};

test('49-3 without a group, one row for each address with all ports, and no times', () => {
  expect(
    membersOf(SET).map(({address, ports, state, node, target, since}) => [address, ports, state, node, target, since]),
  ).toEqual([
    ['10.0.0.1', 'http:8080, 53/UDP', 'ready', 'n1', 'Pod shop/web-1', undefined],
    ['10.0.0.3', 'http:8080, 53/UDP', 'ready', '', '', undefined],
    ['10.0.0.2', 'http:8080, 53/UDP', 'failing', '', '', undefined],
  ]);
});

test('49-3 with a group, one row for each port with its check; members that are not in the set are shown too', () => {
  const rows = membersOf({...SET, subsets: [{...SET.subsets?.[0], ports: [HTTP]}]}, GROUP);
  expect(rows.map(({address, state, since, reason}) => [address, state, since, reason])).toEqual([
    ['10.0.0.1', 'ready', TIME, ''],
    ['10.0.0.3', 'ready', undefined, 'served although its check fails; timed out'],
    ['10.0.0.2', 'failing', TIME, 'connection refused'],
    ['10.0.0.4', 'absent', undefined, 'draining'],
  ]);
  expect(new Set(rows.map(({key}) => key)).size).toBe(rows.length);
});

test('49-3 the filter looks at every text of a member; failing ones alone where asked for', () => {
  const rows = membersOf(SET);
  const found = (q: string, failing = false): string[] => matchingMembers(rows, q, failing).map(({address}) => address);
  expect(found('WEB-1')).toEqual(['10.0.0.1']);
  expect(found('two 53/udp')).toEqual(['10.0.0.2']);
  expect(found('', true)).toEqual(['10.0.0.2']);
  expect(found('absent')).toEqual([]);
});

test('49-3 checks are squares from the oldest to the newest, with a text', () => {
  const squares = squaresOf([
    {time: TIME, passed: false, milliseconds: 7, message: 'refused'},
    {time: TIME, passed: true, milliseconds: 3},
  ]);
  expect(squares.map(({state}) => state)).toEqual(['ok', 'bad']);
  expect(squaresText(squares)).toMatch(
    /^last 2 checks: 1 passed, 1 failed; the last one failed: \d\d:00:00 refused \(7 ms\)$/,
  );
});

test('the group is that of the controlling reference; results are read as often as they come, within bounds', () => {
  const owner = {apiVersion: 'platform.io/v1alpha1', kind: 'EndpointGroup', name: 'web', uid: 'u'};
  const owned = (controller: boolean): Endpoints => ({metadata: {ownerReferences: [{...owner, controller}]}});
  expect(groupOf(owned(true))?.name).toBe('web');
  expect(groupOf(owned(false))).toBeUndefined();
  expect(groupCommand('delete', 'shop', 'web')).toBe('kubectl delete endpointgroup web --namespace shop');
  expect(groupCommand('edit', 'shop', 'web')).toBe('kubectl edit endpointgroup web --namespace shop');
  const group = (periodSeconds: number): EndpointGroup => ({spec: {ports: [{port: 80, check: {periodSeconds}}]}});
  expect([1, 5, 300].map(period => pollMsOf(group(period)))).toEqual([2_000, 5_000, 15_000]);
});
