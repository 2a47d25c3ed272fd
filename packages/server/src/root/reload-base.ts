// SPDX-License-Identifier: Apache-2.0
/** What SIGHUP changes whatever a server serves: the level of the log, the tokens, and the files of the certificate. */
import {openAuthenticator, type ReplaceableAuthenticator} from '../parts/authentication.ts';
import type {ServeConfig} from '../parts/config.ts';
import type {Logger} from '../process/logger.ts';
import type {PartOutcome, Reload} from './reload.ts';

export type LiveTls = {
  /** The pair that the configuration names now. */
  readonly tls: () => ServeConfig['tls'];
  /** `look`: reads the pair; resolves to whether it is in use. */
  readonly useTls: (next: ServeConfig, look: () => Promise<boolean>) => Promise<PartOutcome>;
};

const NOT_TAKEN = 'token file reload failed, the previous tokens stay valid';

export const reloadBase = (
  reload: Reload,
  start: ServeConfig,
  authenticator: ReplaceableAuthenticator,
  log: Logger,
): LiveTls => {
  reload.add('log', async ({logLevel}) => {
    log.level = logLevel; // also that of its children
    return 'applied';
  });
  // Whether credentials are asked for at all decides about more than the authenticator.
  if (start.auth === 'tokens')
    reload.add('tokens', async ({auth, tokenAuthFile}) => {
      if (auth !== 'tokens') return 'needsRestart';
      try {
        authenticator.replace(await openAuthenticator({auth, tokenAuthFile}, log));
        log.info({file: tokenAuthFile}, 'token file reloaded');
        return 'applied';
      } catch (error) {
        log.error({err: error}, NOT_TAKEN);
        return 'failed';
      }
    });
  let {tls} = start;
  return {
    tls: () => tls,
    useTls: async (next, look) => {
      // A certificate of our own is announced to clients at the start.
      if ((next.tls === undefined) !== (start.tls === undefined)) return 'needsRestart';
      const before = tls;
      tls = next.tls;
      const isUsed = await look();
      if (!isUsed) tls = before;
      return isUsed ? 'applied' : 'failed';
    },
  };
};
