// SPDX-License-Identifier: Apache-2.0
/** Rules of upstream for claims, by hand. Ref: kubernetes v1.36 apiserver/plugin/pkg/authenticator/token/oidc/oidc.go and its test. */
import {describe, expect, test} from 'vitest';
import type {OidcSettings} from './oidc-settings.ts';
import {tokenFault} from './token-fault.ts';
import {userOfClaims} from './user-of-claims.ts';

const ISSUER = 'https://issuer.example.com';
const NOW = Date.UTC(2026, 0, 1);
const S = NOW / 1000;
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
type Change = Partial<OidcSettings>;

describe('the times and names of a token', () => {
  const fault = (claims: object, change: Change = {}): string | undefined =>
    tokenFault({iss: ISSUER, aud: 'palisade', exp: S + 1, ...claims}, {...SETTINGS, ...change}, NOW);

  test.each<[string, object, Change?]>([
    ['all that is needed', {}],
    ['one of several audiences', {aud: ['other', 'palisade']}],
    ['its last moment', {exp: S}],
    ['times with fractions', {exp: S + 0.5, nbf: S - 0.5}],
    ['a clock of the issuer that is ahead by less than five minutes', {nbf: S + 300}],
    ['no nbf', {nbf: null}],
    ['Google without its scheme', {iss: 'accounts.google.com'}, {issuerUrl: 'https://accounts.google.com'}],
  ])('%s: accepted', (_, claims, change) => {
    expect(fault(claims, change)).toBeUndefined();
  });

  test.each<[string, object, string]>([
    [
      'another issuer',
      {iss: 'https://other'},
      `id token issued by a different provider, expected "${ISSUER}" got "https://other"`,
    ],
    [
      'the issuer with a slash behind it',
      {iss: `${ISSUER}/`},
      `id token issued by a different provider, expected "${ISSUER}" got "${ISSUER}/"`,
    ],
    ['another audience', {aud: 'other'}, 'expected audience "palisade" got ["other"]'],
    ['no audience', {aud: undefined}, 'expected audience "palisade" got []'],
    ['a part of the audience', {aud: 'palisade2'}, 'expected audience "palisade" got ["palisade2"]'],
    ['a list within the audience', {aud: [['palisade']]}, 'expected audience "palisade" got [["palisade"]]'],
    ['an expired token', {exp: S - 1}, 'token is expired (Token Expiry: 2025-12-31T23:59:59.000Z)'],
    ['no expiry', {exp: undefined}, 'token is expired (Token Expiry: no claim "exp" with a time)'],
    ['an expiry that is text', {exp: String(S + 1)}, 'token is expired (Token Expiry: no claim "exp" with a time)'],
    [
      'a token of the future',
      {nbf: S + 301},
      'current time 2026-01-01T00:00:00.000Z before the nbf (not before) time: 2026-01-01T00:05:01.000Z',
    ],
    ['an nbf that is text', {nbf: '0'}, 'claim "nbf" is not a time'],
  ])('%s: refused', (_, claims, reason) => {
    expect(fault(claims)).toBe(reason);
  });
});

describe('the user of a token', () => {
  const user = (claims: object, change: Change) => userOfClaims({sub: '42', ...claims}, {...SETTINGS, ...change});
  const EMAIL = {usernameClaim: 'email'};
  const GROUPS = {groupsClaim: 'groups'};

  test.each<[string, object, Change, string, string[]]>([
    ['sub', {}, {}, '42', []],
    ['another claim', {name: 'jane'}, {usernameClaim: 'name'}, 'jane', []],
    ['a prefix', {}, {usernamePrefix: `${ISSUER}#`}, `${ISSUER}#42`, []],
    ['an email without email_verified', {email: 'jane@example.com'}, EMAIL, 'jane@example.com', []],
    ['a verified email', {email: 'jane@example.com', email_verified: true}, EMAIL, 'jane@example.com', []],
    ['email_verified counts for emails only', {email_verified: false}, {}, '42', []],
    ['groups', {groups: ['a', 'b']}, GROUPS, '42', ['a', 'b']],
    ['one group as text', {groups: 'a'}, GROUPS, '42', ['a']],
    ['groups of a claim with dots', {'https://x/g': ['a']}, {groupsClaim: 'https://x/g'}, '42', ['a']],
    ['no groups claim in the token', {}, GROUPS, '42', []],
    ['groups: null', {groups: null}, GROUPS, '42', []],
    ['groups without --oidc-groups-claim', {groups: ['a']}, {}, '42', []],
    ['a prefix of groups', {groups: ['a', 'b']}, {...GROUPS, groupsPrefix: 'oidc:'}, '42', ['oidc:a', 'oidc:b']],
    ['a prefix of one group', {groups: 'a'}, {...GROUPS, groupsPrefix: 'oidc:'}, '42', ['oidc:a']],
    [
      'required claims',
      {hd: 'example.com', aal: '2'},
      {
        requiredClaims: [
          ['hd', 'example.com'],
          ['aal', '2'],
        ],
      },
      '42',
      [],
    ],
    ['a required claim that is empty', {hd: ''}, {requiredClaims: [['hd', '']]}, '42', []],
  ])('%s: accepted', (_, claims, change, name, groups) => {
    expect(user(claims, change)).toEqual({name, groups: [...groups, 'system:authenticated']});
  });

  test.each<[string, object, Change, string]>([
    ['no claim for the name', {}, {usernameClaim: 'name'}, 'parse username claims "name": claim not present'],
    ['a claim of every object', {}, {usernameClaim: 'toString'}, 'parse username claims "toString": claim not present'],
    ['an empty name', {sub: ''}, {usernamePrefix: 'x:'}, 'parse username claims "sub": claim is empty'],
    ['a name: null', {sub: null}, {}, 'parse username claims "sub": claim is empty'],
    [
      'a number as name',
      {sub: 42},
      {},
      'parse username claims "sub": json: cannot unmarshal number into Go value of type string',
    ],
    [
      'a list as name',
      {sub: ['42']},
      {},
      'parse username claims "sub": json: cannot unmarshal array into Go value of type string',
    ],
    ['an email that is not verified', {email: 'a@b', email_verified: false}, EMAIL, 'email not verified'],
    ['email_verified: null', {email: 'a@b', email_verified: null}, EMAIL, 'email not verified'],
    [
      'email_verified as text',
      {email: 'a@b', email_verified: 'true'},
      EMAIL,
      "parse 'email_verified' claim: json: cannot unmarshal string into Go value of type bool",
    ],
    [
      'a number as group',
      {groups: 7},
      GROUPS,
      'parse groups claim "groups": json: cannot unmarshal number into Go value of type string',
    ],
    [
      'a number among groups',
      {groups: ['a', 7]},
      GROUPS,
      'parse groups claim "groups": json: cannot unmarshal array into Go value of type string',
    ],
    [
      'a mapping as groups',
      {groups: {a: true}},
      GROUPS,
      'parse groups claim "groups": json: cannot unmarshal object into Go value of type string',
    ],
    [
      'no required claim',
      {hd: 'example.com'},
      {
        requiredClaims: [
          ['hd', 'example.com'],
          ['aal', '2'],
        ],
      },
      'required claim aal not present in ID token',
    ],
    [
      'another value of a required claim',
      {hd: 'example.org'},
      {requiredClaims: [['hd', 'example.com']]},
      'required claim hd value does not match. Got = example.org, want = example.com',
    ],
    [
      'a required claim that is no text',
      {aal: 2},
      {requiredClaims: [['aal', '2']]},
      'parse claim aal: json: cannot unmarshal number into Go value of type string',
    ],
  ])('%s: refused', (_, claims, change, reason) => {
    expect(user(claims, change)).toBe(reason);
  });

  test('jti identifies the credential', () => {
    expect(user({jti: 'abc'}, {})).toMatchObject({
      extra: {'authentication.kubernetes.io/credential-id': ['JTI=abc']},
    });
    expect(user({jti: 7}, {})).not.toHaveProperty('extra');
  });
});
