// SPDX-License-Identifier: Apache-2.0
/** Ref: kubernetes v1.36 apiserver/pkg/audit/policy/checker_test.go. */
import {describe, expect, test} from 'vitest';
import {type AuditAttributes, type AuditPolicyRule, auditRules} from './policy.ts';

const user = {name: 'tim@k8s.io', groups: ['humans']};
const resource = (more: Partial<AuditAttributes> = {}): AuditAttributes => ({
  ...{user, verb: 'get', resourceRequest: true, group: '', version: 'v1', resource: 'pods', subresource: ''},
  ...{namespace: 'default', name: 'busybox', path: '/api/v1/namespaces/default/pods/busybox'},
  ...more,
});
const path = (at: string, verb = 'get'): AuditAttributes => ({
  ...resource({verb, path: at, resourceRequest: false, group: '', version: '', resource: '', namespace: '', name: ''}),
});
const cluster = resource({group: 'rbac.authorization.k8s.io', resource: 'clusterroles', namespace: '', name: 'edit'});
const log = resource({subresource: 'log'});

type Row = readonly [name: string, rule: Omit<AuditPolicyRule, 'level'>, attributes: AuditAttributes, matches: boolean];
const rows: readonly Row[] = [
  ['an empty rule matches a resource', {}, resource(), true],
  ['an empty rule matches a path', {}, path('/logs'), true],
  ['a user of the list', {users: ['tim@k8s.io']}, resource(), true],
  ['another user', {users: ['joe']}, resource(), false],
  ['no user at all', {users: ['joe']}, resource({user: undefined}), false],
  ['a group of the list', {userGroups: ['humans', 'bots']}, resource(), true],
  ['another group', {userGroups: ['bots']}, resource(), false],
  ['a verb of the list', {verbs: ['get']}, resource(), true],
  ['another verb', {verbs: ['create']}, resource(), false],
  ['a namespace of the list', {namespaces: ['default', 'kube-system']}, resource(), true],
  ['another namespace', {namespaces: ['kube-system']}, resource(), false],
  ['what has no namespace is in the empty one', {namespaces: ['']}, cluster, true],
  ['a namespace never matches a path', {namespaces: ['']}, path('/logs'), false],
  ['a resource of the core group', {resources: [{group: '', resources: ['pods']}]}, resource(), true],
  ['an absent group is the core group', {resources: [{resources: ['pods']}]}, resource(), true],
  ['all resources of a group', {resources: [{group: ''}]}, resource(), true],
  ['the resource of another group', {resources: [{group: 'apps', resources: ['pods']}]}, resource(), false],
  ['a resource without its subresource', {resources: [{resources: ['pods']}]}, log, false],
  ['a subresource', {resources: [{resources: ['pods/log']}]}, log, true],
  ['any subresource of a resource', {resources: [{resources: ['pods/*']}]}, log, true],
  ['pods/* is the resource itself, too', {resources: [{resources: ['pods/*']}]}, resource(), true],
  ['a subresource of any resource', {resources: [{resources: ['*/log']}]}, log, true],
  ['every resource', {resources: [{resources: ['*']}]}, log, true],
  ['a name of the list', {resources: [{resources: ['pods'], resourceNames: ['busybox']}]}, resource(), true],
  ['another name', {resources: [{resources: ['pods'], resourceNames: ['web']}]}, resource(), false],
  ['a path', {nonResourceURLs: ['/logs']}, path('/logs'), true],
  ['a path below', {nonResourceURLs: ['/logs']}, path('/logs/kubelet.log'), false],
  ['paths below with a star', {nonResourceURLs: ['/logs*']}, path('/logs/kubelet.log'), true],
  ['every path', {nonResourceURLs: ['*']}, path('/logs'), true],
  ['a path never matches a resource', {nonResourceURLs: ['*']}, resource(), false],
  ['all conditions together', {users: ['tim@k8s.io'], verbs: ['get'], namespaces: ['x']}, resource(), false],
];

describe('a rule and a request', () => {
  test.each(rows)('%s', (_name, rule, attributes, matches) => {
    const {level} = auditRules({rules: [{level: 'Request', ...rule}]})(attributes);
    expect(level).toBe(matches ? 'Request' : 'None');
  });
});

test('the first rule that matches decides; without one nothing is written', () => {
  const rules = auditRules({
    rules: [
      {level: 'None', users: ['tim@k8s.io']},
      {level: 'RequestResponse', verbs: ['get']},
    ],
  });
  expect(rules(resource()).level).toBe('None');
  expect(rules(resource({user: {name: 'joe', groups: []}})).level).toBe('RequestResponse');
  expect(rules(resource({user: undefined, verb: 'list'})).level).toBe('None');
});

test('stages of the policy and of the rule are left out together; a rule overrides omitManagedFields', () => {
  const rules = auditRules({
    omitStages: ['RequestReceived'],
    omitManagedFields: true,
    rules: [{level: 'Request', verbs: ['get'], omitStages: ['Panic'], omitManagedFields: false}, {level: 'Request'}],
  });
  expect(rules(resource())).toEqual({
    level: 'Request',
    omitStages: new Set(['RequestReceived', 'Panic']),
    omitManagedFields: false,
  });
  expect(rules(cluster).omitManagedFields).toBe(false);
  expect(rules(path('/x', 'post'))).toMatchObject({omitStages: new Set(['RequestReceived']), omitManagedFields: true});
});
