// SPDX-License-Identifier: Apache-2.0
/** Who may write registrations and their Leases. Ref: issue 46, point 3; invariant 6. */
import {type Attributes, type Authorizer, type PolicyRule, ruleAllows} from '@palisade/apiserver';
import {MemoryApi, type Reply, type Resource} from '@palisade/apiserver/testing';
import {afterEach, beforeEach, describe, expect, test} from 'vitest';
import {guarded} from '../kind-guard.ts';
import {leasesKind} from '../leases/kind.ts';
import {namespacesKind} from '../namespaces/kind.ts';
import {leaseGuard} from './access.ts';
import {registrationLeases} from './controller.ts';
import {endpointRegistrationsKind} from './kind.ts';
import {REGISTRATIONS_PER_USER_MAX} from './per-user.ts';

const rule = (verbs: string, resource: string, ...resourceNames: string[]): PolicyRule => ({
  verbs: verbs.split(' '),
  apiGroups: ['*'],
  resources: [resource],
  resourceNames,
});
const MACHINE = [
  rule('create get list watch update patch delete deletecollection', 'endpointregistrations'),
  rule('create get update patch delete deletecollection', 'leases'),
];
const RULES: Readonly<Record<string, readonly PolicyRule[]>> = {
  m1: MACHINE,
  m2: MACHINE,
  operator: [...MACHINE, rule('manage', 'endpointregistrations')],
  nameOnly: [...MACHINE, rule('manage', 'endpointregistrations', 'a')],
  blind: [rule('update patch delete deletecollection', 'endpointregistrations'), rule('*', 'leases')],
  creator: [rule('create patch', 'endpointregistrations'), rule('update', 'leases')],
  noLeases: [rule('create get', 'endpointregistrations')],
};
const asked: Attributes[] = [];
const authorizer: Authorizer = {
  authorize: attributes => {
    asked.push(attributes);
    const {name, groups} = attributes.user;
    return {
      allowed: groups.includes('system:masters') || (RULES[name] ?? []).some(each => ruleAllows(each, attributes)),
    };
  },
};

let api: MemoryApi;
let registrations: Resource;
let leases: Resource;
beforeEach(async () => {
  api = await MemoryApi.open({
    kinds: [endpointRegistrationsKind, guarded(leasesKind, [leaseGuard]), namespacesKind],
    controllers: [registrationLeases],
    authorizer,
  });
  await api.of(namespacesKind).make({name: 'default'});
  registrations = api.of(endpointRegistrationsKind);
  const kind = api.api.kinds.find(({resource}) => resource === 'leases');
  if (kind === undefined) throw new Error('no leases');
  leases = api.of(kind);
  await registrations.as('m1').make({name: 'a'}, {spec: SPEC});
  asked.length = 0;
});
afterEach(() => api[Symbol.asyncDispose]());

const SPEC = {group: 'web', addresses: ['10.0.0.1']};
const refusal = (user: string, name: string): string =>
  `endpointregistrations.platform.io "${name}" is forbidden: User "${user}" cannot manage resource "endpointregistrations" in API group "platform.io" in the namespace "default"`;

type Write = (as: Resource, name: string) => Promise<Reply>;
const JSON_PATCH = 'application/json-patch+json';
const WRITES: Readonly<Record<string, Write>> = {
  PUT: (as, name) => as.put(name, {spec: {...SPEC, draining: true}}),
  'PUT of another version': (as, name) => as.put(name, {metadata: {name, resourceVersion: '1'}, spec: SPEC}),
  'PUT of another uid': (as, name) => as.put(name, {metadata: {name, uid: 'u'}, spec: SPEC}),
  'a merge patch': (as, name) => as.patch(name, 'merge', {spec: {draining: true}}),
  'a strategic patch': (as, name) => as.patch(name, 'strategic-merge', {spec: {draining: true}}),
  'a patch that tests a value': (as, name) => as.patch(name, 'json', [{op: 'test', path: '/spec/user', value: 'm1'}]),
  'a patch that tests for another': (as, name) => as.patch(name, 'json', [{op: 'test', path: '/spec/user', value: 'x'}]),
  apply: (as, name) => as.apply('m', name, {spec: SPEC}),
  'apply by force': (as, name) => as.apply('m', name, {spec: SPEC}, {force: 'true'}),
  'a patch of labels': (as, name) => as.merge(name, {labels: {x: '1'}}),
  'a patch of finalizers': (as, name) => as.merge(name, {finalizers: ['example.com/x']}),
  'a dry run': (as, name) => as.patch(name, 'merge', {spec: {draining: true}}, {dryRun: 'All'}),
  'PUT of the status': (as, name) =>
    as.send('update', name, {subresource: 'status', body: {metadata: {name}, status: {state: 'Expired'}}}),
  'a patch of the status': (as, name) =>
    as.send('patch', name, {subresource: 'status', type: JSON_PATCH, body: [{op: 'test', path: '/status/state', value: 'Live'}]}),
  'apply of the status': (as, name) => as.send('patch', name, {
    subresource: 'status', type: 'application/apply-patch+yaml', query: {fieldManager: 'm'},
    body: {apiVersion: 'platform.io/v1alpha1', kind: 'EndpointRegistration', metadata: {name}, status: {state: 'Live'}},
  }),
  DELETE: (as, name) => as.remove(name),
  'DELETE of another uid': (as, name) => as.remove(name, {preconditions: {uid: 'u'}}),
}; // biome-ignore format: one entry a line

describe('46-3 the registration of another user', () => {
  test.each(Object.entries(WRITES))('%s needs the verb manage, and learns nothing else', async (_, write) => {
    const before = await registrations.get('a');
    const {status, body} = await write(registrations.as('m2'), 'a');
    expect([status, body.reason, body.message]).toEqual([403, 'Forbidden', refusal('m2', 'a')]);
    expect(await registrations.get('a')).toEqual(before);
  });

  test.each(Object.entries(WRITES))(
    '%s is let through for its own user and users who may manage it',
    async (_, write) => {
      for (const user of ['m1', 'operator', 'nameOnly']) {
        expect((await write(registrations.as(user), 'a')).status).not.toBe(403);
        if ((await registrations.get('a')) === undefined) await registrations.as('m1').make({name: 'a'}, {spec: SPEC});
      }
    },
  );

  test('the verb is asked for by name, of the resource itself, for the user in effect', async () => {
    await registrations.as('m2').merge('a', {});
    expect(asked).toEqual([
      expect.objectContaining({
        verb: 'manage',
        group: 'platform.io',
        resource: 'endpointregistrations',
        subresource: '',
        namespace: 'default',
        name: 'a',
        user: {name: 'm2', groups: []},
      }),
    ]);
    await registrations.as('m1').make({name: 'b'}, {spec: SPEC});
    expect((await registrations.as('nameOnly').merge('b', {labels: {x: '1'}})).status).toBe(403);
  });

  test('who has no name owns nothing', async () => {
    await registrations.as('', 'system:masters').make({name: 'b'}, {spec: SPEC});
    expect((await registrations.as('').merge('b', {labels: {x: '1'}})).status).toBe(403);
  });
});

describe('46-3 a registration that does not exist', () => {
  const absent = Object.entries(WRITES).filter(([title]) => !/^apply( by force)?$/.test(title));

  test.each(absent)('%s answers it like that of another to a user who may not get it', async (_, write) => {
    const [there, not] = [await write(registrations.as('blind'), 'a'), await write(registrations.as('blind'), 'b')];
    expect([there.status, not.status]).toEqual([403, 403]);
    expect(not.body.message).toBe(refusal('blind', 'b'));
    expect(JSON.stringify(not.body).replaceAll('"b\\"', '"a\\"').replaceAll('"b"', '"a"')).toBe(
      JSON.stringify(there.body),
    );
  });

  test.each(absent)('%s says so to a user who may get it', async (_, write) => {
    expect((await write(registrations.as('m2'), 'b')).status).toBe(404);
  });

  test('apply creates it, for the user who applies', async () => {
    const {status, body} = await registrations.as('m2').apply('m', 'b', {spec: SPEC});
    expect([status, body.spec.user]).toEqual([201, 'm2']);
    expect((await registrations.as('blind').apply('m', 'c', {spec: SPEC})).body.message).toBe(refusal('blind', 'c'));
    expect((await registrations.as('creator').apply('m', 'd', {spec: SPEC})).status).toBe(201);
  });
});

describe('46-3 a deletion of all', () => {
  const all = (user: string, query: Readonly<Record<string, string>> = {}): Promise<Reply> =>
    registrations.as(user).send('deletecollection', '', {query});

  test('deletes nothing if one of them is of another, and names that', async () => {
    await registrations.as('m2').make({name: 'b'}, {spec: SPEC});
    await registrations.as('m2').make({name: 'c', labels: {mine: '1'}}, {spec: SPEC});
    for (const query of [{}, {limit: '2'}]) {
      const {status, body} = await all('m2', query);
      expect([status, body.message]).toEqual([403, refusal('m2', 'a')]);
      await api.settle();
      expect(await registrations.names()).toEqual(['a', 'b', 'c']);
    }
    expect((await all('m2', {labelSelector: 'mine'})).status).toBe(200);
    expect((await all('m2', {fieldSelector: 'spec.user=m2'})).status).toBe(200);
    expect(await registrations.names()).toEqual(['a']);
  });

  test('is refused as a whole to a user who may not list them, whether there are any or not', async () => {
    const {body} = await all('blind');
    expect(body.message).toBe(refusal('blind', '').replace(' ""', ''));
    await registrations.remove('a');
    expect((await all('blind')).body).toEqual(body);
  });

  test('is free for users who may manage them', async () => {
    await registrations.as('m2').make({name: 'b'}, {spec: SPEC});
    expect((await all('operator')).status).toBe(200);
    expect(await registrations.names()).toEqual([]);
  });
});

describe('46-3 the Lease of a registration', () => {
  const TIME = '2020-01-02T03:04:05.678901Z';
  const refused = async (reply: Promise<Reply>): Promise<void> => {
    const {status, body} = await reply;
    expect([status, body.message]).toEqual([403, refusal('m2', 'a')]);
  };

  test('is created, changed and deleted by the user of the registration, or who may manage it', async () => {
    await refused(leases.as('m2').post({name: 'a'}));
    await refused(leases.as('m2').put('a', {}));
    await refused(leases.as('m2').apply('m', 'a'));
    await refused(leases.as('m2').merge('a', {}));
    await refused(leases.as('m2').remove('a'));
    await leases.as('m1').make({name: 'a'});
    await refused(leases.as('m2').post({name: 'a'}));
    await refused(leases.as('m2').merge('a', {labels: {x: '1'}}));
    await refused(leases.as('m2').patch('a', 'json', [{op: 'test', path: '/spec/holderIdentity', value: 'x'}]));
    await refused(leases.as('m2').apply('m', 'a', {spec: {renewTime: TIME}}));
    await refused(leases.as('m2').remove('a'));
    await refused(leases.as('m2').send('deletecollection', ''));
    for (const user of ['m1', 'operator', 'nameOnly'])
      expect((await leases.as(user).patch('a', 'merge', {spec: {renewTime: TIME}})).status).toBe(200);
    expect((await leases.as('m1').remove('a')).status).toBe(200);
  });

  test('is free again when the registration is gone; other Leases always are', async () => {
    await leases.as('m1').make({name: 'a'});
    await leases.as('m2').make({name: 'b'});
    expect((await leases.as('m1').merge('b', {labels: {x: '1'}})).status).toBe(200);
    await registrations.as('m1').remove('a');
    expect((await leases.as('m2').merge('a', {labels: {x: '1'}})).status).toBe(200);
    await api.of(namespacesKind).make({name: 'two'});
    await registrations.as('m1').make({name: 'c'}, {spec: SPEC});
    expect((await leases.as('m2').in('two').post({name: 'c'})).status).toBe(201);
  });

  test('is needed to make a registration: a user who may not write it cannot take it from its holder', async () => {
    const {status, body} = await registrations.as('noLeases').post({name: 'leader'}, {spec: SPEC});
    expect([status, body.message]).toEqual([
      403,
      'leases.coordination.k8s.io "leader" is forbidden: User "noLeases" cannot update resource "leases" in API group "coordination.k8s.io" in the namespace "default"',
    ]);
    expect((await registrations.as('noLeases').apply('m', 'leader', {spec: SPEC})).status).toBe(403);
  });
});

test('46-3 the controller and the server itself are not held back', async () => {
  await leases.as('m1').make({name: 'a'});
  api.time.advance(30_200);
  await api.settle();
  expect((await registrations.get('a')).status.state).toBe('Expired');
  api.time.advance(600_200);
  await api.settle();
  expect(await registrations.names()).toEqual([]);
});

test('46-3 a user has a thousand registrations in a namespace; more need the verb manage', async () => {
  const many = (user: string, count: number): Promise<readonly Reply[]> =>
    Promise.all(
      Array.from({length: count}, (_, i) =>
        registrations.as(user).post({name: `${user}-${i}`.toLowerCase()}, {spec: SPEC}),
      ),
    );
  const refused = {
    code: 403,
    message:
      'endpointregistrations.platform.io "more" is forbidden: User "m1" has 1000 registrations in the namespace "default", the limit of one user; delete some, or ask for the verb "manage"',
  };
  await many('m1', REGISTRATIONS_PER_USER_MAX - 1);
  expect(await registrations.names()).toHaveLength(REGISTRATIONS_PER_USER_MAX);
  expect((await registrations.as('m1').post({name: 'more'}, {spec: SPEC})).body).toMatchObject(refused);
  expect((await registrations.as('m1').apply('m', 'more', {spec: SPEC})).body).toMatchObject(refused);
  expect((await registrations.as('m1').merge('a', {labels: {x: '1'}})).status).toBe(200);
  expect((await registrations.as('m2').post({name: 'other'}, {spec: SPEC})).status).toBe(201);
  await api.of(namespacesKind).make({name: 'two'});
  expect((await registrations.as('m1').in('two').post({name: 'more'}, {spec: SPEC})).status).toBe(201);
  await registrations.as('m1').remove('a');
  expect((await registrations.as('m1').post({name: 'more'}, {spec: SPEC})).status).toBe(201);
  const replies = await many('operator', REGISTRATIONS_PER_USER_MAX + 1);
  expect(new Set(replies.map(({status}) => status))).toEqual(new Set([201]));
});
