// SPDX-License-Identifier: Apache-2.0
/** Tokens that are issued and revoked while the server runs: shown once, stored as a digest. Ref: issue 47, point 2. */
import {type Attributes, digestOfToken, type PolicyRule, ruleAllows, type TokenAnswer} from '@palisade/apiserver';
import {type Body, MemoryApi, type Reply, type Resource} from '@palisade/apiserver/testing';
import {openMemoryStore} from '@palisade/store/memory';
import {afterEach, beforeEach, describe, expect, test} from 'vitest';
import {KEEP_EXPIRED_MS} from './access-tokens.ts';
import {type AccessTokens, createAccessTokens} from './index.ts';
import {accessTokensKind} from './kind.ts';
import {GROUPS_MAX, TTL_SECONDS_MAX} from './validate.ts';

const rule = (verb: string, group: string, resource: string, ...resourceNames: string[]): PolicyRule => ({
  verbs: [verb],
  apiGroups: [group],
  resources: [resource],
  resourceNames,
});
/** Rights of users who are not system:masters. */
const RULES: Readonly<Record<string, readonly PolicyRule[]>> = {
  issuer: [
    rule('impersonate', '', 'users', 'anna'),
    rule('impersonate', '', 'groups', 'dev', 'ops'),
    rule('impersonate', 'authentication.k8s.io', 'uids', 'u1'),
  ],
  plain: [],
};
const allows = (attributes: Attributes): boolean =>
  attributes.user.groups.includes('system:masters') ||
  (RULES[attributes.user.name] ?? []).some(each => ruleAllows(each, attributes));
const authorizer = {
  authorize: (attributes: Attributes) => ({allowed: allows(attributes)}),
  resolver: {allows, rulesFor: () => ({rules: [], missing: [], errors: []}), rulesOf: () => undefined},
};

let store: Awaited<ReturnType<typeof openMemoryStore>>;
let api: MemoryApi;
let tokens: Resource;
let issued: AccessTokens;
const open = async (): Promise<void> => {
  issued = createAccessTokens();
  api = await MemoryApi.open({kinds: [accessTokensKind], controllers: [issued.controller], authorizer, store});
  tokens = api.of(accessTokensKind);
};
beforeEach(async () => {
  store = await openMemoryStore();
  await open();
});
afterEach(() => api[Symbol.asyncDispose]());

const create = (
  spec: Body,
  {as = tokens, metadata = {}, query = {}}: {as?: Resource; metadata?: Body; query?: Record<string, string>} = {},
): Promise<Reply> => as.send('create', '', {body: {metadata: {generateName: 'token-', ...metadata}, spec}, query});
const find = (token: string): TokenAnswer => issued.source.find(token) as TokenAnswer;

describe('the token', () => {
  test('is in the answer to the create alone: what is stored, read and listed has its digest', async () => {
    const {status, body} = await create({user: 'anna', groups: ['dev']});
    expect(status).toBe(201);
    const {token} = body.status;
    expect(token).toMatch(/^plst_[A-Za-z0-9_-]{43}$/);
    const digest = digestOfToken(token);
    expect(body.status).toEqual({digest, token, createdBy: 'system:apiserver'});
    const read = await tokens.send('get', body.metadata.name);
    expect(read.body.status).toEqual({digest, createdBy: 'system:apiserver'});
    expect(read.body.metadata).toEqual(body.metadata);
    const stored = (await store.list('/', {limit: 100})).entries.map(({value}) => Buffer.from(value).toString());
    expect(stored.join('\n')).toContain(digest);
    const texts = JSON.stringify([read.body, (await tokens.send('list', '')).body, stored]);
    expect(texts).not.toContain(token);
  });

  test('is another one each time, and a dry run shows none', async () => {
    const [one, two] = [await create({user: 'anna'}), await create({user: 'anna'})];
    expect(one.body.status.token).not.toBe(two.body.status.token);
    const dry = await create({user: 'anna'}, {query: {dryRun: 'All'}});
    expect(dry.status).toBe(201);
    expect(dry.body.status.token).toBeUndefined();
  });

  test('no status is taken from the client', async () => {
    const digest = digestOfToken('plst_chosen');
    const body = {
      metadata: {name: 'mine'},
      spec: {user: 'anna'},
      status: {digest, token: 'plst_chosen', createdBy: 'x'},
    };
    const answer = await tokens.as('boss', 'system:masters').send('create', '', {body});
    expect(answer.body.status).toMatchObject({createdBy: 'boss', digest: digestOfToken(answer.body.status.token)});
    expect(find('plst_chosen')).toMatchObject({outcome: 'refused'});
  });
});

describe('who a token stands for', () => {
  test('the user of the object, once it was answered', async () => {
    const {body} = await create({user: 'anna', uid: 'u1', groups: ['dev', 'ops']});
    expect(find(body.status.token)).toEqual({
      outcome: 'user',
      user: {
        name: 'anna',
        uid: 'u1',
        groups: ['dev', 'ops', 'system:authenticated'],
        extra: {'authentication.kubernetes.io/credential-id': [`AccessToken=${body.metadata.name}`]},
      },
    });
    expect(find(body.status.token)).toBe(find(body.status.token)); // the authorizer keeps what it knows by user object
  });

  test('nobody, as soon as the delete was answered', async () => {
    const {body} = await create({user: 'anna'});
    expect((await tokens.send('delete', body.metadata.name)).status).toBe(200);
    expect(find(body.status.token)).toEqual({outcome: 'refused', reason: 'access token unknown or revoked'});
  });

  test('nobody, while a grace period or a propagation holds the deleted object', async () => {
    for (const options of [
      {gracePeriodSeconds: 3600},
      {propagationPolicy: 'Foreground'},
      {propagationPolicy: 'Orphan'},
    ]) {
      const {body} = await create({user: 'anna'});
      await tokens.send('delete', body.metadata.name, {body: options});
      expect(find(body.status.token)).toMatchObject({outcome: 'refused'});
    }
  });

  test('nobody, after all were deleted with the collection', async () => {
    const {body} = await create({user: 'anna'});
    await tokens.send('deletecollection', '');
    expect(find(body.status.token)).toMatchObject({outcome: 'refused'});
  });

  test('the same after a restart', async () => {
    const [kept, gone] = [await create({user: 'anna'}), await create({user: 'bob'})];
    await tokens.send('delete', gone.body.metadata.name);
    await api.api.stop();
    await open();
    expect(find(kept.body.status.token)).toMatchObject({outcome: 'user', user: {name: 'anna'}});
    expect(find(gone.body.status.token)).toMatchObject({outcome: 'refused'});
  });

  test('a text of another form is left to other sources', () => {
    expect(find('change-me-1')).toBeUndefined();
    expect(find('plst_unknown')).toMatchObject({outcome: 'refused'});
  });
});

describe('a token with an end', () => {
  test('is refused from that time on, and its object is removed a day later', async () => {
    const {body} = await create({user: 'anna', ttlSeconds: 60});
    expect(body.status.expirationTimestamp).toBe('2026-01-01T00:01:00Z');
    api.time.advance(59_999);
    expect(find(body.status.token)).toMatchObject({outcome: 'user'});
    api.time.advance(1);
    expect(find(body.status.token)).toEqual({outcome: 'refused', reason: `access token ${body.metadata.name} expired`});
    await api.settle();
    expect((await tokens.send('get', body.metadata.name)).status).toBe(200);
    api.time.advance(KEEP_EXPIRED_MS);
    await api.settle();
    api.time.advance(600_000);
    await api.settle();
    expect((await tokens.send('get', body.metadata.name)).status).toBe(404);
    api.time.advance(600_000);
    expect(api.time.pending).toBe(0);
  });

  test('one without an end is kept', async () => {
    const {body} = await create({user: 'anna'});
    api.time.advance(1_000 * TTL_SECONDS_MAX);
    await api.settle();
    expect(find(body.status.token)).toMatchObject({outcome: 'user'});
  });
});

describe('who may create a token', () => {
  const issuer = (): Resource => tokens.as('issuer');

  test('a user with the verb impersonate on the user, the UID and each group', async () => {
    const {status, body} = await create({user: 'anna', uid: 'u1', groups: ['dev', 'ops']}, {as: issuer()});
    expect(status).toBe(201);
    expect(body.status.createdBy).toBe('issuer');
  });

  test.each([
    ['user "bob"', {user: 'bob', groups: ['dev']}],
    ['group "qa"', {user: 'anna', groups: ['dev', 'qa']}],
    ['group "system:masters"', {user: 'anna', groups: ['system:masters']}],
    ['uid "u2"', {user: 'anna', uid: 'u2'}],
    ['user "bob", uid "u2", group "qa"', {user: 'bob', uid: 'u2', groups: ['qa', 'ops']}],
    ['user "issuer"', {user: 'issuer'}],
  ])('else it is 403 and names what is missing: %s', async (missing, spec) => {
    const {status, body} = await create(spec, {as: issuer(), metadata: {name: 'wanted'}});
    expect(status).toBe(403);
    expect(body.message).toBe(
      `accesstokens.platform.io "wanted" is forbidden: user "issuer" cannot create a token for ${missing}: it needs the verb "impersonate" on each of them`,
    );
    expect((await tokens.send('list', '')).body.items).toEqual([]);
  });

  test('a long list of groups gives a short answer', async () => {
    const groups = Array.from({length: 40}, (_, n) => `g${n}`);
    const {body} = await create({user: 'anna', groups}, {as: issuer()});
    expect(body.message).toContain('group "g9", 30 more: it needs');
  });

  test('the group of every user needs no right', async () => {
    expect((await create({user: 'anna', groups: ['system:authenticated']}, {as: issuer()})).status).toBe(201);
  });
});

describe('what is refused', () => {
  test.each<[string, Body, Body]>([
    ['spec.user', {}, {}],
    ['spec.user', {user: 'system:anonymous'}, {}],
    ['spec.user', {user: 'system:serviceaccount:default:web'}, {}],
    ['spec.user', {user: 'a\nb'}, {}],
    ['spec.user', {user: 'x'.repeat(1_025)}, {}],
    ['spec.groups[1]', {user: 'anna', groups: ['dev', '']}, {}],
    ['spec.groups[0]', {user: 'anna', groups: ['system:unauthenticated']}, {}],
    ['spec.groups', {user: 'anna', groups: Array.from({length: GROUPS_MAX + 1}, (_, n) => `g${n}`)}, {}],
    ['spec.ttlSeconds', {user: 'anna', ttlSeconds: 0}, {}],
    ['spec.ttlSeconds', {user: 'anna', ttlSeconds: TTL_SECONDS_MAX + 1}, {}],
    ['spec.description', {user: 'anna', description: 'x'.repeat(1_025)}, {}],
    ['metadata.finalizers', {user: 'anna'}, {finalizers: ['example.com/x']}],
  ])('422 for %s: %j', async (field, spec, metadata) => {
    const {status, body} = await create(spec, {metadata});
    expect(status).toBe(422);
    expect(body.details.causes.map((cause: Body) => cause.field)).toEqual([field]);
  });

  test('the largest values are taken', async () => {
    const groups = Array.from({length: GROUPS_MAX}, (_, n) => `g${n}`);
    const spec = {user: 'x'.repeat(1_024), groups, ttlSeconds: TTL_SECONDS_MAX, description: 'x'.repeat(1_024)};
    expect((await create(spec)).status).toBe(201);
  });

  test('a token cannot be changed', () => {
    expect(accessTokensKind.verbs).toEqual(['create', 'delete', 'deletecollection', 'get', 'list', 'watch']);
    expect(accessTokensKind.subresources).toBeUndefined();
  });
});

test('kubectl get shows who, until when and by whom', () => {
  const object = {
    metadata: {name: 't', creationTimestamp: '2026-01-01T00:00:00Z'},
    spec: {user: 'anna', groups: ['dev', 'ops'], description: 'ci'},
    status: {digest: 'a'.repeat(64), createdBy: 'boss', expirationTimestamp: '2026-01-01T08:00:00Z'},
  };
  const cells = (of: object, nowMs: number) => accessTokensKind.strategy.table.cells(of as typeof object, nowMs);
  const noon = Date.UTC(2026, 0, 1, 12);
  expect(cells(object, Date.UTC(2026, 0, 1, 1))).toEqual([
    't',
    'anna',
    'dev,ops',
    '7h',
    '60m',
    'boss',
    'a'.repeat(12),
    'ci',
  ]);
  expect(cells(object, noon)[3]).toBe('<expired>');
  expect(cells({...object, spec: {user: 'bob'}, status: {}}, noon).slice(1, 4)).toEqual(['bob', '<none>', '<never>']);
});
