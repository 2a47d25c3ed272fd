// SPDX-License-Identifier: Apache-2.0
import {type Authenticator, type ControllerFactory, LoginLimit} from '@palisade/apiserver';
import {createAccessTokens} from '@palisade/kinds';
import type {Sessions} from '../console/sessions.ts';
import type {Metrics} from '../metrics/metrics.ts';
import type {ServeConfig} from '../parts/config.ts';
import type {Logger} from '../process/logger.ts';
import {monotonicClock, systemTimers} from '../process/system.ts';
import type {Closers} from '../root/closers.ts';
import {Authentication} from './authentication.ts';
import type {LiveTokenFile} from './live-token-file.ts';
import type {LiveOidc} from './oidc/live-oidc.ts';
import type {Issuer} from './oidc/open-issuer.ts';
import {openOidc} from './oidc/open-oidc.ts';

type Parts = {
  /** Undefined: no port speaks TLS. */
  readonly clients: {readonly authenticator: Authenticator} | undefined;
  readonly tokenFile: LiveTokenFile | undefined;
  readonly issuer: Issuer | undefined;
  /** Of the console; undefined: it is not served, or nobody signs in. */
  readonly sessions: Sessions | undefined;
  readonly metrics: Pick<Metrics, 'showLogins' | 'showOidc'>;
  readonly log: Logger;
  readonly closers: Pick<Closers, 'add'>;
};

type OpenAuthentication = {
  readonly authentication: Authentication;
  readonly oidc: LiveOidc;
  /** Of failed logins. */
  readonly limit: LoginLimit;
  /** Of the Kubernetes API; they have started before the first request. */
  readonly controllers: readonly ControllerFactory[];
};

/** Client certificates, the tokens of the file, which is watched from now on, those of an OIDC issuer, and those that are stored. */
export const openAuthentication = async (
  {auth}: Pick<ServeConfig, 'auth'>,
  {clients, tokenFile, issuer, sessions, metrics, log, closers}: Parts,
): Promise<OpenAuthentication> => {
  const limit = new LoginLimit({clock: monotonicClock, log});
  metrics.showLogins(limit.counts);
  const authentication = new Authentication(auth, limit, sessions);
  if (clients !== undefined) authentication.add(clients.authenticator);
  if (tokenFile !== undefined) {
    authentication.addTokens(tokenFile);
    tokenFile.watch(systemTimers);
    closers.add('token file', () => tokenFile.stop());
  }
  const oidc = await openOidc(issuer, log);
  closers.add('OIDC keys', () => oidc.stop());
  metrics.showOidc(oidc);
  authentication.addTokens(oidc);
  const stored = createAccessTokens();
  authentication.addTokens(stored.source);
  return {authentication, oidc, limit, controllers: [stored.controller]};
};
