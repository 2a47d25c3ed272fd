// SPDX-License-Identifier: Apache-2.0
/** The Kubernetes API that a command asks: --server / PALISADE_SERVER / the local server, else the current context of KUBECONFIG. */
import {readFileSync} from 'node:fs';
import {delimiter} from 'node:path';
import {
  type Connection,
  createKubeClient,
  isKubeError,
  isNotFound,
  isTransportError,
  type KubeClient,
  KubeconfigError,
  readKubeconfig,
  readKubeconfigFiles,
} from '@palisade/client';
import {type CliIo, CommandError} from '../command-line/io.ts';
import {
  type ConnectionFlags,
  namedServer,
  noAnswer,
  noteOfWaiting,
  type Overrides,
  pathHint,
  serverSource,
  toConnection,
  toOverrides,
} from './connection.ts';
import {type Credential, kubeconfigCredential, plainCredential, refusalText} from './credential.ts';

/** `namespace` is that of the context; '' where it names none. */
type Found = {readonly connection: Connection; readonly credential: Credential; readonly namespace: string};

/** Undefined: no kubeconfig is named. What `overrides` says goes before what it says. Throws CommandError. */
const fromKubeconfig = (env: CliIo['env'], overrides: Overrides): Found | undefined => {
  const paths = (env['KUBECONFIG'] ?? '').split(delimiter).filter(path => path !== '');
  if (paths.length === 0) return undefined;
  const readFile = (path: string): string => readFileSync(path, 'utf8');
  try {
    const {connection, user, namespace} = readKubeconfig(readKubeconfigFiles(paths, readFile), {
      readFile,
      ...overrides,
    });
    return {connection, credential: kubeconfigCredential(overrides.token, user, connection), namespace};
  } catch (error) {
    if (!(error instanceof KubeconfigError)) throw error;
    throw new CommandError(`KUBECONFIG: ${error.message}`, {cause: error});
  }
};

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
    namedServer(flags, io.env) === undefined ? fromKubeconfig(io.env, await toOverrides(flags, io.cwd)) : undefined;
  const {connection, credential, namespace} = configured ?? {
    connection: await toConnection(flags, io),
    credential: plainCredential(flags.token, io.env),
    namespace: '',
  };
  const client = createKubeClient(
    headers === undefined ? connection : {...connection, headers: {...connection.headers, ...headers}},
    {userAgent: 'palisade-cli', onRequest: noteOfWaiting(connection.server, io.stderr), timeoutMs},
  );
  try {
    return await work(client, namespace);
  } catch (error) {
    const source = configured === undefined ? serverSource(flags, io.env) : 'KUBECONFIG';
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
