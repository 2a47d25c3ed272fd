// SPDX-License-Identifier: Apache-2.0
/** Reads the file of `--token-auth-file`. */
import {readFile} from 'node:fs/promises';
import {parseTokenFile, TokenFileError, type TokenTable} from '@palisade/apiserver';
import {whyUnreadable} from '@palisade/engine/file-faults';
import {CommandError} from '../errors.ts';
import type {Logger} from '../process/logger.ts';

/** Throws CommandError when the file cannot be read or used, or lets nobody in; every fault of it is named. */
export const readTokenFile = async (path: string, log: Pick<Logger, 'warn'>): Promise<TokenTable> => {
  const text = await readTokens(path);
  try {
    const users = parseTokenFile(text, warning => log.warn(`--token-auth-file ${path}: ${warning}`));
    if (users.size > 0) return users;
  } catch (error) {
    if (!(error instanceof TokenFileError)) throw error;
    const faults = error.faults.map(fault => `--token-auth-file ${path}: ${fault}`);
    throw new CommandError(faults.join('\n'), {cause: error});
  }
  throw new CommandError(
    `--token-auth-file ${path}: no tokens in the file: add lines token,user,uid,"group1,group2", or omit the flag`,
  );
};

const readTokens = async (path: string): Promise<string> => {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new CommandError(`--token-auth-file ${path}: cannot be read: ${whyUnreadable(error)}`, {cause: error});
  }
};
