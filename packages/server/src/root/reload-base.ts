// SPDX-License-Identifier: Apache-2.0
/** What SIGHUP changes whatever a server serves: the level of the log, the tokens, and the files of the certificate. */
import type {LiveTokenFile} from '../auth/live-token-file.ts';
import type {ServeConfig} from '../parts/config.ts';
import type {Logger} from '../process/logger.ts';
import type {PartOutcome, Reload} from './reload.ts';

export type LiveTls = {
  /** The pair that the configuration names now. */
  readonly tls: () => ServeConfig['tls'];
  /** `look`: reads the pair; resolves to whether it is in use. */
  readonly useTls: (next: ServeConfig, look: () => Promise<boolean>) => Promise<PartOutcome>;
};

export const reloadBase = (
  reload: Reload,
  start: ServeConfig,
  tokenFile: LiveTokenFile | undefined,
  log: Logger,
): LiveTls => {
  reload.add('log', async ({logLevel}) => {
    log.level = logLevel; // also that of its children
    return 'applied';
  });
  // Whether credentials are asked for at all decides about more than the authenticator.
  if (tokenFile !== undefined)
    reload.add('tokens', async ({auth, tokenAuthFile}) => {
      if (auth !== 'tokens' || tokenAuthFile === undefined) return 'needsRestart';
      return (await tokenFile.reload(tokenAuthFile)) ? 'applied' : 'failed';
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
