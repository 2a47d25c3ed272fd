// SPDX-License-Identifier: Apache-2.0
/** `palisade kubeconfig`: the address and the CA of a data folder, with the certificate or the token of a user. */
import {rm} from 'node:fs/promises';
import {resolve} from 'node:path';
import {text} from 'node:stream/consumers';
import {KubeconfigError, readKubeconfig} from '@palisade/client';
import {whyUnreadable} from '@palisade/engine/file-faults';
import {serverLacks} from '@palisade/server/certificate-facts';
import {issueClient} from '@palisade/server/change-certificates';
import {authorityFile, kubeconfigFile} from '@palisade/server/data-folder';
import {renderKubeconfig} from '@palisade/server/kubeconfig';
import {readIfPresent} from '@palisade/server/read-if-present';
import {systemClock} from '@palisade/server/system';
import {type CliIo, CommandError, EXIT, UsageError} from '../command-line/io.ts';
import {openNewFile} from '../command-line/open-new-file.ts';
import {parseOptions} from '../command-line/options.ts';
import {readAuthority} from '../connection/read-authority.ts';
import {readNamedFile} from '../connection/read-named-file.ts';
import {clientOf, folderOf, kubeconfigFlags, noteOf, TTL_DEFAULT, termOf} from './certs-flags.ts';

type Cluster = {readonly server: string; readonly ca: string | undefined};

/** Undefined: no server has written it. */
const textIfThere = async (path: string): Promise<string | undefined> => {
  try {
    return await readIfPresent(path);
  } catch (error) {
    throw new CommandError(`${path} cannot be read: ${whyUnreadable(error)}`, {cause: error});
  }
};

/** What the server of the data folder has written for its clients. */
const clusterIn = async (dir: string): Promise<Partial<Cluster>> => {
  const path = kubeconfigFile(dir);
  const written = await textIfThere(path);
  if (written === undefined) return {ca: await textIfThere(authorityFile(dir))};
  try {
    const {connection} = readKubeconfig([{path, text: written}], {readFile: () => ''});
    return {server: connection.server, ca: connection.tls?.ca};
  } catch (error) {
    if (!(error instanceof KubeconfigError)) throw error;
    throw new CommandError(`${error.message}; restart the server to write it again`, {cause: error});
  }
};

const tokenIn = async (name: string, {stdin, cwd}: CliIo): Promise<string> => {
  const read = name === '-' ? await text(stdin) : (await readNamedFile(name, cwd, `--token ${name}`)).toString('utf8');
  const token = read.trim();
  if (!/^[\x21-\x7e]+$/.test(token))
    throw new CommandError(`--token ${name}: contains no token; write the token alone into it`);
  return token;
};

export const runKubeconfig = async (words: readonly string[], io: CliIo): Promise<number> => {
  const {data, token, server, ca, out, json, ttl, ...who} = parseOptions(words, kubeconfigFlags).options;
  const nowMs = systemClock.now();
  const client = clientOf({...who, ttl: ttl ?? TTL_DEFAULT}, nowMs);
  const faults: string[] = [];
  if (token !== undefined && (ttl !== undefined || who.group.length > 0))
    faults.push('--group and --ttl are for certificates: leave them out with --token');
  if (server !== undefined && !(/^https?:\/\//.test(server) && URL.canParse(server)))
    faults.push(`--server ${server}: must be a URL that starts with https:// or http://`);
  if (faults.length > 0) throw new UsageError(faults.join('\n'));
  const dir = folderOf(data, io);
  const known = await clusterIn(dir);
  const address = server ?? known.server;
  if (address === undefined)
    throw new CommandError(
      `no server has run on ${dir}: give the data folder with --data, such as --data ./data, or an address with --server URL`,
    );
  if (token === undefined && !address.startsWith('https:'))
    throw new CommandError(
      `${address} has no TLS, which client certificates need; give --token FILE, or --server https://…`,
    );
  const host = new URL(address).hostname.replace(/^\[|\]$/g, '');
  if (ca === undefined && known.ca !== undefined && (await serverLacks(dir, known.ca, host)))
    io.stderr.write(
      `palisade: the server certificate is not valid for ${host}: restart the server with --tls-names ${host}\n`,
    );
  const place = {
    server: address.replace(/\/+$/, ''),
    ca: ca === undefined ? known.ca : await readAuthority(ca, io.cwd),
    auth: 'tokens' as const,
    user: client.commonName,
  };
  const handle = out === undefined ? undefined : await openNewFile(out, io.cwd);
  const path = resolve(io.cwd, out ?? '');
  try {
    const issued = token === undefined ? await issueClient(dir, client, nowMs) : undefined;
    const kubeconfig = renderKubeconfig({
      ...place,
      ...(issued === undefined ? {token: await tokenIn(token ?? '', io)} : {client: issued}),
    });
    await handle?.writeFile(kubeconfig);
    const term = issued === undefined ? {} : termOf(issued.cert);
    const shown = {server: place.server, user: place.user, ...term};
    if (json)
      io.stdout.write(`${JSON.stringify(out === undefined ? {...shown, kubeconfig} : {file: path, ...shown})}\n`);
    else io.stdout.write(out === undefined ? kubeconfig : `${path}\n`);
    if (issued !== undefined && !json) io.stderr.write(noteOf(issued.cert));
    return EXIT.ok;
  } catch (error) {
    if (handle !== undefined) await rm(path, {force: true});
    throw error;
  } finally {
    await handle?.close();
  }
};
