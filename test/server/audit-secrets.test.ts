// SPDX-License-Identifier: Apache-2.0
/** Bodies that no policy brings into the audit log: the list names what is served, and everything served that shows a secret is on it. */

import {afterAll, beforeAll, expect, test} from 'vitest';
import {recordingAuditor} from '../../packages/apiserver/src/testing/recording-auditor.ts';
import {PERMISSIONS} from '../../packages/ids/src/auth.ts';
import {hasSecretBodies, SECRET_BODIES} from '../../packages/server/src/audit/secret-bodies.ts';
import {ACCOUNTS, type AccountWire, KEYS, startAccountWire} from '../wire/account-support.ts';
import type {Body} from '../wire/support.ts';

const audit = recordingAuditor({rules: [{level: 'RequestResponse'}]}, hasSecretBodies);
let wire: AccountWire;
beforeAll(async () => {
  wire = await startAccountWire(undefined, audit);
});
afterAll(() => wire[Symbol.asyncDispose]());

const SECRET = 'hunter2-hunter2-hunter2';
const SECRETS = '/api/v1/namespaces/one/secrets';
const TOKENS = '/apis/platform.io/v1alpha1/accesstokens';

/** How each of them is written, and the secrets that its answer shows. */
const WRITES: Readonly<
  Record<string, readonly [path: string, body: object, shown: (body: Body) => string | undefined]>
> = {
  '/secrets': [SECRETS, {metadata: {name: 'x'}, stringData: {password: SECRET}}, () => SECRET],
  '/serviceaccounts/token': [`${ACCOUNTS}/builder/token`, {spec: {}}, body => body.status.token],
  'authentication.k8s.io/tokenreviews': [
    '/apis/authentication.k8s.io/v1/tokenreviews',
    {spec: {token: SECRET}},
    body => body.spec.token,
  ],
  'platform.io/accesstokens': [TOKENS, {metadata: {name: 'x'}, spec: {user: 'jane'}}, body => body.status.token],
  'platform.io/serviceaccountkeys': [
    KEYS,
    {metadata: {name: 'x'}, spec: {serviceAccountName: 'builder'}},
    body => JSON.parse(body.status.keyFile).private_key,
  ],
};
const ofKubernetes = [...SECRET_BODIES].filter(name => !name.startsWith('ids.googleapis.com/'));

const asked = (group: string, resource: string, subresource = '') => ({
  ...{verb: 'create', resourceRequest: true, path: '', user: undefined},
  ...{group, version: 'v1', resource, subresource, namespace: '', name: ''},
});

test('47-5 every kind that shows something once is on the list', () => {
  const shownOnce = wire.api.services.kinds.filter(({strategy}) => strategy.answerOnce !== undefined);
  expect(shownOnce.map(({resource}) => resource).sort()).toEqual(['accesstokens', 'serviceaccountkeys']);
  for (const {group, resource} of shownOnce) expect(hasSecretBodies(asked(group, resource))).toBe(true);
});

test('47-5 every name of the list is served: one that was renamed protects nothing', async () => {
  const served = new Set<string>();
  for (const [group, path] of [
    ['', '/api/v1'],
    ['authentication.k8s.io', '/apis/authentication.k8s.io/v1'],
    ['platform.io', '/apis/platform.io/v1alpha1'],
  ] as const)
    for (const {name} of (await wire.admin('GET', path)).body.resources) served.add(`${group}/${name}`);
  for (const [, resource, subresource] of Object.values(PERMISSIONS))
    served.add(`ids.googleapis.com/${resource}${subresource === '' ? '' : `/${subresource}`}`);
  expect([...SECRET_BODIES].filter(name => !served.has(name))).toEqual([]);
});

test('47-5 the exchange of key files is on it, however its path ends', () => {
  const at = (path: string) => hasSecretBodies({...asked('', ''), resourceRequest: false, path});
  expect(['/token', '/token/', '/tokens', '/version'].map(at)).toEqual([true, true, false, false]);
});

test('47-5 there is a write below for each of them', () => {
  expect(Object.keys(WRITES).sort()).toEqual(ofKubernetes.sort());
});

test.each(Object.entries(WRITES))(
  '47-5 %s: no body and no secret, whatever is done to it',
  async (name, [path, body, shown]) => {
    const begun = audit.events.length;
    const {status, body: answered} = await wire.admin('POST', path, body);
    expect([name, status]).toEqual([name, 201]);
    const secret = shown(answered) ?? '';
    expect(secret.length).toBeGreaterThan(20);
    if (/secrets|accesstokens|keys/.test(path)) {
      await wire.admin('POST', path, body); // 409
      await wire.admin('POST', path, {...body, spec: [SECRET], data: {x: SECRET}}); // 400
      await wire.admin('GET', path);
      await wire.admin('GET', `${path}/x`);
      await wire.admin('DELETE', `${path}/x`);
    }
    const events = audit.events.slice(begun);
    expect(events.length).toBeGreaterThan(0);
    for (const event of events) {
      expect(event).toMatchObject({level: 'Metadata'});
      expect(event).not.toHaveProperty('requestObject');
      expect(event).not.toHaveProperty('responseObject');
    }
    const text = JSON.stringify(events);
    for (const each of [secret, SECRET, JSON.stringify(secret).slice(1, -1), Buffer.from(SECRET).toString('base64')])
      expect(text).not.toContain(each);
  },
);

test('47-5 a token that is created, or refused, says in the log for whom', async () => {
  const create = async (name: string, spec: object) => {
    await wire.admin('POST', TOKENS, {metadata: {name}, spec});
    return audit.events.at(-1);
  };
  expect(await create('y', {user: 'jane', groups: ['a', 'b'], ttlSeconds: 3600})).toMatchObject({
    responseStatus: {code: 201},
    annotations: {
      'palisade.io/token-user': 'jane',
      'palisade.io/token-groups': 'a,b',
      'palisade.io/token-expires': expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]+Z$/),
    },
  });
  const refused = await create('z', {user: 'jane', ttlSeconds: -1});
  expect(refused?.responseStatus?.code).toBeGreaterThanOrEqual(400);
  expect(refused?.annotations).toMatchObject({'palisade.io/token-user': 'jane'});
});
