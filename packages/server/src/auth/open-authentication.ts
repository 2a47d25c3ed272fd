// SPDX-License-Identifier: Apache-2.0
import {type ControllerFactory, LoginLimit} from '@palisade/apiserver';
import {createAccessTokens} from '@palisade/kinds';
import type {ServeConfig} from '../parts/config.ts';
import type {Metrics} from '../parts/metrics.ts';
import type {Logger} from '../process/logger.ts';
import {monotonicClock, systemTimers} from '../process/system.ts';
import type {Closers} from '../root/closers.ts';
import {Authentication} from './authentication.ts';
import type {LiveTokenFile} from './live-token-file.ts';

type Parts = {
  readonly tokenFile: LiveTokenFile | undefined;
  readonly metrics: Pick<Metrics, 'showLogins'>;
  readonly log: Logger;
  readonly closers: Pick<Closers, 'add'>;
};

export type OpenAuthentication = {
  readonly authentication: Authentication;
  /** Of the Kubernetes API; they have started before the first request. */
  readonly controllers: readonly ControllerFactory[];
};

/** The tokens of the file, which is watched from now on, and those that are stored. */
export const openAuthentication = (
  {auth}: Pick<ServeConfig, 'auth'>,
  {tokenFile, metrics, log, closers}: Parts,
): OpenAuthentication => {
  const limit = new LoginLimit({clock: monotonicClock, log});
  metrics.showLogins(limit.counts);
  const authentication = new Authentication(auth, limit);
  if (tokenFile !== undefined) {
    authentication.addTokens(tokenFile);
    tokenFile.watch(systemTimers);
    closers.add('token file', () => tokenFile.stop());
  }
  const stored = createAccessTokens();
  authentication.addTokens(stored.source);
  return {authentication, controllers: [stored.controller]};
};
