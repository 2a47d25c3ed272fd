// SPDX-License-Identifier: Apache-2.0
/** What an operator may write in the flags about OpenID Connect. Ref: kubernetes v1.36 pkg/kubeapiserver/options/authentication_test.go. */
import {describe, expect, test} from 'vitest';
import {type OidcFlags, oidcConfigOf} from './oidc-config.ts';

const URL = 'https://issuer.example.com/realms/x';
const NOTHING: OidcFlags = {
  'oidc-issuer-url': undefined,
  'oidc-client-id': undefined,
  'oidc-username-claim': 'sub',
  'oidc-username-prefix': undefined,
  'oidc-groups-claim': undefined,
  'oidc-groups-prefix': undefined,
  'oidc-required-claim': [],
  'oidc-signing-algs': [],
  'oidc-ca-file': undefined,
  'oidc-client-secret-file': undefined,
  'oidc-scopes': [],
};
const GOOD: OidcFlags = {...NOTHING, 'oidc-issuer-url': URL, 'oidc-client-id': 'palisade'};
const of = (flags: Partial<OidcFlags>) => oidcConfigOf({...GOOD, ...flags}, '/etc/palisade');

test('47-2 no flag: no issuer', () => {
  expect(oidcConfigOf(NOTHING, '/')).toEqual({oidc: undefined, faults: []});
});

test('47-2 the defaults are those of kube-apiserver', () => {
  expect(of({}).oidc).toEqual({
    ...{issuerUrl: URL, clientId: 'palisade', usernameClaim: 'sub', usernamePrefix: `${URL}#`},
    ...{groupsClaim: undefined, groupsPrefix: '', requiredClaims: [], signingAlgs: ['RS256'], caFile: undefined},
    ...{clientSecretFile: undefined, scopes: []},
  });
});

test.each<[string, Partial<OidcFlags>, string]>([
  ['sub', {}, `${URL}#`],
  ['another claim', {'oidc-username-claim': 'name'}, `${URL}#`],
  ['email', {'oidc-username-claim': 'email'}, ''],
  ['-', {'oidc-username-prefix': '-'}, ''],
  ['a text', {'oidc-username-prefix': 'oidc:'}, 'oidc:'],
  ['a text for emails', {'oidc-username-claim': 'email', 'oidc-username-prefix': 'oidc:'}, 'oidc:'],
])('47-2 the prefix of user names: %s', (_, flags, prefix) => {
  expect(of(flags).oidc?.usernamePrefix).toBe(prefix);
});

test('47-2 words with "=" and commas', () => {
  const {oidc} = of({
    'oidc-required-claim': ['hd=example.com', 'scope=a=b,c', 'empty='],
    'oidc-signing-algs': ['RS256,ES256', 'RS256'],
    'oidc-ca-file': 'tls/issuer.crt',
  });
  expect(oidc).toMatchObject({
    requiredClaims: [
      ['hd', 'example.com'],
      ['scope', 'a=b,c'],
      ['empty', ''],
    ],
    signingAlgs: ['RS256', 'ES256'],
    caFile: '/etc/palisade/tls/issuer.crt',
  });
});

const ALGS = 'must be one of RS256, RS384, RS512, ES256, ES384, ES512, PS256, PS384, PS512';

describe('faults', () => {
  test.each<[string, Partial<OidcFlags>, readonly string[]]>([
    [
      'plain HTTP',
      {'oidc-issuer-url': 'http://127.0.0.1:1'},
      ['--oidc-issuer-url http://127.0.0.1:1: must be an https URL'],
    ],
    [
      'no URL',
      {'oidc-issuer-url': 'issuer'},
      ['--oidc-issuer-url issuer: must be a URL such as https://issuer.example.com'],
    ],
    [
      'query and fragment',
      {'oidc-issuer-url': 'https://a/?b#c'},
      [
        '--oidc-issuer-url https://a/?b#c: must have no query',
        '--oidc-issuer-url https://a/?b#c: must have no fragment',
      ],
    ],
    ['no client', {'oidc-client-id': undefined}, ['--oidc-issuer-url needs --oidc-client-id']],
    [
      'no issuer',
      {...NOTHING, 'oidc-client-id': 'x', 'oidc-username-claim': 'email', 'oidc-required-claim': ['a=b']},
      ['client-id', 'username-claim', 'required-claim'].map(name => `--oidc-${name} needs --oidc-issuer-url`),
    ],
    [
      'required claims',
      {'oidc-required-claim': ['hd', '=x', 'a=b', 'a=c']},
      [
        '--oidc-required-claim hd: must be CLAIM=VALUE, such as hd=example.com',
        '--oidc-required-claim =x: must be CLAIM=VALUE, such as hd=example.com',
        '--oidc-required-claim: a is given twice; give it once',
      ],
    ],
    [
      'algorithms with a shared secret, or none',
      {'oidc-signing-algs': ['HS256,none', 'RS256']},
      ['HS256', 'none'].map(name => `--oidc-signing-algs ${name}: ${ALGS}`),
    ],
  ])('47-2 %s: all at once', (_, flags, faults) => {
    const read = of(flags);
    expect(read).toEqual({oidc: undefined, faults});
  });

  test('47-2 a password in the URL is not repeated', () => {
    const {faults} = of({'oidc-issuer-url': 'http://jane:hush@issuer.example.com'});
    expect(faults).toHaveLength(2);
    expect(faults.join()).not.toContain('hush');
  });
});

test('49-2 scopes of the console: each name once, openid is always requested; an invalid scope is refused', () => {
  expect(of({'oidc-scopes': ['groups,openid', 'offline_access,groups']}).oidc?.scopes).toEqual([
    'groups',
    'offline_access',
  ]);
  expect(of({'oidc-scopes': ['a"b']}).faults).toEqual([
    '--oidc-scopes a"b: must be a name such as groups or offline_access',
  ]);
  expect(of({'oidc-client-secret-file': 'secret'}).oidc?.clientSecretFile).toBe('/etc/palisade/secret');
});
