// SPDX-License-Identifier: Apache-2.0
/** What an EndpointRegistration may say, and what the server says in it. Ref: issue 46, point 3. */
import {MemoryApi, type Resource} from '@palisade/apiserver/testing';
import {afterEach, beforeEach, describe, expect, test} from 'vitest';
import {namespacesKind} from '../namespaces/kind.ts';
import {endpointRegistrationsKind} from './kind.ts';
import type {EndpointRegistrationSpec} from './types.ts';
import {validateRegistration} from './validate.ts';

let api: MemoryApi;
let registrations: Resource;
beforeEach(async () => {
  api = await MemoryApi.open({kinds: [endpointRegistrationsKind, namespacesKind]});
  await api.of(namespacesKind).make({name: 'default'});
  registrations = api.of(endpointRegistrationsKind).as('m1', 'system:masters');
});
afterEach(() => api[Symbol.asyncDispose]());

const SPEC = {group: 'web', addresses: ['10.0.0.1']};
const LABEL = 'platform.io/group';

describe('46-3 the rules of a registration', () => {
  const faults = (spec: EndpointRegistrationSpec, before?: EndpointRegistrationSpec): string[] =>
    validateRegistration(spec, before).map(({path, type}) => `${path}: ${type}`);

  test.each<EndpointRegistrationSpec>([
    SPEC,
    {...SPEC, addresses: ['10.0.0.1', '2001:db8::1'], hostname: 'one', nodeName: 'one.example', draining: true},
    {...SPEC, ttlSeconds: 1, removeAfterSeconds: 1},
    {...SPEC, ttlSeconds: 86_400, removeAfterSeconds: 2_592_000},
    {...SPEC, addresses: Array.from({length: 16}, (_, i) => `10.0.0.${i}`)},
    {...SPEC, ports: [{port: 80, protocol: 'TCP', check: {tcpSocket: {}}}]},
    {...SPEC, group: 'a'.repeat(63)},
  ])('%j is good', spec => expect(faults(spec)).toEqual([]));

  test.each<[EndpointRegistrationSpec, readonly string[]]>([
    [{}, ['spec.group: FieldValueRequired', 'spec.addresses: FieldValueRequired']],
    [
      {
        group: 'Web',
        addresses: ['10.0.0.1', '127.0.0.1', 'x'],
        hostname: 'a.b',
        nodeName: 'A',
        ports: [{port: 0, protocol: 'ICMP'}],
        ttlSeconds: 86_401,
        removeAfterSeconds: -1,
      },
      [
        'spec.group: FieldValueInvalid',
        'spec.addresses[1]: FieldValueInvalid',
        'spec.addresses[2]: FieldValueInvalid',
        'spec.hostname: FieldValueInvalid',
        'spec.nodeName: FieldValueInvalid',
        'spec.ports[0].port: FieldValueInvalid',
        'spec.ports[0].protocol: FieldValueNotSupported',
        'spec.ttlSeconds: FieldValueInvalid',
        'spec.removeAfterSeconds: FieldValueInvalid',
      ],
    ],
    [{...SPEC, group: 'a'.repeat(64)}, ['spec.group: FieldValueInvalid']],
    [
      {...SPEC, ttlSeconds: 0, removeAfterSeconds: 2_592_001},
      ['spec.ttlSeconds: FieldValueInvalid', 'spec.removeAfterSeconds: FieldValueInvalid'],
    ],
    [
      {...SPEC, addresses: ['10.0.0.1', '::ffff:10.0.0.1']},
      ['spec.addresses[1]: FieldValueInvalid', 'spec.addresses[1]: FieldValueDuplicate'],
    ],
    [{...SPEC, addresses: Array.from({length: 17}, (_, i) => `10.0.0.${i}`)}, ['spec.addresses: FieldValueTooMany']],
  ])('%j is refused with all faults', (spec, texts) => expect(faults(spec)).toEqual(texts));

  test.each(['127.0.0.1', '::1', '169.254.1.1', 'fe80::1', '224.0.0.1', 'ff02::1', '0.0.0.0', '010.0.0.1'])(
    'E-061 %s is no address of a machine',
    ip => expect(faults({...SPEC, addresses: [ip]})).toEqual(['spec.addresses[0]: FieldValueInvalid']),
  );

  test('E-066 an address that is stored stays valid', () =>
    expect(faults({...SPEC, addresses: ['010.0.0.1']}, {...SPEC, addresses: ['010.0.0.1']})).toEqual([]));
});

test('46-3 ttlSeconds and removeAfterSeconds have defaults, and it is live at once', async () => {
  const {spec, status, metadata} = await registrations.make({name: 'a'}, {spec: SPEC});
  expect(spec).toEqual({...SPEC, user: 'm1', ttlSeconds: 30, removeAfterSeconds: 600});
  expect(status).toEqual({state: 'Live'});
  expect([metadata.labels, metadata.generation]).toEqual([{[LABEL]: 'web'}, 1]);
});

test('46-3 the user is who created it, whatever is sent then or later', async () => {
  const made = await registrations.make({name: 'a'}, {spec: {...SPEC, user: 'other'}, status: {state: 'Expired'}});
  expect([made.spec.user, made.status]).toEqual(['m1', {state: 'Live'}]);
  expect(JSON.stringify(made.metadata.managedFields)).not.toMatch(/f:user|f:status/);
  for (const user of ['other', ''])
    expect((await registrations.as('admin', 'system:masters').put('a', {spec: {...SPEC, user}})).body.spec.user).toBe(
      'm1',
    );
  const {body} = await registrations.patch('a', 'merge', {spec: {user: null}, status: {state: 'Expired'}});
  expect([body.spec.user, body.status, body.metadata.generation]).toEqual(['m1', {state: 'Live'}, 1]);
  expect(JSON.stringify(body.metadata.managedFields)).not.toMatch(/f:user|f:status/);
});

test('46-3 the group is its label: neither can be taken away or changed, and nobody owns the label', async () => {
  await registrations.make({name: 'a', labels: {[LABEL]: 'db', x: '1'}}, {spec: SPEC});
  const label = async (): Promise<unknown> => (await registrations.get('a')).metadata.labels;
  expect(await label()).toEqual({x: '1', [LABEL]: 'web'});
  await registrations.merge('a', {labels: {[LABEL]: null, x: null}});
  expect(await label()).toEqual({[LABEL]: 'web'});
  await registrations.put('a', {metadata: {name: 'a'}, spec: SPEC});
  expect(await label()).toEqual({[LABEL]: 'web'});
  for (const labels of [{[LABEL]: 'db', y: '2'}, {y: '2'}, {}]) {
    const {status, body} = await registrations.apply('m', 'a', {metadata: {name: 'a', labels}, spec: SPEC});
    expect([status, body.metadata.labels[LABEL]]).toEqual([200, 'web']);
    expect(JSON.stringify(body.metadata.managedFields)).not.toContain(LABEL);
  }
  await registrations.send('patch', 'a', {
    subresource: 'status',
    type: 'application/merge-patch+json',
    body: {metadata: {labels: {[LABEL]: 'db'}}, status: {state: 'Expired'}},
  });
  expect(await label()).toEqual({[LABEL]: 'web'});
  const {status, body} = await registrations.patch('a', 'merge', {spec: {group: 'db'}});
  expect([status, body.message]).toEqual([
    422,
    'EndpointRegistration.platform.io "a" is invalid: spec.group: Invalid value: "db": field is immutable',
  ]);
});

test('46-3 a change of the spec counts as a generation, a change of labels does not', async () => {
  await registrations.make({name: 'a'}, {spec: SPEC});
  expect((await registrations.merge('a', {labels: {x: '1'}})).body.metadata.generation).toBe(1);
  expect((await registrations.patch('a', 'merge', {spec: {draining: true}})).body.metadata.generation).toBe(2);
});

test('46-3 a group that cannot be a label is refused as a field of the spec', async () => {
  const {status, body} = await registrations.post({name: 'a'}, {spec: {...SPEC, group: 'a_b'}});
  expect([status, body.details.causes.map(({field}: {field: string}) => field)]).toEqual([422, ['spec.group']]);
});

test('46-3 the table has the state, and with -o wide user and TTL', async () => {
  const {columns, cells} = endpointRegistrationsKind.strategy.table;
  expect(columns.map(({name, priority}) => `${name}${priority}`)).toEqual([
    'Name0',
    'Group0',
    'Addresses0',
    'State0',
    'Age0',
    'User1',
    'TTL1',
  ]);
  const made = await registrations.make({name: 'a'}, {spec: {...SPEC, addresses: ['10.0.0.1', '10.0.0.2']}});
  expect(cells(made, api.time.now())).toEqual(['a', 'web', '10.0.0.1,10.0.0.2', 'Live', '0s', 'm1', '30s']);
  const draining = await registrations.make({name: 'b'}, {spec: {...SPEC, draining: true}});
  expect(cells(draining, api.time.now())[3]).toBe('Live,Draining');
});

test('46-3 selectors find registrations by group, user and state', async () => {
  await registrations.make({name: 'a'}, {spec: SPEC});
  await registrations.as('m2', 'system:masters').make({name: 'b'}, {spec: {...SPEC, group: 'db'}});
  const found = (fieldSelector: string): Promise<readonly string[]> => registrations.names({fieldSelector});
  expect(await found('spec.group=web')).toEqual(['a']);
  expect(await found('spec.user=m2')).toEqual(['b']);
  expect(await found('status.state=Live')).toEqual(['a', 'b']);
  expect(await found('status.state=Expired')).toEqual([]);
  expect(await registrations.names({labelSelector: `${LABEL}=db`})).toEqual(['b']);
});
