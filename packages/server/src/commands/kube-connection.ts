// SPDX-License-Identifier: Apache-2.0
/** The Kubernetes API that a command asks: --server / PALISADE_SERVER / the local server, else the current context of KUBECONFIG. */
import {readFileSync} from 'node:fs';
import {
  type Connection,
  createKubeClient,
  isKubeError,
  isTransportError,
  type KubeClient,
  readKubeconfig,
} from '@palisade/client';
import {type CliIo, CommandError} from '../cli/io.ts';
import {type ConnectionFlags, noAnswer, toConnection, withHint} from './connection.ts';

const fromKubeconfig = (env: CliIo['env']): Connection | undefined => {
  const paths = (env['KUBECONFIG'] ?? '').split(':').filter(path => path !== '');
  if (paths.length === 0) return undefined;
  const readFile = (path: string): string => readFileSync(path, 'utf8');
  try {
    return readKubeconfig(
      paths.map(path => ({path, text: readFile(path)})),
      {readFile},
    ).connection;
  } catch (error) {
    throw new CommandError(`KUBECONFIG: ${(error as Error).message}`, {cause: error});
  }
};

/** Runs `work` with a client; failures to reach or of the server become one readable line. */
export const withKubeClient = async <T>(
  flags: ConnectionFlags,
  io: CliIo,
  work: (client: KubeClient) => Promise<T>,
  headers?: Readonly<Record<string, string>>,
): Promise<T> => {
  const named = flags.server !== undefined || io.env['PALISADE_SERVER'] !== undefined;
  const configured = named ? undefined : fromKubeconfig(io.env);
  const connection = configured ?? (await toConnection(flags, io.env));
  const client = createKubeClient(
    headers === undefined ? connection : {...connection, headers: {...connection.headers, ...headers}},
    {userAgent: 'palisade-cli'},
  );
  try {
    return await work(client);
  } catch (error) {
    if (isTransportError(error)) throw noAnswer(error, client.server);
    if (isKubeError(error))
      throw new CommandError(configured === undefined ? withHint(error) : error.message, {cause: error});
    throw error;
  } finally {
    client.close();
  }
};
