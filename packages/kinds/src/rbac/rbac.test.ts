// SPDX-License-Identifier: Apache-2.0
/** Roles and bindings: their rules, the users that may write them, the roles that a controller fills, and those that every server has. Ref: E-252, E-253. */

import {type Body, MemoryApi, type Resource} from '@palisade/apiserver/testing';
import type {Store} from '@palisade/store';
import {openMemoryStore} from '@palisade/store/memory';
import {afterEach, beforeEach, describe, expect, test} from 'vitest';
import {createRbacAuthorizer, type RbacAuthorizer} from './authorizer.ts';
import {rbacModule} from './index.ts';
import {clusterRoleBindingsKind, clusterRolesKind, rbacKinds, roleBindingsKind} from './kinds.ts';
import {RBAC_GROUP as GROUP} from './types.ts';

const [rolesKind = clusterRolesKind] = rbacKinds;
const rule = (verbs: string, resources: string, more: object = {}): Body => ({
  verbs: verbs.split(' '),
  apiGroups: [''],
  resources: resources.split(' '),
  ...more,
});
const WIDE = rule('*', '*', {apiGroups: ['*']});
const NONE = rule('list', 'gathered');

let authorizer: RbacAuthorizer;
let api: MemoryApi;
let roles: Resource;
let clusterRoles: Resource;
let bindings: Resource;
let clusterBindings: Resource;
const open = async (store?: Store): Promise<void> => {
  authorizer = createRbacAuthorizer();
  const controllers = [...rbacModule.controllers, authorizer.controller];
  api = await MemoryApi.open({...rbacModule, authorizer, controllers, ...(store && {store})});
  roles = api.of(rolesKind, 'one');
  clusterRoles = api.of(clusterRolesKind);
  bindings = api.of(roleBindingsKind, 'one');
  clusterBindings = api.of(clusterRoleBindingsKind);
};
beforeEach(() => open());
afterEach(() => api[Symbol.asyncDispose]());

let serial = 0;
const fresh = (): string => `n${serial++}`;
const alice = (resource: Resource): Resource => resource.as('alice', 'dev', 'ops', 'system:authenticated');
/** A role and its binding to a user; without a namespace they are of the cluster. */
const grant = async (user: string, rules: readonly object[], inOne = true): Promise<string> => {
  const name = fresh();
  await (inOne ? roles : clusterRoles).make({name}, {rules});
  const roleRef = {kind: inOne ? 'Role' : 'ClusterRole', name};
  await (inOne ? bindings : clusterBindings).make({name}, {subjects: [{kind: 'User', name: user}], roleRef});
  return name;
};
const bind = (to: Resource, kind: string, name: string, subjects: readonly object[] = []) =>
  to.post({name: fresh()}, {roleRef: {kind, name}, subjects});
const causes = ({body}: {readonly body: Body}): string[][] =>
  body.details.causes.map(({field, message}: Body) => [field, message.replace(/^Invalid value: /, '')]);
const fields = (reply: {readonly body: Body}): (string | undefined)[] => causes(reply).map(([field]) => field);
const rulesOf = async (name: string): Promise<Body> => {
  await api.settle();
  return (await clusterRoles.get(name))?.rules;
};

describe('what roles and bindings are', () => {
  test('E-252 every fault of a role is named', async () => {
    const rules = [
      {verbs: [], resources: ['x']},
      {verbs: ['get'], nonResourceURLs: ['/x'], apiGroups: ['']},
      {apiGroups: [''], resources: ['y']},
    ];
    expect(causes(await roles.post({name: 'a/b'}, {rules}))).toEqual([
      ['metadata.name', `"a/b": may not contain '/'`],
      ['rules[0].verbs', 'Required value: verbs must contain at least one value'],
      ['rules[0].apiGroups', 'Required value: resource rules must supply at least one api group'],
      ['rules[1].nonResourceURLs', '["/x"]: namespaced rules cannot apply to non-resource URLs'],
      ['rules[1].nonResourceURLs', '["/x"]: rules cannot apply to both regular resources and non-resource URLs'],
      ['rules[2].verbs', 'Required value: verbs must contain at least one value'],
    ]);
  });

  test('E-252 every fault of a binding and of an aggregation is named', async () => {
    const roleRef = {apiGroup: 'x', kind: 'Foo'};
    const subjects = [
      {kind: 'User'},
      {kind: 'Robot', name: 'r'},
      {kind: 'ServiceAccount', name: 'X_', apiGroup: GROUP},
      {kind: 'Group', name: 'g', apiGroup: 'other'},
    ];
    const bad = 'name kind name apiGroup namespace apiGroup'.split(' ');
    expect(fields(await clusterBindings.post({name: 'b'}, {roleRef, subjects}))).toEqual([
      ...['apiGroup', 'kind', 'name'].map(field => `roleRef.${field}`),
      ...[0, 1, 2, 2, 2, 3].map((at, i) => `subjects[${at}].${bad[i]}`),
    ]);
    const path = 'aggregationRule.clusterRoleSelectors';
    expect(fields(await clusterRoles.post({name: 'a'}, {aggregationRule: {}}))).toEqual([path]);
    const clusterRoleSelectors = [{matchLabels: {a: 'b c'}, matchExpressions: [{key: 'x', operator: 'Near'}]}];
    expect(fields(await clusterRoles.post({name: 'a'}, {aggregationRule: {clusterRoleSelectors}}))).toEqual(
      ['[0].matchLabels', '[0].matchExpressions[0].operator', '[0]'].map(at => path + at),
    );
  });

  test('E-252 the role of a binding cannot be changed', async () => {
    await bindings.make({name: 'b'}, {roleRef: {kind: 'Role', name: 'r'}});
    const {status, body} = await bindings.patch('b', 'merge', {roleRef: {name: '<q>'}});
    expect([status, body.message]).toEqual([
      422,
      `RoleBinding.${GROUP} "b" is invalid: roleRef: Invalid value: {"APIGroup":"${GROUP}","Kind":"Role","Name":"\\u003cq\\u003e"}: cannot change roleRef`,
    ]);
  });

  test('E-252 a patched apiVersion that is only a group is refused', async () => {
    await roles.make({name: 'r'});
    const {status, body} = await roles.patch('r', 'merge', {apiVersion: `${GROUP}/`});
    expect([status, body.message]).toEqual([
      400,
      'the name of the object (r based on URL) was undeterminable: name must be provided',
    ]);
  });

  test('E-271 PUT creates an absent role; no rules are null, however they were sent', async () => {
    const put = await roles.put('r', {});
    const again = await roles.put('r', {rules: []});
    expect([put.status, put.body.rules, again.body.rules]).toEqual([201, null, null]);
    expect(again.body.metadata.resourceVersion).toBe(put.body.metadata.resourceVersion);
  });

  test('E-271 patches fill in what a binding leaves out', async () => {
    await bindings.make({name: 'b'}, {roleRef: {kind: 'Role', name: 'r'}});
    const {body} = await bindings.patch('b', 'merge', {subjects: [{kind: 'Group', name: 'g'}]});
    expect(body).toMatchObject({roleRef: {apiGroup: GROUP}, subjects: [{kind: 'Group', apiGroup: GROUP, name: 'g'}]});
  });

  test('E-271 tables have the columns of the reference', () => {
    const {table} = roleBindingsKind.strategy;
    const subjects = [
      ...['u', 'v'].map(name => ({kind: 'User', name})),
      {kind: 'ServiceAccount', name: 's', namespace: 'one'},
    ];
    const cells = table.cells({metadata: {name: 'b'}, roleRef: {kind: 'Role', name: 'r'}, subjects}, 0);
    expect(table.columns.map(({name, priority}, i) => [name, priority, cells[i]])).toEqual([
      ['Name', 0, 'b'],
      ['Role', 0, 'Role/r'],
      ['Age', 0, '<unknown>'],
      ['Users', 1, 'u, v'],
      ['Groups', 1, ''],
      ['ServiceAccounts', 1, 'one/s'],
    ]);
    const plain = clusterRolesKind.strategy.table;
    expect([plain.columns.map(({name}) => name), plain.nullForNone]).toEqual([['Name', 'Created At'], true]);
  });
});

describe('nobody hands out more than they hold', () => {
  beforeEach(() => grant('alice', [rule('get list', 'endpoints'), rule('get', 'pods', {resourceNames: ['p']})]));
  const post = (rules: unknown, name = fresh()) => alice(roles).post({name}, {rules});

  test('E-253 rights that are held are taken; what is missing is listed, joined by resource', async () => {
    expect((await post([rule('get', 'endpoints'), rule('list', 'endpoints', {resourceNames: ['x']})])).status).toBe(
      201,
    );
    expect((await post([rule('get', 'pods', {resourceNames: ['p']})])).status).toBe(201);
    const wanted = [rule('get watch', 'endpoints services'), rule('get', 'pods'), rule('*', '*/scale')];
    const refused = await post(wanted, 'wide');
    expect([refused.status, refused.body.message]).toEqual([
      403,
      `roles.${GROUP} "wide" is forbidden: user "alice" (groups=["dev" "ops" "system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n` +
        '{APIGroups:[""], Resources:["*/scale"], Verbs:["*"]}\n' +
        '{APIGroups:[""], Resources:["endpoints"], Verbs:["watch"]}\n' +
        '{APIGroups:[""], Resources:["pods"], Verbs:["get"]}\n' +
        '{APIGroups:[""], Resources:["services"], Verbs:["get" "watch"]}',
    ]);
    expect(await roles.get('wide')).toBeUndefined();
    const unnamed = await alice(roles).post({generateName: 'wide-'}, {rules: [WIDE]});
    expect(unnamed.body.details).toEqual({group: GROUP, kind: 'roles'});
  });

  test('E-253 a mebibyte of them is listed, and how many more there are; too many are not judged', async () => {
    const many = (prefix: string, count: number) => Array.from({length: count}, (_, i) => `${prefix}${i}`);
    const long = await post([{verbs: ['get'], apiGroups: ['x'.repeat(100_000)], resources: many('r', 200)}]);
    const lines = long.body.message.split('\n');
    expect([lines.length, lines.at(-1)]).toEqual([12, 'and 190 more combinations of verb, group, resource and name']);
    const wide = await post([{verbs: many('v', 400), apiGroups: many('g', 400), resources: many('r', 400)}]);
    expect(wide.body.message).toMatch(
      /the rules expand to 64000000 combinations .*, limit is 50000: use fewer values, or "\*"$/,
    );
  });

  test('E-253 roles that are bound and not there are named, as the resource that is written', async () => {
    const lost = async (kind: string, write: () => Promise<{body: Body}>) => {
      const {metadata} = (await bind(bindings, kind, 'gone', [{kind: 'User', name: 'alice'}])).body;
      const {message} = (await write()).body;
      await bindings.remove(metadata.name);
      return message.split('; ')[1];
    };
    expect(await lost('Role', () => post([rule('get', 'secrets')]))).toBe(
      `resolution errors: [roles.${GROUP} "gone" not found]`,
    );
    expect(await lost('ClusterRole', () => bind(alice(bindings), 'ClusterRole', 'cluster-admin'))).toBe(
      `resolution errors: [rolebindings.${GROUP} "gone" not found]`,
    );
  });

  test('E-253 no way of writing goes around it, and it comes before versions are compared', async () => {
    await roles.make({name: 'r'}, {rules: [rule('get', 'endpoints')]});
    const own = alice(roles);
    const rules = [WIDE];
    const replies = [
      await own.put('r', {rules}),
      await own.put('r', {rules}, {dryRun: 'All'}),
      await own.put('r', {metadata: {name: 'r', resourceVersion: 'abc'}, rules}),
      await own.put('absent', {metadata: {name: 'absent', resourceVersion: '5'}, rules}),
      await own.patch('r', 'merge', {rules}),
      await own.patch('r', 'json', [{op: 'add', path: '/rules/-', value: WIDE}]),
      await own.apply('a', 'r', {rules}, {force: 'true'}),
    ];
    expect(replies.map(({status}) => status)).toEqual(replies.map(() => 403));
    expect((await roles.get('r')).rules).toEqual([rule('get', 'endpoints')]);
  });

  test('E-253 a role that holds more may be changed only where its rules do not count', async () => {
    const held = {finalizers: ['example.com/a']};
    await roles.make({name: 'r', ...held}, {rules: [WIDE]});
    expect((await alice(roles).merge('r', {labels: {a: 'b'}})).status).toBe(403);
    expect((await alice(roles).merge('r', {finalizers: null})).status).toBe(200);
    const clusterRoleSelectors = [{matchLabels: {'example.com/into': 'nothing'}}];
    await clusterRoles.make({name: 'c', ...held}, {aggregationRule: {clusterRoleSelectors}});
    const send = (metadata: object) => alice(clusterRoles).patch('c', 'merge', {metadata, rules: []});
    expect((await send({labels: {a: 'b'}})).body.message).toContain('must have cluster-admin privileges');
    expect((await send({finalizers: null})).status).toBe(200); // no rules are null or an empty list
  });

  test('E-253 an aggregation gathers anything, so it takes every right', async () => {
    const reply = await alice(clusterRoles).post(
      {name: 'all'},
      {aggregationRule: {clusterRoleSelectors: [{matchLabels: {a: 'b'}}]}},
    );
    expect([reply.status, reply.body.message]).toEqual([
      403,
      `clusterroles.${GROUP} "all" is forbidden: must have cluster-admin privileges to use the aggregationRule`,
    ]);
  });

  test('E-253 the verb escalate allows it for the roles it names: a PUT that creates has a name, a POST none', async () => {
    await grant('bob', [{verbs: ['escalate'], apiGroups: [GROUP], resources: ['roles'], resourceNames: ['only']}]);
    const bob = roles.as('bob');
    expect((await bob.post({name: 'only'}, {rules: [WIDE]})).status).toBe(403);
    await roles.make({name: 'only'});
    expect((await bob.put('only', {rules: [WIDE]})).status).toBe(200);
    await grant('carol', [{verbs: ['escalate'], apiGroups: [GROUP], resources: ['roles']}]);
    expect((await roles.as('carol').post({name: fresh()}, {rules: [WIDE]})).status).toBe(201);
  });

  test('E-253 a binding needs the rights of its role, or the verb bind', async () => {
    const name = await grant('nobody', [rule('get', 'endpoints')]);
    const own = alice(bindings);
    expect((await bind(own, 'Role', name)).status).toBe(201);
    expect((await bind(own, 'ClusterRole', 'view')).body.details).toMatchObject({group: GROUP, kind: 'rolebindings'});
    const verb = {verbs: ['bind'], apiGroups: [GROUP], resources: ['clusterroles'], resourceNames: ['view']};
    await grant('alice', [verb]);
    expect((await bind(own, 'ClusterRole', 'view')).status).toBe(201);
    expect((await bind(alice(clusterBindings), 'ClusterRole', 'view')).status).toBe(403);
  });

  test.each<[string, string, number, string]>([
    ['Role', 'nope', 404, `rolebindings.${GROUP} "nope" not found`],
    ['Role', '', 400, 'Name parameter required.'],
    ['Role', 'a/b', 400, `Name parameter invalid: "a/b": may not contain '/'`],
    ['Role', '..', 400, `Name parameter invalid: "..": may not be '..'`],
  ])('E-253 a %s called "%s" cannot be looked up for a binding', async (kind, name, status, message) => {
    const reply = await bind(alice(bindings), kind, name);
    expect([reply.status, reply.body.message]).toEqual([status, message]);
    expect((await bind(alice(clusterBindings), kind, name)).body.message).toBe('Namespace parameter required.');
  });
});

describe('roles that are filled', () => {
  const into = (name: string) => ({'example.com/into': name});
  const gathering = (name: string, content: object = {}) =>
    clusterRoles.make({name}, {aggregationRule: {clusterRoleSelectors: [{matchLabels: into(name)}]}, ...content});
  const part = (target: string, rules: readonly object[], name = fresh()) =>
    clusterRoles.make({name, labels: into(target)}, {rules});

  test('E-253 a role that is gathered later counts at once, also through a chain, until it goes', async () => {
    const labels = {[`${GROUP}/aggregate-to-view`]: 'true'};
    await clusterRoles.make({name: 'custom', labels}, {rules: [NONE]});
    expect(await rulesOf('admin')).toContainEqual(NONE);
    expect((await clusterRoles.get('admin')).metadata.managedFields).toContainEqual(
      expect.objectContaining({
        manager: 'clusterrole-aggregation-controller',
        operation: 'Apply',
        fieldsV1: {'f:rules': {}},
      }),
    );
    await clusterRoles.remove('custom');
    expect(await rulesOf('admin')).not.toContainEqual(NONE);
  });

  test('E-253 rules that somebody wrote are taken over; without any to gather they stay', async () => {
    const own = [rule('get', 'own')];
    await gathering('empty', {rules: own});
    await gathering('filled', {rules: own});
    await part('filled', [NONE]);
    expect([await rulesOf('filled'), await rulesOf('empty')]).toEqual([[NONE], own]);
  });

  test('E-253 rules that a server before this one updated go with the last part', async () => {
    await part('old', [NONE], 'part');
    const body = {
      metadata: {name: 'old'},
      aggregationRule: {clusterRoleSelectors: [{matchLabels: into('old')}]},
      rules: [NONE],
    };
    await clusterRoles.send('create', '', {body, query: {fieldManager: 'clusterrole-aggregation-controller'}});
    await clusterRoles.remove('part');
    expect((await rulesOf('old')) ?? []).toEqual([]);
  });

  test('E-253 roles that are deleted while they are filled do not come back', async () => {
    const names = Array.from({length: 40}, (_, i) => `gather-${i}`);
    const aggregationRule = {clusterRoleSelectors: [{matchLabels: into('all')}]};
    for (const name of names) await clusterRoles.make({name, labels: {a: 'b'}}, {aggregationRule});
    await part('all', [NONE]);
    for (let turn = 0; turn < 3; turn++) await new Promise(resolve => setImmediate(resolve)); // some are filled by now
    await Promise.all(names.map(name => clusterRoles.remove(name)));
    await api.settle();
    expect(await clusterRoles.names({labelSelector: 'a=b'})).toEqual([]);
  });

  test('a role that cannot be filled does not keep others from being filled', async () => {
    await gathering('a-bad');
    await gathering('b-good');
    await part('a-bad', [rule('get', 'a\u007f')]); // a control character, which YAML does not have
    await part('b-good', [NONE]);
    expect([await rulesOf('a-bad'), await rulesOf('b-good')]).toEqual([null, [NONE]]);
  });
});

describe('roles that every server has', () => {
  const can = (
    name: string,
    verb: string,
    resource: string,
    group = '',
    subresource = '',
    namespace = 'one',
  ): boolean =>
    authorizer.resolver.allows({
      ...{user: {name, groups: []}, verb, resource, group, subresource, namespace},
      ...{resourceRequest: true, version: '*', name: '', path: ''},
    });

  test('E-253 view, edit and admin hold what they gather, as soon as the server is started', async () => {
    for (const name of ['view', 'edit', 'admin']) await bind(bindings, 'ClusterRole', name, [{kind: 'User', name}]);
    const table = ['view', 'edit', 'admin'].map(name => [
      can(name, 'get', 'endpoints'),
      can(name, 'create', 'services'),
      can(name, 'create', 'roles', GROUP),
    ]);
    expect(table).toEqual([
      [true, false, false],
      [true, true, false],
      [true, true, true],
    ]);
  });

  test('E-253 the product roles of the IDS side', async () => {
    const names = ['ids-admin', 'ids-editor', 'ids-analyst', 'ids-viewer', 'nobody'];
    for (const name of names) await bind(clusterBindings, 'ClusterRole', name, [{kind: 'User', name}]);
    const asked =
      'create endpoints|cancel operations|get endpoints|get endpoints threats|list locations|setIamPolicy endpoints|get endpoints evidence|update endpoints threats';
    const table = names.map(name =>
      asked
        .split('|')
        .map(each => {
          const [verb = '', resource = '', subresource = ''] = each.split(' ');
          return can(name, verb, resource, 'ids.googleapis.com', subresource, 'my-project') ? 'y' : '-';
        })
        .join(''),
    );
    expect(table).toEqual(['yyyyyyyy', 'yyyyy-yy', '--yyy-yy', '--yyy---', '--------']);
  });

  test('E-253 a restart gives back what was taken from them, keeps what was added, and writes nothing else', async () => {
    const store = await openMemoryStore();
    await open(store);
    const stored = async () => (await clusterRoles.send('list', '')).body.items;
    const before = await stored();
    await api.api.stop();
    await open(store);
    expect(await stored()).toEqual(before);
    const extra = {verbs: ['get'], nonResourceURLs: ['/extra']};
    await clusterRoles.patch('system:public-info-viewer', 'merge', {rules: [extra]});
    const off = {annotations: {'rbac.authorization.kubernetes.io/autoupdate': 'false'}};
    await clusterRoles.patch('system:basic-user', 'merge', {metadata: off, rules: null});
    await clusterBindings.patch('system:discovery', 'merge', {subjects: []});
    await clusterRoles.remove('view');
    await api.api.stop();
    await open(store);
    const {rules} = await clusterRoles.get('system:public-info-viewer');
    expect(rules[0].nonResourceURLs).toEqual(['/extra']);
    expect(rules.length).toBeGreaterThan(1);
    expect((await clusterRoles.get('system:basic-user')).rules).toBeNull();
    expect((await clusterBindings.get('system:discovery')).subjects).toHaveLength(1);
    expect((await clusterRoles.get('view')).rules).not.toBeNull();
  });

  test('45-1 a viewer reads services and their slices, and no secrets; an editor reads and writes those too', async () => {
    await api.settle();
    const asked =
      'get services|list configmaps|watch endpointslices|get serviceaccounts|get secrets|list nodes|create services|create secrets';
    const may = async (role: string): Promise<string> => {
      await clusterBindings.make(
        {name: fresh()},
        {subjects: [{kind: 'User', name: role}], roleRef: {kind: 'ClusterRole', name: role}},
      );
      await api.settle();
      const answers = asked.split('|').map(each => {
        const [verb = '', resource = ''] = each.split(' ');
        return can(role, verb, resource, resource === 'endpointslices' ? 'discovery.k8s.io' : '', '', 'one')
          ? 'y'
          : '-';
      });
      return answers.join('');
    };
    expect([await may('view'), await may('edit'), await may('admin')]).toEqual(['yyyy----', 'yyyyy-yy', 'yyyyy-yy']);
  });

  test.each([
    ['system:serviceaccount:kube-system:kube-dns', 'list', 'services', '', true],
    ['system:serviceaccount:kube-system:kube-dns', 'list', 'secrets', '', false],
    ['system:kube-proxy', 'watch', 'endpointslices', 'discovery.k8s.io', true],
    ['system:kube-proxy', 'get', 'nodes', '', true],
    ['system:kube-proxy', 'create', 'events', 'events.k8s.io', true],
    ['system:kube-proxy', 'update', 'nodes', '', false],
    ['system:kube-controller-manager', 'create', 'leases', 'coordination.k8s.io', true],
    ['system:kube-controller-manager', 'delete', 'services', '', false],
  ])('45-1 %s: %s %s', async (name, verb, resource, group, allowed) => {
    await api.settle();
    expect(can(name, verb, resource, group, '', 'kube-system')).toBe(allowed);
  });

  test('47-4 view reads groups; no role but their own writes them, since through a group it would write Endpoints', async () => {
    const names = ['admin', 'edit', 'view', 'palisade:endpointgroups-editor'];
    for (const name of names) await bind(bindings, 'ClusterRole', name, [{kind: 'User', name}]);
    const on = 'platform.io';
    const table = names.map(name => [
      can(name, 'get', 'endpointgroups', on) && can(name, 'watch', 'endpointregistrations', on),
      can(name, 'create', 'endpointgroups', on) || can(name, 'create', 'endpoints'),
      can(name, 'manage', 'endpointregistrations', on),
      can(name, 'create', 'serviceaccountkeys', on),
    ]);
    expect(table).toEqual([
      [true, false, false, true],
      [true, false, false, true],
      [true, false, false, false],
      [true, true, true, false],
    ]);
  });

  test('47-4 an auditor reads the audit log and roles, and nothing else', async () => {
    const {rules} = await clusterRoles.get('palisade:auditor');
    expect(rules).toEqual([
      {verbs: ['get'], nonResourceURLs: ['/audit']},
      {
        ...{verbs: ['get', 'list', 'watch'], apiGroups: [GROUP]},
        resources: ['clusterrolebindings', 'clusterroles', 'rolebindings', 'roles'],
      },
    ]);
  });

  test('45-1 in kube-system there is the role that reads the configuration of authentication, and nothing else of it', async () => {
    const reader = await roles.in('kube-system').get('extension-apiserver-authentication-reader');
    expect(reader.rules).toEqual([
      {
        verbs: ['get', 'list', 'watch'],
        apiGroups: [''],
        resources: ['configmaps'],
        resourceNames: ['extension-apiserver-authentication'],
      },
    ]);
    const name = 'system:kube-controller-manager';
    const lock = await bindings.in('kube-system').get('system::leader-locking-kube-controller-manager');
    expect(lock.subjects[0]).toEqual({kind: 'User', apiGroup: GROUP, name});
    expect(lock.roleRef.kind).toBe('Role');
  });

  test('45-1 a folder of an earlier version gets the new roles, and what its roles lack', async () => {
    const store = await openMemoryStore();
    await open(store);
    await clusterRoles.remove('system:kube-dns');
    await clusterBindings.remove('system:kube-dns');
    await roles.in('kube-system').remove('extension-apiserver-authentication-reader');
    const few = [{verbs: ['get'], apiGroups: [''], resources: ['nodes']}];
    await clusterRoles.patch('system:node-proxier', 'merge', {rules: few});
    await api.api.stop();
    await open(store);
    expect((await clusterRoles.get('system:kube-dns')).rules).toHaveLength(1);
    expect((await clusterBindings.get('system:kube-dns')).subjects).toHaveLength(1);
    expect((await roles.in('kube-system').get('extension-apiserver-authentication-reader')).rules).toHaveLength(1);
    expect((await clusterRoles.get('system:node-proxier')).rules.length).toBeGreaterThan(4);
  });
});
