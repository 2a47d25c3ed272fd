// SPDX-License-Identifier: Apache-2.0
/** Everything that says who may sign in, opened before the sides that ask it. */
import {createRbacAuthorizer} from '@palisade/kinds';
import {openAccounts} from '../accounts/open-accounts.ts';
import type {Auth} from '../auth/auth.ts';
import {openAuthentication} from '../auth/open-authentication.ts';
import {Sessions} from '../console/sessions.ts';
import type {Metrics} from '../metrics/metrics.ts';
import type {ServeConfig} from '../parts/config.ts';
import {openClientCertificates} from '../pki/open-client-certificates.ts';
import type {Logger} from '../process/logger.ts';
import {systemClock, systemTimers} from '../process/system.ts';
import type {Closers} from './closers.ts';
import type {Named} from './named-files.ts';

type Parts = {
  readonly named: Pick<Named, 'tokenFile' | 'issuer' | 'folder'>;
  readonly metrics: Metrics;
  /** '' until something listens. */
  readonly publicUrl: () => string;
};

const openSessions = ({console, auth}: ServeConfig, metrics: Metrics, closers: Closers): Sessions | undefined => {
  if (!console || auth === 'none') return undefined;
  const sessions = new Sessions({clock: systemClock, timers: systemTimers});
  metrics.showSessions(sessions);
  closers.add('console sessions', () => sessions.stop());
  return sessions;
};

/** Throws CommandError for keys and lists in the data folder that cannot be used. */
export const openWhoMay = async (
  config: ServeConfig,
  {named, metrics, publicUrl}: Parts,
  log: Logger,
  closers: Closers,
) => {
  const {folder, tokenFile, issuer} = named;
  const clients = openClientCertificates(config, folder, log);
  const sessions = openSessions(config, metrics, closers);
  const {authentication, oidc, limit, controllers} = await openAuthentication(config, {
    clients,
    tokenFile,
    issuer,
    sessions,
    metrics,
    log,
    closers,
  });
  const auth: Auth = {authenticator: authentication.authenticator, authorizer: createRbacAuthorizer()};
  const accounts = await openAccounts({
    ...{dataDir: folder.dir, issuer: config.serviceAccountIssuer, authentication, publicUrl},
    failedLogins: config.auth === 'none' ? undefined : limit,
  });
  return {auth, clients, oidc, limit, accounts, sessions, controllers};
};
