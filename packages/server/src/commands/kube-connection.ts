// SPDX-License-Identifier: Apache-2.0
/** The Kubernetes API that a command asks: --server / PALISADE_SERVER / the local server, else the current context of KUBECONFIG. */
import {readFileSync} from 'node:fs';
import {delimiter} from 'node:path';
import {
  type Connection,
  createKubeClient,
  isKubeError,
  isTransportError,
  type KubeClient,
  KubeconfigError,
  readKubeconfig,
  readKubeconfigFiles,
} from '@palisade/client';
import {type CliIo, CommandError} from '../cli/io.ts';
import {
  type ConnectionFlags,
  namedServer,
  noAnswer,
  type Overrides,
  toConnection,
  toOverrides,
  withHint,
} from './connection.ts';

/** Undefined: no kubeconfig is named. What `overrides` says goes before what it says. Throws CommandError. */
const fromKubeconfig = (env: CliIo['env'], overrides: Overrides): Connection | undefined => {
  const paths = (env['KUBECONFIG'] ?? '').split(delimiter).filter(path => path !== '');
  if (paths.length === 0) return undefined;
  const readFile = (path: string): string => readFileSync(path, 'utf8');
  try {
    return readKubeconfig(readKubeconfigFiles(paths, readFile), {readFile, ...overrides}).connection;
  } catch (error) {
    if (!(error instanceof KubeconfigError)) throw error;
    throw new CommandError(`KUBECONFIG: ${error.message}`, {cause: error});
  }
};

/** A refusal for want of a credential says why the one of the environment was not shown. */
const refusal = (error: Error, usesKubeconfig: boolean, env: CliIo['env']): string => {
  const hinted = withHint(error);
  if (!usesKubeconfig || hinted === error.message) return hinted;
  const unused = (env['PALISADE_TOKEN'] ?? '') === '' ? '' : ' (PALISADE_TOKEN is used only without KUBECONFIG)';
  return `${error.message}\nthe credentials are those of KUBECONFIG${unused}; give --token TOKEN to use another one`;
};

/** Runs `work` with a client; failures to reach or of the server become one readable line. */
export const withKubeClient = async <T>(
  flags: ConnectionFlags,
  io: CliIo,
  work: (client: KubeClient) => Promise<T>,
  headers?: Readonly<Record<string, string>>,
): Promise<T> => {
  const configured =
    namedServer(flags, io.env) === undefined ? fromKubeconfig(io.env, await toOverrides(flags, io.cwd)) : undefined;
  const connection = configured ?? (await toConnection(flags, io));
  const client = createKubeClient(
    headers === undefined ? connection : {...connection, headers: {...connection.headers, ...headers}},
    {userAgent: 'palisade-cli'},
  );
  try {
    return await work(client);
  } catch (error) {
    if (isTransportError(error)) throw noAnswer(error, client.server);
    if (isKubeError(error)) throw new CommandError(refusal(error, configured !== undefined, io.env), {cause: error});
    throw error;
  } finally {
    client.close();
  }
};
