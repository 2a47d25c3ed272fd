// SPDX-License-Identifier: Apache-2.0
/** Signatures of ID tokens: keys that are known, new, withdrawn, or of somebody else. */
import {CompactSign, type CryptoKey, exportJWK, generateKeyPair, SignJWT, UnsecuredJWT} from 'jose';
import {beforeAll, beforeEach, describe, expect, test} from 'vitest';
import {type KeySet, parseKeySet} from './key-set.ts';
import type {OidcSettings} from './oidc-settings.ts';
import {oidcTokenSource} from './oidc-source.ts';

const ISSUER = 'https://issuer.example.com';
const NOW = Date.UTC(2026, 0, 1);
const SETTINGS: OidcSettings = {
  issuerUrl: ISSUER,
  clientId: 'palisade',
  usernameClaim: 'sub',
  usernamePrefix: '',
  groupsClaim: undefined,
  groupsPrefix: '',
  requiredClaims: [],
  signingAlgs: ['RS256'],
};
type Pair = {readonly publicKey: CryptoKey; readonly privateKey: CryptoKey};

let pairs: Readonly<Record<'a' | 'b' | 'ec', Pair>>;
beforeAll(async () => {
  const [a, b, ec] = await Promise.all([
    ...[generateKeyPair('RS256'), generateKeyPair('RS256')],
    generateKeyPair('ES256'),
  ]);
  pairs = {a, b, ec} as typeof pairs;
});

const setOf = async (...keys: readonly (readonly [string | undefined, Pair])[]): Promise<KeySet> => {
  const all = keys.map(async ([kid, {publicKey}]) => ({...(await exportJWK(publicKey)), ...(kid && {kid})}));
  return parseKeySet({keys: await Promise.all(all)});
};

const signed = ({privateKey}: Pair, header: {alg?: string; kid?: string} = {}, claims: object = {}): Promise<string> =>
  new SignJWT({iss: ISSUER, aud: 'palisade', sub: 'jane', exp: NOW / 1000 + 60, ...claims})
    .setProtectedHeader({alg: 'RS256', ...header})
    .sign(privateKey);

let current: KeySet | undefined;
let next: KeySet | undefined;
let refreshes: number;
let now: number;
const source = (change: Partial<OidcSettings> = {}) =>
  oidcTokenSource(
    {...SETTINGS, ...change},
    {
      clock: {now: () => now},
      keys: {
        get current() {
          return current;
        },
        refresh: async () => {
          refreshes++;
          current = next ?? current;
          return next !== undefined;
        },
      },
    },
  );
beforeEach(async () => {
  current = await setOf(['a', pairs.a]);
  next = undefined;
  refreshes = 0;
  now = NOW;
});

const BAD_SIGNATURE = 'oidc: verify token: failed to verify id token signature';
const reasonOf = async (token: string, change?: Partial<OidcSettings>): Promise<string> => {
  const answer = await source(change).find(token);
  return answer?.outcome === 'refused' ? answer.reason : `not refused: ${answer?.outcome}`;
};
const nameOf = async (token: string, change?: Partial<OidcSettings>): Promise<string> => {
  const answer = await source(change).find(token);
  return answer?.outcome === 'user' ? answer.user.name : `no user: ${answer?.outcome} ${answer?.reason}`;
};

describe('which tokens are of this source', () => {
  test.each([
    ['no JWT', 'secret'],
    ['dots', 'a.b.c'],
    ['five parts', 'a.b.c.d.e'],
    ['JSON', '{"iss":"https://issuer.example.com"}'],
    ['a payload that is a list', `e30.${Buffer.from('[]').toString('base64url')}.x`],
    ['a payload without iss', `e30.${Buffer.from('{}').toString('base64url')}.x`],
    ['nothing', ''],
  ])('%s: not of this source', async (_, token) => {
    expect(await source().find(token)).toBeUndefined();
  });

  test('a token of another issuer is not of this source, one of a longer name neither', async () => {
    for (const iss of ['https://other.example.com', `${ISSUER}/`, `${ISSUER}.evil.example`])
      expect(await source().find(await signed(pairs.a, {}, {iss}))).toBeUndefined();
    expect(refreshes).toBe(0);
  });

  test('before the keys are known, tokens of the issuer are refused and others are not of this source', async () => {
    current = undefined;
    expect(await source().find(await signed(pairs.a))).toEqual({
      outcome: 'refused',
      reason: 'oidc: authenticator not initialized: the keys of the issuer could not be fetched yet',
      unchecked: true, // no failed login
    });
    expect(await source().find(await signed(pairs.a, {}, {iss: 'https://other'}))).toBeUndefined();
  });
});

describe('values of any form in a token that nobody signed', () => {
  const DEEP = `${'['.repeat(8_000)}${']'.repeat(8_000)}`;
  const LONG = JSON.stringify(['x'.repeat(10_000)]);
  const unsigned = (aud: string, alg: string): string => {
    const part = Buffer.from(`{"iss":"${ISSUER}","exp":${NOW / 1000},"aud":${aud},"alg":${alg}}`).toString('base64url');
    return `${part}.${part}.x`;
  };

  test.each([
    [
      'an audience that is nested deeply',
      DEEP,
      '"RS256"',
      /^oidc: verify token: expected audience .* nested too deeply$/,
    ],
    ['an algorithm that is nested deeply', '"palisade"', DEEP, /^oidc: verify token: id token .* nested too deeply$/],
    ['a long audience', LONG, '"RS256"', /^oidc: verify token: expected audience .{500,600}…$/],
    ['a long algorithm', '"palisade"', LONG, /^oidc: verify token: id token .{500,600}…$/],
  ])('48-6 %s is refused in few words', async (_, aud, alg, reason) => {
    expect(await reasonOf(unsigned(aud, alg))).toMatch(reason);
  });
});

describe('the key of the signature', () => {
  test('named by kid, or not named: each key is tried', async () => {
    expect(await nameOf(await signed(pairs.a, {kid: 'a'}))).toBe('jane');
    expect(await nameOf(await signed(pairs.a))).toBe('jane');
    current = await setOf(['a', pairs.a], ['b', pairs.b], ['ec', pairs.ec]);
    expect(await nameOf(await signed(pairs.b))).toBe('jane');
    expect(refreshes).toBe(0);
    current = await setOf([undefined, pairs.a], [undefined, pairs.b]);
    expect(await nameOf(await signed(pairs.b, {kid: 'b'}))).toMatch(/failed to verify/);
  });

  test('a new key is fetched, once for a token', async () => {
    next = await setOf(['a', pairs.a], ['b', pairs.b]);
    expect(await nameOf(await signed(pairs.b, {kid: 'b'}))).toBe('jane');
    expect(refreshes).toBe(1);
  });

  test('the same kid with another key is fetched too', async () => {
    next = await setOf(['a', pairs.b]);
    expect(await nameOf(await signed(pairs.b, {kid: 'a'}))).toBe('jane');
  });

  test('a key of somebody else: refused', async () => {
    expect(await reasonOf(await signed(pairs.b, {kid: 'a'}))).toBe(BAD_SIGNATURE);
    expect(await reasonOf(await signed(pairs.b))).toBe(BAD_SIGNATURE);
  });

  test('a token whose key was withdrawn is refused, though it was good before', async () => {
    const token = await signed(pairs.a, {kid: 'a'});
    const one = source();
    expect(await one.find(token)).toMatchObject({outcome: 'user'});
    current = await setOf(['b', pairs.b]);
    expect(await one.find(token)).toEqual({outcome: 'refused', reason: BAD_SIGNATURE});
  });

  test('a token that was good is refused when it has expired', async () => {
    const token = await signed(pairs.a);
    const one = source();
    expect(await one.find(token)).toMatchObject({outcome: 'user'});
    now = NOW + 60_001;
    expect(await one.find(token)).toMatchObject({outcome: 'refused', reason: expect.stringContaining('expired')});
    expect(refreshes).toBe(0); // times are looked at before signatures
  });
});

describe('what is signed', () => {
  test('another payload below a good signature: refused', async () => {
    const [header, , signature] = (await signed(pairs.a)).split('.');
    const [, payload] = (await signed(pairs.b, {}, {sub: 'admin'})).split('.');
    expect(await reasonOf(`${header}.${payload}.${signature}`)).toBe(BAD_SIGNATURE);
  });

  test('no signature: refused', async () => {
    const unsecured = new UnsecuredJWT({iss: ISSUER, aud: 'palisade', sub: 'jane', exp: NOW / 1000 + 60}).encode();
    expect(await reasonOf(unsecured)).toMatch(/unsupported algorithm, expected \["RS256"\] got "none"$/);
    const [header, payload] = (await signed(pairs.a)).split('.');
    expect(await reasonOf(`${header}.${payload}.`)).toBe(BAD_SIGNATURE);
  });

  test('a public key as the secret of an HMAC: refused', async () => {
    const {n = ''} = await exportJWK(pairs.a.publicKey);
    const payload = {iss: ISSUER, aud: 'palisade', sub: 'jane', exp: NOW / 1000 + 60};
    const token = await new CompactSign(Buffer.from(JSON.stringify(payload)))
      .setProtectedHeader({alg: 'HS256', kid: 'a'})
      .sign(Buffer.from(n, 'base64url'));
    expect(await reasonOf(token)).toMatch(/unsupported algorithm, expected \["RS256"\] got "HS256"$/);
  });

  test('an algorithm that is not in --oidc-signing-algs: refused; in it: accepted', async () => {
    current = await setOf(['ec', pairs.ec]);
    const token = await signed(pairs.ec, {alg: 'ES256', kid: 'ec'});
    expect(await reasonOf(token)).toMatch(/unsupported algorithm, expected \["RS256"\] got "ES256"$/);
    expect(await nameOf(token, {signingAlgs: ['RS256', 'ES256']})).toBe('jane');
  });

  test('claims are looked at too; the reason begins as upstream words it', async () => {
    expect(await reasonOf(await signed(pairs.a, {}, {aud: 'x'}))).toBe(
      'oidc: verify token: expected audience "palisade" got ["x"]',
    );
    expect(await reasonOf(await signed(pairs.a, {}, {sub: 7}))).toMatch(/^oidc: parse username claims "sub": json/);
  });

  test('no reason repeats the token', async () => {
    const token = await signed(pairs.b);
    const [, , signature = 'none'] = token.split('.');
    expect(await reasonOf(token)).not.toContain(signature);
  });
});

describe('key sets', () => {
  test.each([
    ['a text', 'keys', /not a JSON Web Key Set/],
    ['no list', {keys: {}}, /not a JSON Web Key Set/],
    ['no keys', {keys: []}, /no RSA or EC key/],
    ['secrets', {keys: [{kty: 'oct', k: 'c2VjcmV0'}]}, /no RSA or EC key/],
    ['too many', {keys: Array(101).fill({kty: 'RSA'})}, /more than 100 keys/],
  ])('%s: refused', (_, document, reason) => {
    expect(() => parseKeySet(document)).toThrow(reason);
  });

  test('a damaged key beside a good one does no harm', async () => {
    const good = await exportJWK(pairs.a.publicKey);
    current = parseKeySet({keys: [{kty: 'RSA', e: 'AQAB', n: 'AA'}, {kty: 'EC', crv: 'P-0'}, good]});
    expect(await nameOf(await signed(pairs.a))).toBe('jane');
  });
});
