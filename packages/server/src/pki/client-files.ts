// SPDX-License-Identifier: Apache-2.0
/** The files of --client-ca-file and of revocation lists. */
import {X509Certificate} from 'node:crypto';
import {readFile} from 'node:fs/promises';
import {whyUnreadable} from '@palisade/engine/file-faults';
import {CommandError} from '../errors.ts';
import type {ClientAuthority} from './certificates.ts';
import {readLists} from './issuer.ts';
import type {RevocationList} from './revocation-lists.ts';

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g;

const textOf = async (said: string, path: string): Promise<string> => {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new CommandError(`${said}: cannot be read: ${whyUnreadable(error)}`, {cause: error});
  }
};

/** The CAs in the text of a file. Throws CommandError. */
export const clientAuthoritiesIn = (text: string, said: string): readonly ClientAuthority[] => {
  const pems = text.match(CERTIFICATE) ?? [];
  if (pems.length === 0)
    throw new CommandError(`${said}: contains no certificate in PEM form (-----BEGIN CERTIFICATE-----)`);
  return pems.map((pem, at) => {
    const damaged = (cause?: unknown): CommandError =>
      new CommandError(`${said}: certificate number ${at + 1} is damaged: replace the file`, {cause});
    let untilMs: number;
    try {
      untilMs = Date.parse(new X509Certificate(pem).validTo);
    } catch (error) {
      throw damaged(error);
    }
    if (Number.isNaN(untilMs)) throw damaged();
    return {pem, untilMs};
  });
};

/** The CAs of --client-ca-file. Throws CommandError. */
export const readClientAuthorities = async (path: string): Promise<readonly ClientAuthority[]> => {
  const said = `--client-ca-file ${path}`;
  return clientAuthoritiesIn(await textOf(said, path), said);
};

/** `said`: how the file is named. Throws CommandError for a file that cannot be read, or with a list of none of the CAs. */
export const readRevocationLists = async (
  said: string,
  path: string,
  authorities: readonly string[],
): Promise<readonly RevocationList[]> => {
  const lists = await textOf(said, path);
  const read = await readLists({lists, authorities});
  if ('fault' in read) throw new CommandError(`${said}: ${read.fault}; replace the file`);
  return read.lists;
};
