// SPDX-License-Identifier: Apache-2.0
/** Keys of service accounts, their exchange at /token, and tokens that clients sign with them. Ref: requirements I-114; RFC 7523. */
import {createPrivateKey} from 'node:crypto';
import type {AuditPolicy} from '@palisade/apiserver';
import {SignJWT} from 'jose';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {recordingAuditor} from '../../packages/apiserver/src/testing/recording-auditor.ts';
import {hasSecretBodies} from '../../packages/server/src/audit/secret-bodies.ts';
import {ACCOUNTS, type AccountWire, KEYS, startAccountWire} from '../wire/account-support.ts';

type KeyFile = {
  readonly private_key: string;
  readonly private_key_id: string;
  readonly client_email: string;
  readonly token_uri: string;
};

const GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const failed: (string | undefined)[] = [];
let limitedFor: number | undefined;
const ALL: AuditPolicy = {rules: [{level: 'RequestResponse'}]};
const audit = recordingAuditor(ALL, hasSecretBodies);
let wire: AccountWire;
let file: KeyFile;
beforeAll(async () => {
  wire = await startAccountWire(
    {
      failed: address => {
        failed.push(address);
        return limitedFor;
      },
    },
    audit,
  );
  file = await newKey('first');
});
afterAll(() => wire[Symbol.asyncDispose]());

const create = (name: string, spec: object = {serviceAccountName: 'builder'}) =>
  wire.admin('POST', KEYS, {metadata: {name}, spec});
const newKey = async (name: string, spec?: object): Promise<KeyFile> => {
  const {status, body} = await create(name, spec);
  expect([status, body.message]).toEqual([201, undefined]);
  return JSON.parse(body.status.keyFile);
};

type Claims = Readonly<Record<string, unknown>>;
const signWith = (key: KeyFile, claims: Claims, kid = key.private_key_id): Promise<string> => {
  const now = Math.floor(wire.time.now() / 1000);
  return new SignJWT({iss: key.client_email, sub: key.client_email, iat: now, exp: now + 3600, ...claims})
    .setProtectedHeader({alg: 'RS256', typ: 'JWT', kid})
    .sign(createPrivateKey(key.private_key));
};
const exchange = async (key: KeyFile, claims: Claims = {}) =>
  wire.form({grant_type: GRANT, assertion: await signWith(key, {aud: key.token_uri, ...claims})});
const userOf = async (token: string): Promise<string> => {
  const {status, body} = await wire.as(token, 'POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {body: {}});
  return status === 201 ? body.status.userInfo.username : String(status);
};
const USER = 'system:serviceaccount:one:builder';

describe('I-114 a ServiceAccountKey', () => {
  test('I-114 shows its file in the answer to the create and never again; the account owns it', async () => {
    const {body} = await create('shown');
    const account = (await wire.admin('GET', `${ACCOUNTS}/builder`)).body.metadata;
    expect(JSON.parse(body.status.keyFile)).toEqual({
      type: 'service_account',
      project_id: 'one',
      private_key_id: 'shown',
      private_key: expect.stringMatching(/^-----BEGIN PRIVATE KEY-----/),
      client_email: 'builder@one.iam.gserviceaccount.com',
      client_id: account.uid,
      auth_uri: `${wire.url}/auth`,
      token_uri: `${wire.url}/token`,
      universe_domain: 'googleapis.com',
    });
    const stored = (await wire.admin('GET', `${KEYS}/shown`)).body;
    expect(stored.status).toEqual({
      serviceAccountUID: account.uid,
      clientEmail: 'builder@one.iam.gserviceaccount.com',
      publicKey: expect.stringMatching(/^-----BEGIN PUBLIC KEY-----/),
    });
    expect(stored.metadata.ownerReferences).toEqual([
      {apiVersion: 'v1', kind: 'ServiceAccount', name: 'builder', uid: account.uid},
    ]);
    expect(JSON.stringify((await wire.admin('GET', KEYS)).body)).not.toContain('PRIVATE KEY');
  });

  test.each([
    [{}, 'spec.serviceAccountName: Required value: name the ServiceAccount'],
    [{serviceAccountName: 'absent'}, 'spec.serviceAccountName: Not found: "absent"'],
    [
      {serviceAccountName: 'builder', expirationTimestamp: '2020-01-01T00:00:00Z'},
      'spec.expirationTimestamp: Invalid value: "2020-01-01T00:00:00Z": must be in the future',
    ],
  ])('refuses the spec %j', async (spec, text) => {
    const {status, body} = await create('bad', spec);
    expect([status, body.message]).toEqual([422, expect.stringContaining(text)]);
  });

  test('cannot be changed', async () => {
    const {status, body} = await wire.admin('PUT', `${KEYS}/first`, {metadata: {name: 'first'}, spec: {}});
    expect([status, body.message]).toEqual([405, expect.stringContaining('a key cannot be changed')]);
  });

  test('needs the right to make tokens of the account, beside the right to make keys', async () => {
    const rbac = '/apis/rbac.authorization.k8s.io/v1/namespaces/one';
    const rule = (group: string, resource: string) => ({apiGroups: [group], resources: [resource], verbs: ['create']});
    await wire.admin('POST', `${rbac}/roles`, {
      metadata: {name: 'k'},
      rules: [rule('platform.io', 'serviceaccountkeys')],
    });
    await wire.admin('POST', `${rbac}/rolebindings`, {
      metadata: {name: 'k'},
      roleRef: {apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'k'},
      subjects: [{apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'bob'}],
    });
    const make = () =>
      wire.as('bob-token', 'POST', KEYS, {body: {metadata: {name: 'bobs'}, spec: {serviceAccountName: 'builder'}}});
    const refused = await make();
    expect([refused.status, refused.body.message]).toEqual([
      403,
      expect.stringContaining('user "bob" cannot create tokens of service account "builder"'),
    ]);
    const rules = [rule('platform.io', 'serviceaccountkeys'), rule('', 'serviceaccounts/token')];
    await wire.admin('PUT', `${rbac}/roles/k`, {metadata: {name: 'k'}, rules});
    expect((await make()).status).toBe(201);
  });
});

describe('I-114 the exchange at /token', () => {
  test('I-114 answers an access token of the account for an hour, for its own token_uri and that of Google', async () => {
    const {status, body} = await exchange(file);
    expect([status, body]).toEqual([200, {access_token: expect.any(String), expires_in: 3600, token_type: 'Bearer'}]);
    expect(await userOf(body.access_token)).toBe(USER);
    const google = await exchange(file, {aud: 'https://oauth2.googleapis.com/token'});
    expect(await userOf(google.body.access_token)).toBe(USER);
    wire.time.advance(3_661_000);
    expect(await userOf(body.access_token)).toBe('401');
  });

  test.each<[string, Record<string, string>, string]>([
    ['no grant type', {}, 'invalid_request'],
    ['another grant type', {grant_type: 'password'}, 'unsupported_grant_type'],
    ['no assertion', {grant_type: GRANT}, 'invalid_request'],
    ['what is no JWT', {grant_type: GRANT, assertion: 'x'}, 'invalid_grant'],
  ])('refuses %s', async (_, fields, error) => {
    const {status, body} = await wire.form(fields);
    expect([status, body]).toEqual([400, {error, error_description: expect.any(String)}]);
  });

  test.each<[string, Claims, string]>([
    ['for another audience', {aud: 'https://example.com/token'}, 'aud of the assertion must be token_uri'],
    ['without a time', {exp: undefined}, 'needs iat and exp'],
    ['for longer than an hour', {exp: 9_999_999_999}, 'must end within an hour'],
    ['that has ended', {iat: 1_000, exp: 2_000}, 'the assertion has expired'],
    ['of another subject', {sub: 'x@one.iam.gserviceaccount.com'}, 'sub of the assertion must equal iss'],
    ['of another account', {iss: 'default@one.iam.gserviceaccount.com', sub: undefined}, 'of another account'],
    ['of another namespace', {iss: 'builder@two.iam.gserviceaccount.com', sub: undefined}, 'was not found'],
  ])('refuses an assertion %s, and counts a failed login', async (_, claims, text) => {
    failed.length = 0;
    const {status, body} = await exchange(file, claims);
    expect([status, body.error, body.error_description]).toEqual([400, 'invalid_grant', expect.stringContaining(text)]);
    expect(failed).toEqual(['127.0.0.1']);
  });

  test('refuses an assertion that another key has signed', async () => {
    const other = await newKey('other');
    const assertion = await signWith({...other, private_key_id: 'first'}, {aud: file.token_uri});
    const {body} = await wire.form({grant_type: GRANT, assertion});
    expect(body).toEqual({error: 'invalid_grant', error_description: 'invalid JWT signature'});
  });

  test('refuses other methods, other types and long bodies', async () => {
    const send = async (init: RequestInit) => {
      const response = await fetch(`${wire.url}/token`, init);
      return [response.status, ((await response.json()) as {error: string}).error];
    };
    expect(await send({})).toEqual([405, 'invalid_request']);
    expect(await send({method: 'POST', body: '{}'})).toEqual([400, 'invalid_request']);
    const body = new URLSearchParams({grant_type: GRANT, assertion: 'x'.repeat(70_000)});
    expect(await send({method: 'POST', body})).toEqual([413, 'invalid_request']);
  });

  test('an address with too many failed logins has to wait', async () => {
    limitedFor = 7;
    const body = new URLSearchParams({grant_type: GRANT, assertion: 'a.b.c'});
    const response = await fetch(`${wire.url}/token`, {method: 'POST', body});
    limitedFor = undefined;
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '7']);
  });
});

describe('47-5 the exchange in the audit log', () => {
  const last = () => {
    const {responseStatus: {code, message} = {}, ...event} = audit.events.at(-1) ?? {};
    return {...event, code, message};
  };
  const secrets: string[] = [];
  const tried = async (claims: Claims, key = file) => {
    const assertion = await signWith(key, {aud: key.token_uri, ...claims});
    const {body} = await wire.form({grant_type: GRANT, assertion});
    secrets.push(assertion, ...(body.access_token === undefined ? [] : [body.access_token]));
    return last();
  };

  test('an issued token: which account got it with which key', async () => {
    expect(await tried({})).toMatchObject({
      ...{level: 'Metadata', stage: 'ResponseComplete', verb: 'post', requestURI: '/token', code: 200},
      user: {username: USER, extra: {'platform.io/service-account-key': ['first']}},
      sourceIPs: ['127.0.0.1'],
    });
  });

  test('every refusal, whatever the policy says: with the account where the signature is right, else with the one it claims', async () => {
    audit.usePolicy({rules: [{level: 'None'}]});
    expect(await tried({aud: 'https://example.com/token'})).toMatchObject({
      ...{level: 'Metadata', code: 400, user: {username: USER}},
      annotations: {
        'authorization.k8s.io/decision': 'forbid',
        'authorization.k8s.io/reason': 'aud of the assertion must be token_uri of the key file',
      },
    });
    expect(await tried({}, {...(await newKey('impostor')), private_key_id: 'first'})).toMatchObject({
      ...{level: 'Metadata', code: 400, user: {}},
      annotations: {'authorization.k8s.io/reason': 'invalid JWT signature', 'palisade.io/claimed-user': USER},
    });
    limitedFor = 7;
    expect(await tried({iat: 1_000, exp: 2_000})).toMatchObject({code: 429, user: {}});
    limitedFor = undefined;
    await fetch(`${wire.url}/token?assertion=${secrets[0]}`);
    expect(last()).toMatchObject({level: 'Metadata', code: 405, requestURI: '/token?assertion=...'});
    const before = audit.events.length;
    await tried({});
    expect(audit.events.length).toBe(before); // a success is for the policy to decide
    audit.usePolicy(ALL);
  });

  test('never an assertion or a token', () => {
    const text = JSON.stringify(audit.events);
    expect(secrets.length).toBeGreaterThan(4);
    for (const secret of secrets) expect(text).not.toContain(secret.split('.')[2]);
  });
});

describe('I-114 a token that a client signs with its key file', () => {
  test.each<[string, Claims]>([
    ['for the service', {aud: 'https://ids.googleapis.com/'}],
    ['for a service of gRPC', {aud: 'https://ids.googleapis.com/google.cloud.ids.v1.IDS'}],
    ['with a scope', {scope: 'openid https://www.googleapis.com/auth/cloud-platform'}],
  ])('I-114 %s is accepted', async (_, claims) => {
    expect(await userOf(await signWith(file, claims))).toBe(USER);
  });

  test.each<[string, Claims]>([
    ['for another service', {aud: 'https://compute.googleapis.com/'}],
    ['with another scope', {scope: 'https://www.googleapis.com/auth/drive'}],
    ['for nothing', {}],
    ['for the exchange of key files, not for the API', {aud: 'https://ids.googleapis.com/token'}],
    ['that ends too late', {aud: 'https://ids.googleapis.com/', exp: 9_999_999_999}],
  ])('%s is refused', async (_, claims) => {
    expect(await userOf(await signWith(file, claims))).toBe('401');
  });

  test('for the address of the server is accepted, and no exchange takes it', async () => {
    expect(await userOf(await signWith(file, {aud: `${wire.url}/`}))).toBe(USER);
    expect((await exchange(file, {aud: `${wire.url}/`})).body.error).toBe('invalid_grant');
  });

  test('what is meant for the exchange is no token for the API', async () => {
    expect(await userOf(await signWith(file, {aud: file.token_uri}))).toBe('401');
    expect(await userOf(await signWith(file, {aud: [file.token_uri, 'https://example.com/']}))).toBe('401');
  });
});

describe('I-114 what a key gives ends', () => {
  const bothOf = async (key: KeyFile): Promise<readonly [string, string]> => [
    (await exchange(key)).body.access_token,
    await signWith(key, {aud: 'https://ids.googleapis.com/'}),
  ];

  test('when the key is deleted, also for a later one of the same name', async () => {
    const key = await newKey('gone');
    const [token, signed] = await bothOf(key);
    expect([await userOf(token), await userOf(signed)]).toEqual([USER, USER]);
    await wire.admin('DELETE', `${KEYS}/gone`);
    expect([await userOf(token), await userOf(signed)]).toEqual(['401', '401']);
    expect((await exchange(key)).body.error).toBe('invalid_grant');
    await newKey('gone');
    expect([await userOf(token), await userOf(signed)]).toEqual(['401', '401']);
  });

  test('at the end of the key', async () => {
    const end = new Date(wire.time.now() + 60_000).toISOString();
    const [token, signed] = await bothOf(
      await newKey('brief', {serviceAccountName: 'builder', expirationTimestamp: end}),
    );
    wire.time.advance(59_000);
    expect([await userOf(token), await userOf(signed)]).toEqual([USER, USER]);
    wire.time.advance(1_000);
    expect([await userOf(token), await userOf(signed)]).toEqual(['401', '401']);
  });

  test('with its account, which takes the key along', async () => {
    await wire.admin('POST', ACCOUNTS, {metadata: {name: 'brief'}});
    const key = await newKey('of-brief', {serviceAccountName: 'brief'});
    const [token] = await bothOf(key);
    await wire.admin('DELETE', `${ACCOUNTS}/brief`);
    expect(await userOf(token)).toBe('401');
    await expect.poll(async () => (await wire.admin('GET', `${KEYS}/of-brief`)).status).toBe(404);
  });
});
