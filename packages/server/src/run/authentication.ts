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
import {CommandError} from '../cli/io.ts';
import type {ServeConfig} from './config.ts';

/** Throws CommandError when the file cannot be read or used; every fault of it is named. */
export const openAuthenticator = async ({auth, tokenAuthFile}: ServeConfig): Promise<Authenticator> => {
  if (auth === 'none') return everyoneIsMaster;
  if (tokenAuthFile === undefined) throw new CommandError('--token-auth-file: no file is named');
  const text = await readTokens(tokenAuthFile);
  try {
    return tokenAuthenticator(parseTokenFile(text));
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
    const {code = String(error)} = error as NodeJS.ErrnoException;
    throw new CommandError(`--token-auth-file ${path}: cannot be read (${code})`, {cause: error});
  }
};
