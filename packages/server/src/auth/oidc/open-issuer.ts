// SPDX-License-Identifier: Apache-2.0
/** One issuer with its keys. Loaded only where there is one, as it brings the library for JWTs. */
import type {Clock, Log, Timers, TokenSource} from '@palisade/apiserver';
import {oidcTokenSource} from '@palisade/apiserver/oidc';
import type {OidcConfig} from '../../parts/oidc-config.ts';
import {type FetchJson, httpsJson} from './fetch-json.ts';
import {IssuerKeys, type KeyFetches} from './issuer-keys.ts';

/** The configuration with what its files hold. */
export type Issuer = {
  readonly config: OidcConfig;
  /** PEM, of `--oidc-ca-file`. */
  readonly ca: string | undefined;
  /** Of `--oidc-client-secret-file`; undefined: the console is a public client. */
  readonly clientSecret?: string | undefined;
};

export type OidcParts = {
  readonly clock: Clock;
  /** Only differences count. */
  readonly monotonic: Clock;
  readonly timers: Pick<Timers, 'after'>;
  readonly log: Pick<Log, 'info' | 'warn'>;
  /** Default: HTTPS. */
  readonly fetchJson?: (ca: string | undefined) => FetchJson;
};

export type OpenIssuer = {readonly issuer: Issuer; readonly keys: IssuerKeys; readonly source: TokenSource};

/** The keys are not fetched yet. */
export const openIssuer = (issuer: Issuer, parts: OidcParts, counts: KeyFetches): OpenIssuer => {
  const {clock, monotonic, timers, log, fetchJson = ca => httpsJson(ca, timers)} = parts;
  const {issuerUrl} = issuer.config;
  const keys = new IssuerKeys({issuerUrl, fetchJson: fetchJson(issuer.ca), clock: monotonic, timers, log, counts});
  return {issuer, keys, source: oidcTokenSource(issuer.config, {keys, clock})};
};
