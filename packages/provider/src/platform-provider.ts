// SPDX-License-Identifier: Apache-2.0
/** The provider of package `platform`: Endpoints on any Kubernetes API server. */
import {
  type Connection,
  createKubeClient,
  type KubeClient,
  KubeconfigError,
  type KubeconfigSource,
  readKubeconfig,
  readKubeconfigFiles,
} from '@palisade/client';
import {createProvider, type KnownConfig} from './create-provider.ts';
import {type CheckFailure, type Provider, ProviderError, type ProviderHost} from './provider.ts';
import {createEndpointsModule} from './resources/endpoints.ts';
import {PLATFORM} from './schema/platform.ts';
import {serverFault} from './server-address.ts';

const USER_AGENT = `pulumi-resource-platform/${PLATFORM.version}`;

/** Ready for `configure`. Nothing is read or opened before a call needs the server. */
export function createPlatformProvider(host: ProviderHost): Provider {
  return createProvider({
    description: PLATFORM,
    checkConfig: config => checkConfig(config, host),
    configure: config => {
      let client: KubeClient | undefined;
      const connect = (): KubeClient => {
        client ??= createKubeClient(connectionOf(config, host), {userAgent: USER_AGENT});
        return client;
      };
      return [createEndpointsModule({client: connect, clock: host})];
    },
  });
}

function checkConfig(config: KnownConfig, host: ProviderHost): CheckFailure[] {
  const {values, unknown} = config;
  const failures = serverFault('server', values['server']);
  if (values['server'] !== undefined && values['kubeconfig'] !== undefined) {
    failures.push({property: 'server', reason: 'server and kubeconfig exclude each other: set one of them'});
  }
  if (values['kubeconfig'] === undefined || unknown.has('context')) return failures;
  try {
    connectionOf(config, host);
  } catch (error) {
    if (!(error instanceof KubeconfigError)) throw error;
    failures.push({property: 'kubeconfig', reason: error.message});
  }
  return failures;
}

/**
 * Order: `kubeconfig`, `server`, a `context` of the user's own kubeconfig, then PALISADE_SERVER, then KUBECONFIG. `token` goes before
 * the credentials of a kubeconfig, PALISADE_TOKEN does not: it is used only without one, as by the commands of the server.
 * Throws KubeconfigError, or `failed-precondition` when nothing says where the server is.
 */
function connectionOf({values, unknown}: KnownConfig, host: ProviderHost): Connection {
  const {kubeconfig, server, context, token} = values;
  for (const key of ['kubeconfig', 'server', 'context']) {
    if (unknown.has(key)) throw new ProviderError('failed-precondition', `platform:${key} is not known yet`);
  }
  const read = (sources: readonly Source[]): Connection =>
    readKubeconfig(sources, {context, readFile: host.readFile, token: token === '' ? undefined : token}).connection;
  const at = (address: string): Connection => toServer(address, token ?? host.env['PALISADE_TOKEN']);
  if (kubeconfig !== undefined) return read(sourcesOf(kubeconfig, host));
  if (server !== undefined) return at(server);
  const paths = (host.env['KUBECONFIG'] ?? '').split(':').filter(path => path !== '');
  const fromEnvironment = host.env['PALISADE_SERVER'];
  if (context === undefined && fromEnvironment !== undefined && fromEnvironment !== '') return at(fromEnvironment);
  if (paths.length > 0) return read(readSources(paths, host));
  const home = host.env['HOME'];
  if (context !== undefined && home !== undefined) return read(readSources([`${home}/.kube/config`], host));
  throw new ProviderError(
    'failed-precondition',
    'no API server is named: set platform:kubeconfig or platform:server in the configuration, or PALISADE_SERVER or KUBECONFIG in the environment',
  );
}

const toServer = (server: string, token: string | undefined): Connection => ({
  server: server.replace(/\/+$/, ''),
  ...(token === undefined || token === '' ? {} : {authorization: () => `Bearer ${token}`}),
});

type Source = KubeconfigSource;

/** A path has one line and names a file; anything else is the content itself. */
function sourcesOf(kubeconfig: string, host: ProviderHost): Source[] {
  const isContent = kubeconfig.includes('\n') || kubeconfig.trimStart().startsWith('{');
  return isContent ? [{path: '', text: kubeconfig}] : readSources([kubeconfig], host);
}

const readSources = (paths: readonly string[], host: ProviderHost): Source[] =>
  readKubeconfigFiles(
    paths.map(path => (path.startsWith('~/') ? `${host.env['HOME'] ?? ''}${path.slice(1)}` : path)),
    host.readFile,
  );
