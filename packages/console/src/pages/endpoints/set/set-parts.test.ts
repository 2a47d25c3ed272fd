// SPDX-License-Identifier: Apache-2.0
import type {AuditEntry} from '@palisade/client/browser';
import {expect, test} from 'vitest';
import {matchingAudit, toAuditRow} from './audit/audit-row.ts';
import {matchingEvents, toEventRow} from './events/event-row.ts';
import {addressesText, setStateOf} from './set-state.ts';
import {canHaveSlices, toSliceRow} from './slices/slices.ts';

const [A, B] = [{ip: '10.0.0.1'}, {ip: '10.0.0.2'}];
test.each([
  ['Ready', {subsets: [{addresses: [A, B]}]}],
  ['Partly ready', {subsets: [{addresses: [A], notReadyAddresses: [B]}]}],
  ['Partly ready', {subsets: [{addresses: [A]}, {notReadyAddresses: [A]}]}],
  ['Not ready', {subsets: [{notReadyAddresses: [A]}]}],
  ['No addresses', {subsets: []}],
  ['Being deleted', {metadata: {deletionTimestamp: '2026-11-28T10:00:00Z'}, subsets: [{addresses: [A]}]}],
])('49-3 the state of a set is %s', (word, object) => expect(setStateOf(object).word).toBe(word));

test('49-3 events are those of the set and of its group, the newest first', () => {
  const event = (kind: string, name: string, time: string) =>
    toEventRow({metadata: {name}, involvedObject: {kind}, reason: name, lastTimestamp: time, type: 'Warning'});
  const rows = [
    event('Endpoints', 'old', '2026-11-28T10:00:00Z'),
    event('Service', 'other', '2026-11-28T10:00:01Z'),
    event('EndpointGroup', 'new', '2026-11-28T10:00:02Z'),
  ];
  expect(matchingEvents(rows, '').map(({key}) => key)).toEqual(['new', 'old']);
  expect(matchingEvents(rows, 'OLD').map(({key}) => key)).toEqual(['old']);
});

test('49-3 a name longer than a label belongs to a set without slices', () =>
  expect(['a'.repeat(63), 'a'.repeat(64)].map(canHaveSlices)).toEqual([true, false]));

test('49-3 an endpoint of a slice is ready unless it says otherwise', () => {
  const endpoints = [{conditions: {ready: false}}, {conditions: {}}, {}];
  expect(toSliceRow({endpoints, ports: [{name: 'dns', port: 53, protocol: 'UDP'}]})).toMatchObject({
    ...{ready: 2, total: 3, ports: 'dns:53/UDP'},
  });
  expect(toSliceRow({endpoints: null, ports: null})).toMatchObject({ready: 0, total: 0, ports: ''});
});

test('49-3 an audit entry names who acted and for whom; the filter finds both', () => {
  const entry: AuditEntry = {
    ...{auditID: 'a', stage: 'ResponseComplete', requestReceivedTimestamp: '', stageTimestamp: '', requestURI: ''},
    ...{verb: 'update', user: {username: 'alice'}, impersonatedUser: {username: 'deployer'}},
    ...{objectRef: {subresource: 'status'}, responseStatus: {code: 403}},
  };
  const row = toAuditRow(entry);
  expect(row).toMatchObject({user: 'alice as deployer', verb: 'update status', code: 403});
  expect(matchingAudit([row], 'DEPLOYER 403')).toEqual([row]);
  expect(matchingAudit([row], 'bob')).toEqual([]);
});

test.each([
  ['/api/v1/namespaces/a/endpoints/web?dryRun=All&fieldManager=x', 'Mozilla/5.0 (X11; Linux)', true, 'browser'],
  ['/api/v1/namespaces/a/endpoints/web?fieldManager=dryRun%3DAll', 'kubectl/v1.34.1 (linux/amd64)', false, 'kubectl'],
  ['/api/v1/namespaces/a/endpoints/web', 'palisade', false, 'palisade'],
  ['/api/v1/namespaces/a/endpoints/web', '', false, ''],
])('49-3 an audit entry of %s by %s: dry run %s, client %s', (requestURI, userAgent, isDryRun, client) => {
  const entry: AuditEntry = {
    ...{auditID: 'a', stage: 'ResponseComplete', requestReceivedTimestamp: '', stageTimestamp: '', requestURI},
    ...{verb: 'update', user: {username: 'alice'}, userAgent},
  };
  const row = toAuditRow(entry);
  expect(row).toMatchObject({isDryRun, client, from: userAgent});
  expect(matchingAudit([row], 'dry run')).toHaveLength(isDryRun ? 1 : 0);
});

test.each([
  [0, 0, 'The set has no addresses.'],
  [1, 1, 'The set has 1 address, which is ready.'],
  [0, 1, 'The set has 1 address, which is not ready.'],
  [2, 3, 'The set has 3 addresses, 2 of them ready.'],
])('49-3 %i of %i addresses in words', (ready, total, text) => expect(addressesText({ready, total})).toBe(text));
