// SPDX-License-Identifier: Apache-2.0
/**
 * Flags of `palisade serve` about OpenID Connect → OidcConfig, with every fault at once.
 * Ref: kubernetes v1.36 pkg/kubeapiserver/options/authentication.go; apiserver/pkg/apis/apiserver/validation.
 */
import {resolve} from 'node:path';
import {OIDC_SIGNING_ALGS, type OidcSettings} from '@palisade/apiserver';
import {namesIn} from './names-in.ts';

export type OidcConfig = OidcSettings & {
  /** Absolute path; undefined: public CAs. */
  readonly caFile: string | undefined;
  /** Of the sign-in to the console: absolute path; undefined: it has no secret. */
  readonly clientSecretFile: string | undefined;
  /** What the console asks for in addition to openid. */
  readonly scopes: readonly string[];
};

type Texts =
  | 'issuer-url'
  | 'client-id'
  | 'client-secret-file'
  | 'username-prefix'
  | 'groups-claim'
  | 'groups-prefix'
  | 'ca-file';
export type OidcFlags = {readonly [name in `oidc-${Texts}`]: string | undefined} & {
  readonly 'oidc-username-claim': string;
} & {readonly [name in 'oidc-required-claim' | 'oidc-signing-algs' | 'oidc-scopes']: readonly string[]};

const USERNAME_CLAIM = 'sub';
/** Of --oidc-username-prefix. */
const NO_PREFIX = '-';

const urlFaults = (text: string): string[] => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const fault = (why: string): string => `--oidc-issuer-url ${text}: ${why}`;
  if (url === undefined) return [fault('must be a URL such as https://issuer.example.com')];
  return [
    ...(url.protocol === 'https:' ? [] : [fault('must be an https URL')]),
    // With a password in it, it is not repeated.
    ...(url.username === '' && url.password === '' ? [] : ['--oidc-issuer-url: must have no user and no password']),
    ...(text.includes('?') ? [fault('must have no query')] : []),
    ...(text.includes('#') ? [fault('must have no fragment')] : []),
  ].map(line => (url.password === '' ? line : line.replaceAll(text, '***')));
};

const requiredOf = (words: readonly string[]) => {
  const claims: (readonly [string, string])[] = [];
  const faults: string[] = [];
  for (const word of words) {
    const at = word.indexOf('=');
    const name = word.slice(0, at).trim();
    if (at < 0 || name === '')
      faults.push(`--oidc-required-claim ${word}: must be CLAIM=VALUE, such as hd=example.com`);
    else if (claims.some(([known]) => known === name))
      faults.push(`--oidc-required-claim: ${name} is given twice; give it once`);
    else claims.push([name, word.slice(at + 1)]);
  }
  return {claims, faults};
};

const algorithmsOf = (words: readonly string[]) => {
  const given = namesIn(words);
  const known: readonly string[] = OIDC_SIGNING_ALGS;
  return {
    algorithms: given.length === 0 ? ['RS256'] : [...new Set(given)],
    faults: given
      .filter(name => !known.includes(name))
      .map(name => `--oidc-signing-algs ${name}: must be one of ${known.join(', ')}`),
  };
};

/** Characters of a scope. Ref: RFC 6749 section 3.3. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+$/;

const scopesOf = (words: readonly string[]) => {
  const given = [...new Set(namesIn(words))];
  return {
    scopes: given.filter(name => name !== 'openid'),
    faults: given
      .filter(name => !SCOPE.test(name))
      .map(name => `--oidc-scopes ${name}: must be a name such as groups or offline_access`),
  };
};

/** Flags that say nothing without an issuer. */
const orphans = (o: OidcFlags): string[] => {
  const others = [
    'client-id',
    'client-secret-file',
    'username-prefix',
    'groups-claim',
    'groups-prefix',
    'ca-file',
  ] as const;
  const given = others.flatMap(name => (o[`oidc-${name}`] === undefined ? [] : [`--oidc-${name}`]));
  if (o['oidc-username-claim'] !== USERNAME_CLAIM) given.push('--oidc-username-claim');
  for (const name of ['oidc-required-claim', 'oidc-signing-algs', 'oidc-scopes'] as const)
    if (o[name].length > 0) given.push(`--${name}`);
  return given.map(flag => `${flag} needs --oidc-issuer-url`);
};

const usernamePrefixOf = (o: OidcFlags, issuerUrl: string): string => {
  const given = o['oidc-username-prefix'];
  if (given === undefined) return o['oidc-username-claim'] === 'email' ? '' : `${issuerUrl}#`;
  return given === NO_PREFIX ? '' : given;
};

/** `oidc` undefined: there is no issuer, or a fault. `faults`: one line each. */
export const oidcConfigOf = (
  o: OidcFlags,
  cwd: string,
): {readonly oidc: OidcConfig | undefined; readonly faults: readonly string[]} => {
  const issuerUrl = o['oidc-issuer-url'];
  const clientId = o['oidc-client-id'];
  const {claims, faults: claimFaults} = requiredOf(o['oidc-required-claim']);
  const {algorithms, faults: algorithmFaults} = algorithmsOf(o['oidc-signing-algs']);
  const {scopes, faults: scopeFaults} = scopesOf(o['oidc-scopes']);
  const faults = [
    ...(issuerUrl === undefined ? orphans(o) : urlFaults(issuerUrl)),
    ...(issuerUrl !== undefined && clientId === undefined ? ['--oidc-issuer-url needs --oidc-client-id'] : []),
    ...claimFaults,
    ...algorithmFaults,
    ...scopeFaults,
  ];
  if (issuerUrl === undefined || clientId === undefined || faults.length > 0) return {oidc: undefined, faults};
  const absolute = (path: string | undefined) => (path === undefined ? undefined : resolve(cwd, path));
  return {
    oidc: {
      issuerUrl,
      clientId,
      usernameClaim: o['oidc-username-claim'],
      usernamePrefix: usernamePrefixOf(o, issuerUrl),
      groupsClaim: o['oidc-groups-claim'],
      groupsPrefix: o['oidc-groups-prefix'] ?? '',
      requiredClaims: claims,
      signingAlgs: algorithms,
      caFile: absolute(o['oidc-ca-file']),
      clientSecretFile: absolute(o['oidc-client-secret-file']),
      scopes,
    },
    faults,
  };
};
