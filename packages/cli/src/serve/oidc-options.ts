// SPDX-License-Identifier: Apache-2.0
import type {OptionTable} from '../command-line/options.ts';

/** Flags of `palisade serve` about ID tokens of an OpenID Connect issuer, with the names that kube-apiserver has. */
export const oidcOptions = {
  'oidc-issuer-url': {
    type: 'string',
    value: 'ISSUER',
    doc: 'accept ID tokens of this OpenID Connect issuer, an https URL',
  },
  'oidc-client-id': {
    type: 'string',
    value: 'ID',
    doc: 'accept ID tokens with this audience only; needs --oidc-issuer-url',
  },
  'oidc-client-secret-file': {
    type: 'string',
    value: 'FILE',
    completes: 'file',
    doc: 'sign in to the console with this client secret (default: PKCE alone)',
  },
  'oidc-scopes': {
    type: 'list',
    value: 'NAME,…',
    doc: 'ask for these scopes at the console, such as groups,offline_access',
  },
  'oidc-username-claim': {
    type: 'string',
    value: 'CLAIM',
    default: 'sub',
    doc: 'take the user name from this claim',
  },
  'oidc-username-prefix': {
    type: 'string',
    value: 'TEXT',
    doc: 'put before user names; "-": nothing (default ISSUER#, for email nothing)',
  },
  'oidc-groups-claim': {
    type: 'string',
    value: 'CLAIM',
    doc: 'take the groups from this claim, a text or a list (default: no groups)',
  },
  'oidc-groups-prefix': {type: 'string', value: 'TEXT', doc: 'put before groups (default: nothing)'},
  'oidc-required-claim': {
    type: 'list',
    value: 'K=V',
    inFile: 'words',
    doc: 'refuse ID tokens without this claim with this value',
  },
  'oidc-signing-algs': {
    type: 'list',
    value: 'ALG,ALG',
    doc: 'accept these signature algorithms of ID tokens (default RS256)',
  },
  'oidc-ca-file': {
    type: 'string',
    value: 'FILE',
    completes: 'file',
    doc: 'trust the issuer by these PEM certificates (default: public CAs)',
  },
} as const satisfies OptionTable;
