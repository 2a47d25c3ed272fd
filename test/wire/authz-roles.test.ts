// SPDX-License-Identifier: Apache-2.0
import {join} from 'node:path';
import {openSqliteStore} from '@palisade/store/sqlite';
import {afterAll, beforeAll, describe, expect, test, vi} from 'vitest';
import {scratch} from '../support/palisade.ts';
import {AUTHORIZATION, type AuthWire, RBAC, startAuthWire} from './authz-support.ts';
import {APPLY, type Body, ENDPOINTS, fields, freshName, JSON_PATCH, MERGE} from './support.ts';

const ROLES = `${RBAC}/namespaces/one/roles`;
const CLUSTER_ROLES = `${RBAC}/clusterroles`;
const BINDINGS = `${RBAC}/namespaces/one/rolebindings`;
const CLUSTER_BINDINGS = `${RBAC}/clusterrolebindings`;
const GROUP = 'rbac.authorization.k8s.io';
const rule = (verbs: string, resources: string, more: object = {}): Body => ({
  verbs: verbs.split(' '),
  apiGroups: [''],
  resources: resources.split(' '),
  ...more,
});

describe('roles and bindings', () => {
  let wire: AuthWire;
  beforeAll(async () => {
    wire = await startAuthWire();
  });
  afterAll(() => wire[Symbol.asyncDispose]());

  test('E-252 every fault of a role is named', async () => {
    const rules = [
      {verbs: [], resources: ['x']},
      {verbs: ['get'], nonResourceURLs: ['/x'], apiGroups: ['']},
      {apiGroups: [''], resources: ['y']},
    ];
    const answer = await wire.as('admin', 'POST', ROLES, {body: {metadata: {name: 'a/b'}, rules}});
    expect([answer.status, answer.body.details.causes.map((cause: Body) => [cause.field, cause.message])]).toEqual([
      422,
      [
        ['metadata.name', `Invalid value: "a/b": may not contain '/'`],
        ['rules[0].verbs', 'Required value: verbs must contain at least one value'],
        ['rules[0].apiGroups', 'Required value: resource rules must supply at least one api group'],
        ['rules[1].nonResourceURLs', 'Invalid value: ["/x"]: namespaced rules cannot apply to non-resource URLs'],
        [
          'rules[1].nonResourceURLs',
          'Invalid value: ["/x"]: rules cannot apply to both regular resources and non-resource URLs',
        ],
        ['rules[2].verbs', 'Required value: verbs must contain at least one value'],
      ],
    ]);
  });

  test('E-252 every fault of a binding is named', async () => {
    const body = {
      metadata: {name: 'b'},
      roleRef: {apiGroup: 'x', kind: 'Foo'},
      subjects: [
        {kind: 'User'},
        {kind: 'Robot', name: 'r'},
        {kind: 'ServiceAccount', name: 'X_', apiGroup: GROUP},
        {kind: 'Group', name: 'g', apiGroup: 'other'},
      ],
    };
    const answer = await wire.as('admin', 'POST', CLUSTER_BINDINGS, {body});
    expect([answer.status, fields(answer)]).toEqual([
      422,
      [
        'roleRef.apiGroup',
        'roleRef.kind',
        'roleRef.name',
        'subjects[0].name',
        'subjects[1].kind',
        'subjects[2].name',
        'subjects[2].apiGroup',
        'subjects[2].namespace',
        'subjects[3].apiGroup',
      ],
    ]);
  });

  test('E-252 selectors of an aggregation are checked', async () => {
    const none = await wire.as('admin', 'POST', CLUSTER_ROLES, {body: {metadata: {name: 'a'}, aggregationRule: {}}});
    expect(fields(none)).toEqual(['aggregationRule.clusterRoleSelectors']);
    const clusterRoleSelectors = [{matchLabels: {a: 'b c'}, matchExpressions: [{key: 'x', operator: 'Near'}]}];
    const bad = await wire.as('admin', 'POST', CLUSTER_ROLES, {
      body: {metadata: {name: 'a'}, aggregationRule: {clusterRoleSelectors}},
    });
    const path = 'aggregationRule.clusterRoleSelectors[0]';
    expect(fields(bad)).toEqual([`${path}.matchLabels`, `${path}.matchExpressions[0].operator`, path]);
  });

  test('E-271 what a binding leaves out is filled in, also by patches', async () => {
    const name = freshName();
    const body = {metadata: {name}, roleRef: {kind: 'Role', name: 'r'}, subjects: [{kind: 'User', name: 'u'}]};
    const made = await wire.as('admin', 'POST', BINDINGS, {body});
    expect(made.body.roleRef).toEqual({apiGroup: GROUP, kind: 'Role', name: 'r'});
    expect(made.body.subjects).toEqual([{kind: 'User', apiGroup: GROUP, name: 'u'}]);
    const subjects = [
      {kind: 'Group', name: 'g'},
      {kind: 'ServiceAccount', name: 's', namespace: 'one'},
    ];
    const headers = {'content-type': MERGE};
    const patched = await wire.as('admin', 'PATCH', `${BINDINGS}/${name}`, {body: {subjects}, headers});
    expect(patched.body.subjects).toEqual([{kind: 'Group', apiGroup: GROUP, name: 'g'}, subjects[1]]);
  });

  test('E-252 the role of a binding cannot be changed', async () => {
    const name = freshName();
    await wire.as('admin', 'POST', BINDINGS, {body: {metadata: {name}, roleRef: {kind: 'Role', name: 'r'}}});
    const headers = {'content-type': MERGE};
    const answer = await wire.as('admin', 'PATCH', `${BINDINGS}/${name}`, {body: {roleRef: {name: '<q>'}}, headers});
    expect([answer.status, answer.body.message]).toEqual([
      422,
      `RoleBinding.rbac.authorization.k8s.io "${name}" is invalid: roleRef: Invalid value: {"APIGroup":"rbac.authorization.k8s.io","Kind":"Role","Name":"\\u003cq\\u003e"}: cannot change roleRef`,
    ]);
  });

  test('E-252 a patched version that is only a group is none', async () => {
    const name = freshName();
    await wire.as('admin', 'POST', ROLES, {body: {metadata: {name}}});
    const headers = {'content-type': MERGE};
    const answer = await wire.as('admin', 'PATCH', `${ROLES}/${name}`, {body: {apiVersion: `${GROUP}/`}, headers});
    expect([answer.status, answer.body.message]).toEqual([
      400,
      `the name of the object (${name} based on URL) was undeterminable: name must be provided`,
    ]);
  });

  test('E-271 PUT creates an absent role; no rules are null', async () => {
    const name = freshName();
    const answer = await wire.as('admin', 'PUT', `${ROLES}/${name}`, {body: {metadata: {name}}});
    expect([answer.status, answer.body.rules]).toEqual([201, null]);
    const empty = await wire.as('admin', 'PUT', `${ROLES}/${name}`, {body: {metadata: {name}, rules: []}});
    expect([empty.status, empty.body.rules, empty.body.metadata.resourceVersion]).toEqual([
      200,
      null,
      answer.body.metadata.resourceVersion,
    ]);
  });

  test('E-271 tables have the columns of the reference', async () => {
    const name = freshName();
    const subjects = [
      {kind: 'User', name: 'u'},
      {kind: 'User', name: 'v'},
      {kind: 'ServiceAccount', name: 's', namespace: 'one'},
    ];
    await wire.as('admin', 'POST', BINDINGS, {body: {metadata: {name}, roleRef: {kind: 'Role', name: 'r'}, subjects}});
    const headers = {accept: 'application/json;as=Table;g=meta.k8s.io;v=v1'};
    const table = (await wire.as('admin', 'GET', `${BINDINGS}/${name}`, {headers})).body;
    expect(table.columnDefinitions.map((c: Body) => [c.name, c.priority])).toEqual([
      ['Name', 0],
      ['Role', 0],
      ['Age', 0],
      ['Users', 1],
      ['Groups', 1],
      ['ServiceAccounts', 1],
    ]);
    expect(table.rows[0].cells.with(2, 'age')).toEqual([name, 'Role/r', 'age', 'u, v', '', 'one/s']);
    const roles = (await wire.as('admin', 'GET', `${CLUSTER_ROLES}/view`, {headers})).body;
    expect(roles.columnDefinitions.map((c: Body) => [c.name, c.type])).toEqual([
      ['Name', 'string'],
      ['Created At', 'date'],
    ]);
    const none = async (path: string): Promise<unknown> => {
      const query = {fieldSelector: 'metadata.name=none'};
      return (await wire.as('admin', 'GET', path, {headers, query})).body.rows;
    };
    expect([await none(CLUSTER_ROLES), await none(BINDINGS), await none('/api/v1/limitranges')]).toEqual([
      null,
      [],
      null,
    ]);
  });
});

describe('nobody hands out more than they hold', () => {
  let wire: AuthWire;
  beforeAll(async () => {
    wire = await startAuthWire();
    const own = {apiGroups: [GROUP], resources: ['roles', 'rolebindings', 'clusterroles', 'clusterrolebindings']};
    await wire.grant('alice', '', 'writer', [{verbs: ['get', 'create', 'update', 'patch', 'delete'], ...own}]);
    await wire.grant('alice', 'one', 'holder', [
      rule('get list', 'endpoints'),
      rule('get', 'pods', {resourceNames: ['p']}),
    ]);
  });
  afterAll(() => wire[Symbol.asyncDispose]());
  const role = (rules: unknown, name = freshName()) =>
    wire.as('alice', 'POST', ROLES, {body: {metadata: {name}, rules}});

  test('E-253 a role of rights that are held is taken', async () => {
    expect((await role([rule('get', 'endpoints'), rule('list', 'endpoints', {resourceNames: ['x']})])).status).toBe(
      201,
    );
    expect((await role([rule('get', 'pods', {resourceNames: ['p']})])).status).toBe(201);
  });

  test('E-253 roles that are bound and not there are told beside what is missing, as the resource that is written', async () => {
    const bound = async (kind: string) => {
      const metadata = {name: freshName()};
      const subjects = [{kind: 'User', name: 'alice'}];
      await wire.as('admin', 'POST', BINDINGS, {body: {metadata, roleRef: {kind, name: 'gone'}, subjects}});
      return `${BINDINGS}/${metadata.name}`;
    };
    const paths = [await bound('Role'), await bound('ClusterRole')];
    const answers = [
      await role([rule('get', 'secrets')]),
      await wire.as('alice', 'POST', BINDINGS, {
        body: {metadata: {name: freshName()}, roleRef: {kind: 'ClusterRole', name: 'cluster-admin'}},
      }),
    ];
    for (const path of paths) await wire.as('admin', 'DELETE', path);
    expect(answers.map(({body}) => body.message.split('; ')[1])).toEqual([
      'resolution errors: [roles.rbac.authorization.k8s.io "gone" not found]',
      'resolution errors: [rolebindings.rbac.authorization.k8s.io "gone" not found]',
    ]);
  });

  test('E-253 a Role has a namespace: a cluster role binding to one is refused for that first', async () => {
    const answer = await wire.as('alice', 'POST', CLUSTER_BINDINGS, {
      body: {metadata: {name: freshName()}, roleRef: {kind: 'Role', name: 'a/b'}},
    });
    expect([answer.status, answer.body.message]).toEqual([400, 'Namespace parameter required.']);
  });

  test('E-253 what is missing is listed, joined by resource', async () => {
    const wanted = [rule('get watch', 'endpoints services'), rule('get', 'pods'), rule('*', '*/scale')];
    const answer = await role(wanted, 'wide');
    expect([answer.status, answer.body.message]).toEqual([
      403,
      'roles.rbac.authorization.k8s.io "wide" is forbidden: user "alice" (groups=["dev" "ops" "system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n' +
        '{APIGroups:[""], Resources:["*/scale"], Verbs:["*"]}\n' +
        '{APIGroups:[""], Resources:["endpoints"], Verbs:["watch"]}\n' +
        '{APIGroups:[""], Resources:["pods"], Verbs:["get"]}\n' +
        '{APIGroups:[""], Resources:["services"], Verbs:["get" "watch"]}',
    ]);
    expect((await wire.as('admin', 'GET', `${ROLES}/wide`)).status).toBe(404);
  });

  test('E-253 no way of writing goes around it', async () => {
    const name = freshName();
    await role([rule('get', 'endpoints')], name);
    const wide = [rule('*', '*')];
    const path = `${ROLES}/${name}`;
    const whole = {apiVersion: `${GROUP}/v1`, kind: 'Role', metadata: {name}, rules: wide};
    const writes: [string, string, unknown, string][] = [
      ['PUT', 'application/json', whole, ''],
      ['PATCH', MERGE, {rules: wide}, ''],
      ['PATCH', JSON_PATCH, [{op: 'add', path: '/rules/-', value: wide[0]}], ''],
      ['PATCH', APPLY, whole, '?fieldManager=a&force=true'],
      ['PUT', 'application/json', whole, '?dryRun=All'],
    ];
    for (const [method, type, body, query] of writes) {
      const answer = await wire.as('alice', method, path + query, {body, headers: {'content-type': type}});
      expect([type, answer.status, answer.body.reason]).toEqual([type, 403, 'Forbidden']);
    }
    const fresh = {...whole, metadata: {name: freshName()}};
    const put = await wire.as('alice', 'PUT', `${ROLES}/${fresh.metadata.name}`, {body: fresh});
    expect(put.status).toBe(403);
    expect((await wire.as('admin', 'GET', path)).body.rules).toEqual([rule('get', 'endpoints')]);
  });

  test('E-253 a role that holds more may be changed only where its rules do not count', async () => {
    const name = freshName();
    const rules = [rule('*', '*')];
    await wire.as('admin', 'POST', ROLES, {body: {metadata: {name, finalizers: ['example.com/a']}, rules}});
    const headers = {'content-type': MERGE};
    const send = (body: unknown) => wire.as('alice', 'PATCH', `${ROLES}/${name}`, {body, headers});
    expect((await send({metadata: {labels: {a: 'b'}}})).status).toBe(403);
    expect((await send({metadata: {finalizers: null}})).status).toBe(200);
  });

  test('E-253 null and an empty list of rules are the same to who may not write a role that aggregates', async () => {
    const name = freshName();
    await wire.grant('bob', '', name, [{verbs: ['patch'], apiGroups: [GROUP], resources: ['clusterroles']}]);
    const aggregationRule = {clusterRoleSelectors: [{matchLabels: {'example.com/into': name}}]};
    const body = {metadata: {name: `${name}-all`, finalizers: ['example.com/a']}, aggregationRule};
    await wire.as('admin', 'POST', CLUSTER_ROLES, {body});
    const headers = {'content-type': MERGE};
    const send = (change: unknown) => wire.as('bob', 'PATCH', `${CLUSTER_ROLES}/${name}-all`, {body: change, headers});
    expect((await send({metadata: {labels: {a: 'b'}}, rules: []})).status).toBe(403);
    expect((await send({metadata: {finalizers: null}, rules: []})).status).toBe(200);
  });

  test('E-253 rules that stand for more than can be judged are refused, with what to do', async () => {
    const many = (prefix: string) => Array.from({length: 400}, (_, i) => `${prefix}${i}`);
    const rules = [{verbs: many('v'), apiGroups: many('g'), resources: many('r')}];
    const answer = await wire.as('alice', 'POST', ROLES, {body: {metadata: {name: freshName()}, rules}});
    expect([answer.status, answer.body.message]).toEqual([
      403,
      expect.stringMatching(/the rules expand to 64000000 combinations .*, limit is 50000: use fewer values, or "\*"$/),
    ]);
  });

  test('E-253 of rights that are missing a mebibyte is told, and how many more there are', async () => {
    const resources = Array.from({length: 200}, (_, i) => `r${i}`);
    const rules = [{verbs: ['get'], apiGroups: ['x'.repeat(100_000)], resources}];
    const {status, body} = await wire.as('alice', 'POST', ROLES, {body: {metadata: {name: freshName()}, rules}});
    expect([status, body.message.split('\n').length, body.message.split('\n').at(-1)]).toEqual([
      403,
      12,
      'and 190 more combinations of verb, group, resource and name',
    ]);
  });

  test('a role that cannot be filled does not keep others from being filled', async () => {
    const [bad, good] = [`a-${freshName()}`, `b-${freshName()}`];
    const label = (value: string) => ({'example.com/into': value});
    for (const name of [bad, good])
      await wire.as('admin', 'POST', CLUSTER_ROLES, {
        body: {metadata: {name}, aggregationRule: {clusterRoleSelectors: [{matchLabels: label(name)}]}},
      });
    // A control character, which YAML does not have: upstream's controller cannot apply it either.
    for (const [into, resource] of [
      [bad, 'a\u007f'],
      [good, 'endpoints'],
    ] as const)
      await wire.as('admin', 'POST', CLUSTER_ROLES, {
        body: {metadata: {name: freshName(), labels: label(into)}, rules: [rule('get', resource)]},
      });
    await expect
      .poll(async () => (await wire.as('admin', 'GET', `${CLUSTER_ROLES}/${good}`)).body.rules, {timeout: 10_000})
      .toEqual([rule('get', 'endpoints')]);
    expect((await wire.as('admin', 'GET', `${CLUSTER_ROLES}/${bad}`)).body.rules).toBeNull();
  });

  test('E-253 the verb escalate allows it, for the roles it names', async () => {
    await wire.grant('bob', 'one', 'escalator', [
      {verbs: ['create', 'update', 'escalate'], apiGroups: [GROUP], resources: ['roles']},
    ]);
    const body = {metadata: {name: freshName()}, rules: [rule('*', '*')]};
    expect((await wire.as('bob', 'POST', ROLES, {body})).status).toBe(201);
  });

  test('E-253 a binding needs the rights of its role, or the verb bind', async () => {
    const body = {metadata: {name: freshName()}, roleRef: {kind: 'ClusterRole', name: 'view'}, subjects: []};
    const refused = await wire.as('alice', 'POST', BINDINGS, {body});
    expect([refused.status, refused.body.details]).toEqual([
      403,
      {name: body.metadata.name, group: GROUP, kind: 'rolebindings'},
    ]);
    const own = {...body, metadata: {name: freshName()}, roleRef: {kind: 'Role', name: 'holder'}};
    expect((await wire.as('alice', 'POST', BINDINGS, {body: own})).status).toBe(201);
    const lost = {...body, roleRef: {kind: 'Role', name: 'nope'}};
    const missing = await wire.as('alice', 'POST', BINDINGS, {body: lost});
    expect([missing.status, missing.body.message]).toEqual([
      404,
      'rolebindings.rbac.authorization.k8s.io "nope" not found',
    ]);
    const bind = {verbs: ['bind'], apiGroups: [GROUP], resources: ['clusterroles'], resourceNames: ['view']};
    await wire.grant('alice', 'one', freshName(), [bind]);
    expect((await wire.as('alice', 'POST', BINDINGS, {body})).status).toBe(201);
    const wide = await wire.as('alice', 'POST', CLUSTER_BINDINGS, {body: {...body, metadata: {name: freshName()}}});
    expect(wide.status).toBe(403);
  });

  test('E-253 an aggregation gathers anything, so it takes every right', async () => {
    const clusterRoleSelectors = [{matchLabels: {a: 'b'}}];
    const body = {metadata: {name: 'gather'}, aggregationRule: {clusterRoleSelectors}};
    const answer = await wire.as('alice', 'POST', CLUSTER_ROLES, {body});
    expect([answer.status, answer.body.message]).toEqual([
      403,
      'clusterroles.rbac.authorization.k8s.io "gather" is forbidden: must have cluster-admin privileges to use the aggregationRule',
    ]);
  });
});

describe('roles that every server has', () => {
  const can = async (wire: AuthWire, user: string, attributes: object): Promise<boolean> => {
    const spec = {user, resourceAttributes: attributes};
    const answer = await wire.as('admin', 'POST', `${AUTHORIZATION}/subjectaccessreviews`, {body: {spec}});
    return answer.body.status.allowed;
  };

  test('E-253 view, edit and admin hold what they gather, as soon as the server answers', async () => {
    await using wire = await startAuthWire();
    for (const [user, name] of [
      ['v', 'view'],
      ['e', 'edit'],
      ['a', 'admin'],
    ]) {
      const body = {
        metadata: {name},
        roleRef: {kind: 'ClusterRole', name},
        subjects: [{kind: 'User', name: user}],
      };
      await wire.as('admin', 'POST', BINDINGS, {body});
    }
    const endpoints = {verb: 'get', resource: 'endpoints', namespace: 'one'};
    const services = {verb: 'create', resource: 'services', namespace: 'one'};
    const roles = {verb: 'create', resource: 'roles', group: GROUP, namespace: 'one'};
    const table = [];
    for (const user of ['v', 'e', 'a']) {
      table.push(await Promise.all([endpoints, services, roles].map(each => can(wire, user, each))));
    }
    expect(table).toEqual([
      [true, false, false],
      [true, true, false],
      [true, true, true],
    ]);
  });

  test('E-253 a role that is gathered later counts at once, also through a chain', async () => {
    await using wire = await startAuthWire();
    const body = {
      metadata: {name: 'custom', labels: {[`${GROUP}/aggregate-to-view`]: 'true'}},
      rules: [{verbs: ['get'], apiGroups: ['example.com'], resources: ['things']}],
    };
    await wire.as('admin', 'POST', CLUSTER_ROLES, {body});
    const holds = async (): Promise<boolean> =>
      (await wire.as('admin', 'GET', `${CLUSTER_ROLES}/admin`)).text.includes('example.com');
    await vi.waitFor(async () => expect(await holds()).toBe(true));
    const {managedFields} = (await wire.as('admin', 'GET', `${CLUSTER_ROLES}/admin`)).body.metadata;
    const manager = 'clusterrole-aggregation-controller';
    expect(managedFields).toContainEqual(
      expect.objectContaining({manager, operation: 'Apply', fieldsV1: {'f:rules': {}}}),
    );
    await wire.as('admin', 'DELETE', `${CLUSTER_ROLES}/custom`);
    await vi.waitFor(async () => expect(await holds()).toBe(false));
  });

  test('E-253 rules that somebody wrote into a role that aggregates are taken over; without any to gather they stay', async () => {
    await using wire = await startAuthWire();
    const gathering = (name: string) => ({
      metadata: {name},
      aggregationRule: {clusterRoleSelectors: [{matchLabels: {'example.com/into': name}}]},
      rules: [{verbs: ['get'], apiGroups: ['example.com'], resources: ['own']}],
    });
    for (const name of ['empty', 'filled']) await wire.as('admin', 'POST', CLUSTER_ROLES, {body: gathering(name)});
    const rules = [{verbs: ['list'], apiGroups: ['example.com'], resources: ['gathered']}];
    await wire.as('admin', 'POST', CLUSTER_ROLES, {
      body: {metadata: {name: 'part', labels: {'example.com/into': 'filled'}}, rules},
    });
    const rulesOf = async (name: string) => (await wire.as('admin', 'GET', `${CLUSTER_ROLES}/${name}`)).body.rules;
    await vi.waitFor(async () => expect(await rulesOf('filled')).toEqual(rules));
    expect(await rulesOf('empty')).toEqual(gathering('empty').rules);
  });

  test('E-253 roles that are deleted while they are filled do not come back', async () => {
    await using wire = await startAuthWire();
    const names = Array.from({length: 40}, (_, i) => `gather-${i}`);
    const aggregationRule = {clusterRoleSelectors: [{matchLabels: {'example.com/into': 'all'}}]};
    const post = (name: string, rest: object) =>
      wire.as('admin', 'POST', CLUSTER_ROLES, {body: {metadata: {name, labels: {a: 'b'}}, ...rest}});
    for (const name of names) await post(name, {aggregationRule});
    const rules = [{verbs: ['get'], apiGroups: ['example.com'], resources: ['things']}];
    const part = {metadata: {name: 'part', labels: {'example.com/into': 'all'}}, rules};
    await wire.as('admin', 'POST', CLUSTER_ROLES, {body: part});
    await Promise.all(names.map(name => wire.as('admin', 'DELETE', `${CLUSTER_ROLES}/${name}`)));
    await post('last', {aggregationRule}); // filled by a later round
    await vi.waitFor(async () =>
      expect((await wire.as('admin', 'GET', `${CLUSTER_ROLES}/last`)).body.rules).toEqual(rules),
    );
    const {items} = (await wire.as('admin', 'GET', `${CLUSTER_ROLES}?labelSelector=a%3Db`)).body;
    expect(items.map((role: Body) => role.metadata.name)).toEqual(['last']);
  });

  test('E-253 rules that a server before this one updated go with the last part', async () => {
    await using wire = await startAuthWire();
    const aggregationRule = {clusterRoleSelectors: [{matchLabels: {'example.com/into': 'old'}}]};
    const rules = [{verbs: ['get'], apiGroups: ['example.com'], resources: ['things']}];
    const part = {metadata: {name: 'part', labels: {'example.com/into': 'old'}}, rules};
    await wire.as('admin', 'POST', CLUSTER_ROLES, {body: part});
    await wire.as('admin', 'POST', `${CLUSTER_ROLES}?fieldManager=clusterrole-aggregation-controller`, {
      body: {metadata: {name: 'old'}, aggregationRule, rules},
    });
    await wire.as('admin', 'DELETE', `${CLUSTER_ROLES}/part`);
    await vi.waitFor(async () =>
      expect((await wire.as('admin', 'GET', `${CLUSTER_ROLES}/old`)).body.rules ?? []).toEqual([]),
    );
  });

  test('E-253 the product roles of the IDS side', async () => {
    await using wire = await startAuthWire();
    const ask = (user: string, verb: string, resource: string, subresource = ''): Promise<boolean> =>
      can(wire, user, {group: 'ids.googleapis.com', verb, resource, subresource, namespace: 'my-project'});
    for (const name of ['ids-admin', 'ids-editor', 'ids-viewer']) {
      const subjects = [{kind: 'User', name}];
      const body = {metadata: {name}, roleRef: {kind: 'ClusterRole', name}, subjects};
      await wire.as('admin', 'POST', CLUSTER_BINDINGS, {body});
    }
    const table = [];
    for (const user of ['ids-admin', 'ids-editor', 'ids-viewer', 'nobody']) {
      table.push([
        await ask(user, 'create', 'endpoints'),
        await ask(user, 'cancel', 'operations'),
        await ask(user, 'get', 'endpoints'),
        await ask(user, 'get', 'endpoints', 'threats'),
        await ask(user, 'list', 'locations'),
        await ask(user, 'setIamPolicy', 'endpoints'),
      ]);
    }
    expect(table).toEqual([
      [true, true, true, true, true, true],
      [true, true, true, true, true, false],
      [false, false, true, true, true, false],
      [false, false, false, false, false, false],
    ]);
  });

  test('E-253 a restart gives back what was taken from them, and keeps what was added', async () => {
    using folder = scratch();
    const headers = {'content-type': MERGE};
    {
      await using first = await startAuthWire({store: await openSqliteStore({file: join(folder.dir, 'store')})});
      const extra = {verbs: ['get'], nonResourceURLs: ['/extra']};
      const path = `${CLUSTER_ROLES}/system:public-info-viewer`;
      await first.as('admin', 'PATCH', path, {body: {rules: [extra]}, headers});
      const off = {metadata: {annotations: {'rbac.authorization.kubernetes.io/autoupdate': 'false'}}, rules: null};
      await first.as('admin', 'PATCH', `${CLUSTER_ROLES}/system:basic-user`, {body: off, headers});
      await first.as('admin', 'PATCH', `${CLUSTER_BINDINGS}/system:discovery`, {body: {subjects: []}, headers});
      await first.as('admin', 'DELETE', `${CLUSTER_ROLES}/view`);
      expect((await first.as('', 'GET', '/version')).status).toBe(403);
    }
    await using second = await startAuthWire({store: await openSqliteStore({file: join(folder.dir, 'store')})});
    expect((await second.as('', 'GET', '/version')).status).toBe(200);
    const public_ = (await second.as('admin', 'GET', `${CLUSTER_ROLES}/system:public-info-viewer`)).body;
    expect(public_.rules[0].nonResourceURLs).toEqual(['/extra']);
    expect((await second.as('admin', 'GET', `${CLUSTER_ROLES}/system:basic-user`)).body.rules).toBeNull();
    expect((await second.as('bob', 'GET', '/api')).status).toBe(200);
    expect((await second.as('admin', 'GET', `${CLUSTER_ROLES}/view`)).body.rules).not.toBeNull();
  });

  test('E-253 nothing is written by a restart over an untouched store', async () => {
    using folder = scratch();
    const versions = async (wire: AuthWire): Promise<string[]> =>
      (await wire.as('admin', 'GET', CLUSTER_ROLES)).body.items.map((each: Body) => each.metadata.resourceVersion);
    let before: string[];
    {
      await using first = await startAuthWire({store: await openSqliteStore({file: join(folder.dir, 'store')})});
      before = await versions(first);
    }
    await using second = await startAuthWire({store: await openSqliteStore({file: join(folder.dir, 'store')})});
    expect(await versions(second)).toEqual(before);
    expect((await second.as('admin', 'GET', ENDPOINTS)).status).toBe(200);
  });
});
