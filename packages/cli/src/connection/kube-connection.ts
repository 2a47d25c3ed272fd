// SPDX-License-Identifier: Apache-2.0
/** The Kubernetes API that a command asks: --server / PALISADE_SERVER / the local server, else the current context of KUBECONFIG. */
import {createKubeClient, isKubeError, isNotFound, isTransportError, type KubeClient} from '@palisade/client';
import {type CliIo, CommandError} from '../command-line/io.ts';
import {
  type ConnectionFlags,
  findConnection,
  namedServer,
  noAnswer,
  noteOfWaiting,
  pathHint,
  toOverrides,
} from './connection.ts';
import {refusalText} from './credential.ts';
import {fromKubeconfig} from './from-kubeconfig.ts';

export type Asking = {
  /** Further headers of every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The longest silence of the server. */
  readonly timeoutMs?: number;
};

/** Runs `work` with a client and the namespace of the kubeconfig's context ('' for none); failures to reach or of the server become one readable line. */
export const withKubeClient = async <T>(
  flags: ConnectionFlags,
  io: CliIo,
  work: (client: KubeClient, namespace: string) => Promise<T>,
  {headers, timeoutMs}: Asking = {},
): Promise<T> => {
  const configured =
    flags.data === undefined && namedServer(flags, io.env) === undefined
      ? fromKubeconfig(io.env, await toOverrides(flags, io.cwd))
      : undefined;
  const {connection, credential, namespace, source} = configured ?? (await findConnection(flags, io));
  const client = createKubeClient(
    headers === undefined ? connection : {...connection, headers: {...connection.headers, ...headers}},
    {userAgent: 'palisade-cli', onRequest: noteOfWaiting(connection.server, io.stderr), timeoutMs},
  );
  try {
    return await work(client, namespace);
  } catch (error) {
    if (isTransportError(error)) throw noAnswer(error, client.server, source);
    if (isKubeError(error)) {
      const text = refusalText(error, credential, io.env);
      throw new CommandError(`${text}${pathHint(isNotFound(error), client.server, source)}`, {cause: error});
    }
    throw error;
  } finally {
    client.close();
  }
};
