// SPDX-License-Identifier: Apache-2.0
/** Who is let in: the callers of one machine, or the tokens of a file. One authenticator for both APIs. */
import {readFile} from 'node:fs/promises';
import {
  type Authenticator,
  everyoneIsMaster,
  parseTokenFile,
  TokenFileError,
  tokenAuthenticator,
} from '@palisade/apiserver';
import {whyUnreadable} from '@palisade/engine/file-faults';
import {CommandError} from '../errors.ts';
import type {Logger} from '../process/logger.ts';
import type {ServeConfig} from './config.ts';

/** Throws CommandError when the file cannot be read or used, or lets nobody in; every fault of it is named. */
export const openAuthenticator = async (
  {auth, tokenAuthFile}: Pick<ServeConfig, 'auth' | 'tokenAuthFile'>,
  log: Pick<Logger, 'warn'>,
): Promise<Authenticator> => {
  if (auth === 'none') return everyoneIsMaster;
  if (tokenAuthFile === undefined) throw new CommandError('--token-auth-file: no file given');
  const text = await readTokens(tokenAuthFile);
  try {
    const users = parseTokenFile(text, warning => log.warn(`--token-auth-file ${tokenAuthFile}: ${warning}`));
    if (users.size === 0) {
      throw new CommandError(
        `--token-auth-file ${tokenAuthFile}: no tokens in the file: add lines token,user,uid,"group1,group2", or use --auth none to allow everyone on this machine`,
      );
    }
    return tokenAuthenticator(users);
  } catch (error) {
    if (!(error instanceof TokenFileError)) throw error;
    const faults = error.faults.map(fault => `--token-auth-file ${tokenAuthFile}: ${fault}`);
    throw new CommandError(faults.join('\n'), {cause: error});
  }
};

const readTokens = async (path: string): Promise<string> => {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new CommandError(`--token-auth-file ${path}: cannot be read: ${whyUnreadable(error)}`, {cause: error});
  }
};

/** One that another may replace while it is in use: requests that come later are judged by the new one. */
export type ReplaceableAuthenticator = Authenticator & {readonly replace: (next: Authenticator) => void};

export const replaceable = (first: Authenticator): ReplaceableAuthenticator => {
  let current = first;
  return {
    authenticate: credentials => current.authenticate(credentials),
    replace: next => {
      current = next;
    },
  };
};
