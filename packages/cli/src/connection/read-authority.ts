// SPDX-License-Identifier: Apache-2.0
/** The authority behind the certificate of a server, as PEM. */
import {X509Certificate} from 'node:crypto';
import {CommandError} from '../command-line/io.ts';
import {readNamedFile} from './read-named-file.ts';

const holdsCertificate = (text: string): boolean => {
  if (!text.includes('-----BEGIN CERTIFICATE-----')) return false; // X509Certificate takes DER too, TLS does not
  try {
    new X509Certificate(text);
    return true;
  } catch {
    return false;
  }
};

/** `said`: how the user named it. Throws CommandError for a file that cannot be read, and for one that holds no certificate. */
export const readAuthority = async (path: string, cwd: string, said = `--ca ${path}`): Promise<string> => {
  const text = (await readNamedFile(path, cwd, said)).toString('utf8');
  if (!holdsCertificate(text))
    throw new CommandError(`${said}: contains no PEM certificate (-----BEGIN CERTIFICATE-----)`);
  return text;
};

/** That of the server that runs on the data folder; `path` is absolute. Throws CommandError. */
export const readLocalAuthority = async (path: string): Promise<string> => {
  try {
    return await readAuthority(path, '/', path);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    const wayOut = 'restart the local server to create its certificates again';
    throw new CommandError(`${error.message}\n${wayOut}`, {cause: error});
  }
};
