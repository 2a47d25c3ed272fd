// SPDX-License-Identifier: Apache-2.0
/** Machines that register themselves, with the roles of deploy/registration-roles.yaml. Ref: issue 46, point 3. */
import {parseTokenFile, tokenAuthenticator, tokenTableSource} from '@palisade/apiserver';
import {afterAll, beforeAll, beforeEach, describe, expect, test} from 'vitest';
import {registrationRoles} from '../support/registration-roles.ts';
import {type AuthWire, startAuthWire} from './authz-support.ts';
import {type Answer, APPLY, type Body, freshName, MERGE} from './support.ts';

const TOKENS = `admin-token,admin,,"system:masters"
m1-token,m1,,machines
m2-token,m2,,machines
operator-token,operator,,operators
stranger-token,stranger,
`;
const REGISTRATIONS = '/apis/platform.io/v1alpha1/namespaces/default/endpointregistrations';
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
const SPEC = {group: 'web', addresses: ['10.0.0.1']};
const lease = (renewTime: string): Body => ({spec: {holderIdentity: 'm1', leaseDurationSeconds: 30, renewTime}});

let wire: AuthWire;
let name = '';
let made: Body;
beforeAll(async () => {
  wire = await startAuthWire({authenticator: tokenAuthenticator([tokenTableSource(parseTokenFile(TOKENS))])});
  for (const {path, body} of registrationRoles()) {
    const answer = await wire.as('admin', 'POST', path, {body});
    expect(answer.status, answer.text).toBe(201);
  }
});
afterAll(() => wire[Symbol.asyncDispose]());

beforeEach(async () => {
  name = freshName();
  made = (await wire.as('m1', 'POST', REGISTRATIONS, {body: {metadata: {name}, spec: SPEC}})).body;
  await wire.as('m1', 'POST', LEASES, {body: {metadata: {name}, ...lease('2026-01-01T00:00:00.000000Z')}});
});

const patch = (user: string, path: string, body: unknown, type = MERGE): Promise<Answer> =>
  wire.as(user, 'PATCH', path, {
    body: JSON.stringify(body),
    headers: {'content-type': type},
    ...(type === APPLY && {query: {fieldManager: 'm', force: 'true'}}),
  });
const stored = async (path: string): Promise<Body> => (await wire.as('admin', 'GET', path)).body;
const forbidden = (user: string): string =>
  `endpointregistrations.platform.io "${name}" is forbidden: User "${user}" cannot manage resource "endpointregistrations" in API group "platform.io" in the namespace "default"`;

const whole = (content: object): Body => ({
  apiVersion: 'platform.io/v1alpha1',
  kind: 'EndpointRegistration',
  metadata: {name},
  ...content,
});

type Attempt = (user: string) => Promise<Answer>;
const at = (): string => `${REGISTRATIONS}/${name}`;
const OF_THE_REGISTRATION: Readonly<Record<string, Attempt>> = {
  'take it over': user => wire.as(user, 'PUT', at(), {body: whole({spec: {...SPEC, addresses: ['10.6.6.6']}})}),
  'change its addresses': user => patch(user, at(), {spec: {addresses: ['10.6.6.6']}}),
  'apply over it': user => patch(user, at(), whole({spec: {...SPEC, addresses: ['10.6.6.6']}}), APPLY),
  'drain it': user => patch(user, at(), {spec: {draining: true}}),
  'keep it from going': user => patch(user, at(), {metadata: {finalizers: ['example.com/x']}}),
  'delete it': user => wire.as(user, 'DELETE', at()),
};
const OF_THE_LEASE: Readonly<Record<string, Attempt>> = {
  'renew its Lease': user => patch(user, `${LEASES}/${name}`, lease('2026-01-01T00:00:10.000000Z')),
  'apply its Lease': user =>
    patch(
      user,
      `${LEASES}/${name}`,
      {apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: {name}, ...lease('2026-01-01T00:00:20.000000Z')},
      APPLY,
    ),
};
const ATTEMPTS = Object.entries({...OF_THE_REGISTRATION, ...OF_THE_LEASE});

describe('46-3 a machine', () => {
  test('owns what it registers', () => expect(made.spec.user).toBe('m1'));

  test.each(ATTEMPTS)('may %s, if it is its own', async (_, attempt) => expect((await attempt('m1')).status).toBe(200));

  test.each(ATTEMPTS)('can not %s, if it is of another machine', async (_, attempt) => {
    const before = [await stored(at()), await stored(`${LEASES}/${name}`)];
    const answer = await attempt('m2');
    expect([answer.status, answer.body.reason, answer.body.message]).toEqual([403, 'Forbidden', forbidden('m2')]);
    expect(answer.body.details).toEqual({name, group: 'platform.io', kind: 'endpointregistrations'});
    expect([await stored(at()), await stored(`${LEASES}/${name}`)]).toEqual(before);
  });

  test('can not create the Lease of another machine', async () => {
    await wire.as('admin', 'DELETE', `${LEASES}/${name}`);
    const post = await wire.as('m2', 'POST', LEASES, {body: {metadata: {name}}});
    const put = await wire.as('m2', 'PUT', `${LEASES}/${name}`, {body: {metadata: {name}}});
    for (const answer of [post, put]) expect([answer.status, answer.body.message]).toEqual([403, forbidden('m2')]);
    expect((await wire.as('m1', 'POST', LEASES, {body: {metadata: {name}}})).status).toBe(201);
  });

  test('reads those of others, and registers under other names', async () => {
    expect((await wire.as('m2', 'GET', at())).status).toBe(200);
    const other = freshName();
    const {status, body} = await wire.as('m2', 'POST', REGISTRATIONS, {body: {metadata: {name: other}, spec: SPEC}});
    expect([status, body.spec.user]).toEqual([201, 'm2']);
  });

  test('gets 404 for what is gone, also for its own', async () => {
    await wire.as('m1', 'DELETE', at());
    for (const user of ['m1', 'm2']) expect((await wire.as(user, 'DELETE', at())).status).toBe(404);
  });

  test('is meant by who impersonates it, and then has no more rights than it', async () => {
    const headers = {'impersonate-user': 'm2', 'impersonate-group': 'machines'};
    expect((await wire.as('admin', 'DELETE', at(), {headers})).body.message).toBe(forbidden('m2'));
    const body = {metadata: {name: freshName()}, spec: SPEC};
    expect((await wire.as('admin', 'POST', REGISTRATIONS, {body, headers})).body.spec.user).toBe('m2');
  });
});

describe('46-3 an operator', () => {
  test.each(Object.entries(OF_THE_REGISTRATION))('may %s', async (_, attempt) => {
    const answer = await attempt('operator');
    expect(answer.status, answer.text).toBe(200);
    const now = await stored(at());
    if (now.spec !== undefined) expect(now.spec.user).toBe('m1');
  });

  test('may delete all of a group at once, which a machine may not', async () => {
    for (const user of ['m1', 'm2']) {
      const body = {metadata: {name: freshName()}, spec: {...SPEC, group: 'old'}};
      await wire.as(user, 'POST', REGISTRATIONS, {body});
    }
    const query = {fieldSelector: 'spec.group=old'};
    const {status, body} = await wire.as('m1', 'DELETE', REGISTRATIONS, {query});
    expect([status, body.message]).toEqual([403, expect.stringContaining('User "m1" cannot deletecollection')]);
    expect((await wire.as('operator', 'DELETE', REGISTRATIONS, {query})).body.items).toHaveLength(2);
    expect((await wire.as('admin', 'GET', REGISTRATIONS, {query})).body.items).toEqual([]);
  });
});

test('46-3 who has no role learns nothing, not even that it is of another', async () => {
  for (const [there, path] of [
    [name, at()],
    ['nobody', `${REGISTRATIONS}/nobody`],
  ])
    expect((await wire.as('stranger', 'DELETE', path as string)).body.message).toBe(
      `endpointregistrations.platform.io "${there}" is forbidden: User "stranger" cannot delete resource "endpointregistrations" in API group "platform.io" in the namespace "default"`,
    );
});
