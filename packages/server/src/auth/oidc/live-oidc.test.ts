// SPDX-License-Identifier: Apache-2.0
/** When the keys of an issuer are fetched, and what SIGHUP does with another issuer. */
import {generateKeyPairSync} from 'node:crypto';
import {ManualTime} from '@palisade/apiserver/testing';
import {beforeEach, describe, expect, test} from 'vitest';
import type {OidcConfig} from '../../parts/oidc-config.ts';
import {RENEW_MS, RETRY_MS, UNKNOWN_KEY_MS} from './issuer-keys.ts';
import {LiveOidc} from './live-oidc.ts';

const URL = 'https://issuer.example.com';
const CONFIG: OidcConfig = {
  ...{issuerUrl: URL, clientId: 'palisade', usernameClaim: 'sub', usernamePrefix: '', groupsClaim: undefined},
  ...{
    groupsPrefix: '',
    requiredClaims: [],
    signingAlgs: ['RS256'],
    caFile: undefined,
    clientSecretFile: undefined,
    scopes: [],
  },
};
const key = generateKeyPairSync('rsa', {modulusLength: 2048}).publicKey.export({format: 'jwk'});

let time: ManualTime;
let oidc: LiveOidc;
let asked: string[];
/** By URL; absent: the connection fails. */
let documents: Record<string, unknown>;
let lines: {readonly fields: object; readonly message: string}[];

const discovery = (url = URL, more: object = {}) => ({issuer: url, jwks_uri: `${url}/keys`, ...more});
const issuer = (change: Partial<OidcConfig> = {}, ca?: string) => ({config: {...CONFIG, ...change}, ca});
/** A token of the issuer with a signature that no key made. */
const tokenOf = (iss = URL): string => {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({alg: 'RS256', kid: 'new'})}.${part({iss, aud: 'palisade', exp: time.now() / 1000 + 60})}.AAAA`;
};
const settled = (): Promise<void> => new Promise(resolve => setImmediate(resolve));
const advance = async (ms: number): Promise<void> => {
  time.advance(ms);
  await settled();
};
const messages = (): string[] => lines.map(({message}) => message);

beforeEach(() => {
  time = new ManualTime();
  asked = [];
  lines = [];
  documents = {[`${URL}/.well-known/openid-configuration`]: discovery(), [`${URL}/keys`]: {keys: [key]}};
  const log = (fields: object, message: string): void => void lines.push({fields, message});
  oidc = new LiveOidc({
    clock: time,
    monotonic: time,
    timers: time,
    log: {info: log, warn: log},
    fetchJson: () => async url => {
      asked.push(url);
      if (documents[url] === undefined) throw new Error(`${url}: refused`);
      return documents[url];
    },
  });
});

describe('the keys', () => {
  test('47-2 are fetched at the start, and again after a while', async () => {
    await oidc.start(issuer());
    await settled();
    expect(oidc.keys).toBe(1);
    expect(asked).toEqual([`${URL}/.well-known/openid-configuration`, `${URL}/keys`]);
    await advance(RENEW_MS - 1);
    expect(asked).toHaveLength(2);
    await advance(1);
    expect(asked).toHaveLength(4);
    expect(messages()).toEqual(['OIDC keys fetched']);
    expect(oidc.counts).toEqual({succeeded: 2, failed: 0});
  });

  test('47-2 of an issuer that is down are tried again; one line says so while the reason is the same', async () => {
    const {[`${URL}/keys`]: keys} = documents;
    delete documents[`${URL}/keys`];
    await oidc.start(issuer());
    await settled();
    expect(await oidc.find(tokenOf())).toMatchObject({outcome: 'refused'});
    await advance(RETRY_MS);
    await advance(RETRY_MS);
    expect([oidc.keys, oidc.counts.failed]).toEqual([0, 3]);
    documents[`${URL}/keys`] = keys;
    await advance(RETRY_MS);
    expect(oidc.keys).toBe(1);
    expect(messages()).toEqual([
      'OIDC key fetch failed, retrying; its tokens are refused',
      'OIDC token refused',
      'OIDC keys fetched',
    ]);
  });

  test('47-2 stay when the issuer goes down later', async () => {
    await oidc.start(issuer());
    await settled();
    documents = {};
    await advance(RENEW_MS);
    expect(oidc.keys).toBe(1);
    expect(messages().at(-1)).toBe('OIDC key fetch failed, retrying; the previous keys stay valid');
  });

  test('47-2 are fetched for a token that no key signed, but at most once in ten seconds', async () => {
    await oidc.start(issuer());
    await settled();
    await Promise.all([oidc.find(tokenOf()), oidc.find(tokenOf()), oidc.find(tokenOf())]);
    expect(oidc.counts.succeeded).toBe(2);
    await advance(UNKNOWN_KEY_MS - 1);
    await oidc.find(tokenOf());
    expect(oidc.counts.succeeded).toBe(2);
    await advance(1);
    await oidc.find(tokenOf());
    expect(oidc.counts.succeeded).toBe(3);
  });

  test.each([
    [
      'another issuer in it',
      discovery('https://other'),
      /issuer did not match, expected "https:\/\/issuer.example.com"/,
    ],
    ['keys without TLS', discovery(URL, {jwks_uri: 'http://issuer.example.com/keys'}), /jwks_uri must be an https URL/],
    ['no place of keys', {issuer: URL}, /jwks_uri must be an https URL, got undefined/],
    ['no mapping', [], /issuer did not match/],
  ])('47-2 a discovery document with %s is refused', async (_, document, reason) => {
    documents[`${URL}/.well-known/openid-configuration`] = document;
    await oidc.start(issuer());
    await settled();
    expect(oidc.keys).toBe(0);
    expect(lines[0]?.fields).toMatchObject({reason: expect.stringMatching(reason)});
  });

  test('47-2 no fetch after the end', async () => {
    await oidc.start(issuer());
    await settled();
    oidc.stop();
    await advance(RENEW_MS * 2);
    expect(asked).toHaveLength(2);
    expect(await oidc.find(tokenOf())).toBeUndefined();
  });
});

test('47-2 refused tokens are logged ten times a minute, the others counted', async () => {
  await oidc.start(issuer());
  await settled();
  for (let i = 0; i < 15; i++) await oidc.find(tokenOf());
  const refusals = () => lines.filter(({message}) => message === 'OIDC token refused');
  expect(refusals()).toHaveLength(10);
  await advance(60_000);
  await oidc.find(tokenOf());
  expect(refusals()).toHaveLength(11);
  expect(refusals().at(-1)?.fields).toMatchObject({notLogged: 5});
});

describe('SIGHUP', () => {
  const OTHER = 'https://other.example.com';
  beforeEach(async () => {
    await oidc.start(issuer());
    await settled();
  });

  test('47-2 the same issuer: its keys are fetched again', async () => {
    expect(await oidc.replace(issuer())).toBe(true);
    expect(oidc.counts.succeeded).toBe(2);
  });

  test('47-2 another issuer counts when its keys are there', async () => {
    documents[`${OTHER}/.well-known/openid-configuration`] = discovery(OTHER);
    documents[`${OTHER}/keys`] = {keys: [key, {...key, kid: '2'}]};
    expect(await oidc.replace(issuer({issuerUrl: OTHER}))).toBe(true);
    expect(oidc.keys).toBe(2);
    expect(await oidc.find(tokenOf())).toBeUndefined();
    expect(await oidc.find(tokenOf(OTHER))).toMatchObject({outcome: 'refused'});
  });

  test('47-2 an issuer whose keys cannot be fetched leaves the previous one', async () => {
    expect(await oidc.replace(issuer({issuerUrl: OTHER}))).toBe(false);
    expect(oidc.keys).toBe(1);
    await advance(RETRY_MS);
    expect(asked.filter(url => url.startsWith(OTHER))).toHaveLength(1);
  });

  test('47-2 no issuer any more: its tokens are unknown', async () => {
    expect(await oidc.replace(undefined)).toBe(true);
    expect([oidc.keys, await oidc.find(tokenOf())]).toEqual([0, undefined]);
  });
});
