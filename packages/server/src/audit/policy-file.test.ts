// SPDX-License-Identifier: Apache-2.0
import {type AuditAttributes, auditRules} from '@palisade/apiserver';
import {expect, test} from 'vitest';
import {parseAuditPolicy, readAuditPolicy} from './policy-file.ts';

const HEAD = 'apiVersion: audit.k8s.io/v1\nkind: Policy\n';

test('a policy of upstream is read as it is', () => {
  const text = `${HEAD}omitStages: ["RequestReceived"]
rules:
  - level: RequestResponse
    resources:
    - group: ""
      resources: ["pods"]
  - level: None
    users: ["system:kube-proxy"]
    verbs: ["watch"]
    resources:
    - group: "" # core API group
      resources: ["endpoints", "services"]
  - level: None
    userGroups: ["system:authenticated"]
    nonResourceURLs:
    - "/api*" # Wildcard matching.
    - "/version"
  - level: Metadata
    omitStages:
      - "RequestReceived"
`;
  const {policy, faults} = parseAuditPolicy(text);
  expect(faults).toEqual([]);
  expect(policy?.rules.map(({level}) => level)).toEqual(['RequestResponse', 'None', 'None', 'Metadata']);
});

test('all faults are named at once, with line, field, value and way out', () => {
  const {policy, faults} = parseAuditPolicy(`apiVersion: audit.k8s.io/v1beta1
kind: Policy
omitStage: [Panic]
rules:
  - level: Loud
    users: anna
    nonResourceURLs: ["/a*b", "x"]
    namespaces: [a]
  - verbs: [1]
    resources: [{group: rbac/v1, resourceNames: [x]}]
    omitStages: [Started]
    omitManagedFields: "yes"
`);
  expect(policy).toBeUndefined();
  expect(faults).toEqual([
    '1:13: apiVersion: "audit.k8s.io/v1beta1": must be audit.k8s.io/v1',
    expect.stringMatching(/^3:1: omitStage: no such field; use apiVersion, kind, /),
    '5:12: rules[0].level: "Loud": must be one of None, Metadata, Request, RequestResponse',
    '6:12: rules[0].users: must be a list',
    '7:23: rules[0].nonResourceURLs[0]: "/a*b": "*" must be the last character',
    '7:31: rules[0].nonResourceURLs[1]: "x": must begin with "/"',
    '9:13: rules[1].verbs[0]: must be a text; put it in quotes',
    expect.stringContaining('rules[1].resources[0].group: "rbac/v1": must be the name of an API group'),
    expect.stringContaining('rules[1].omitStages[0]: "Started": must be one of RequestReceived'),
    '12:24: rules[1].omitManagedFields: must be true or false',
    '9:5: rules[1].level: is required',
    expect.stringContaining('rules[0]: nonResourceURLs cannot be used with resources or namespaces'),
    expect.stringContaining('rules[1].resources[0].resourceNames: needs resources'),
  ]);
});

test('text that is no YAML, or no policy, is refused', () => {
  expect(parseAuditPolicy('rules: [').faults).toHaveLength(1);
  expect(parseAuditPolicy('').faults).toEqual(['1:1: must be a mapping of keys to values']);
  expect(parseAuditPolicy(HEAD).faults).toEqual(['1:1: rules: is required']);
});

test('a file that is not there is named with its flag', async () => {
  await expect(readAuditPolicy('/nope/policy.yaml')).rejects.toThrow(
    '--audit-policy-file /nope/policy.yaml: cannot be read: no such file',
  );
});

const resource = (group: string, whole: string, verb: string): AuditAttributes => {
  const [name = '', subresource = ''] = whole.split('/');
  return {
    ...{
      user: {name: 'anna', groups: []},
      verb,
      resourceRequest: true,
      group,
      version: 'v1',
      resource: name,
      subresource,
    },
    ...{namespace: 'p', name: 'x', path: ''},
  };
};
const path = (at: string): AuditAttributes => ({...resource('', '', 'get'), resourceRequest: false, path: at});
const IDS = 'ids.googleapis.com';

test.each<[string, AuditAttributes, string]>([
  ['a write', resource('', 'endpoints', 'create'), 'Metadata'],
  ['a delete of many', resource('apps', 'deployments', 'deletecollection'), 'Metadata'],
  ['an IDS endpoint that is created', resource(IDS, 'endpoints', 'create'), 'Metadata'],
  ['a rule set that is changed', resource(IDS, 'rules', 'update'), 'Metadata'],
  ['a read of threats', resource(IDS, 'endpoints/threats', 'get'), 'Metadata'],
  ['a read of evidence', resource(IDS, 'endpoints/evidence', 'get'), 'Metadata'],
  ['a read of traffic', resource(IDS, 'endpoints/traffic', 'get'), 'Metadata'],
  ['triage', resource(IDS, 'endpoints/threats', 'update'), 'Metadata'],
  ['a read of Secrets', resource('', 'secrets', 'list'), 'Metadata'],
  ['a token', resource('', 'serviceaccounts/token', 'create'), 'Metadata'],
  ['a read of the audit log', path('/audit'), 'Metadata'],
  ['another read', resource('', 'endpoints', 'get'), 'None'],
  ['a watch of leases', resource('coordination.k8s.io', 'leases', 'watch'), 'None'],
  ['a lease that is renewed', resource('coordination.k8s.io', 'leases', 'update'), 'None'],
  ['an Event', resource('events.k8s.io', 'events', 'create'), 'None'],
  ['health', path('/readyz'), 'None'],
  ['metrics', path('/metrics'), 'None'],
  ['discovery', path('/apis/apps/v1'), 'None'],
])('the bundled policy: %s', async (_name, attributes, level) => {
  expect(auditRules(await readAuditPolicy(undefined))(attributes).level).toBe(level);
});
