// SPDX-License-Identifier: Apache-2.0
/** The provider of package `platform`: objects on a Kubernetes API server. */
import {
  type Connection,
  createKubeClient,
  type KubeClient,
  KubeconfigError,
  type KubeconfigSource,
  readKubeconfig,
  readKubeconfigFiles,
} from '@palisade/client';
import {type CheckFailure, type Provider, ProviderError, type ProviderHost} from '../provider.ts';
import {createKubeResource} from '../resources/kube/kube-resource.ts';
import {KUBE_KINDS} from '../resources/kube-kinds.ts';
import {PLATFORM} from '../schema/platform.ts';
import {
  assertServerVariable,
  environmentFault,
  serverFault,
  serverOfEnvironment,
  serverVariableFaults,
} from '../server-address.ts';
import type {ServerProbe} from '../server-identity.ts';
import {createProvider, type KnownConfig} from './create-provider.ts';

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
      const modules = KUBE_KINDS.map(kind => createKubeResource(kind, {client: connect, clock: host}));
      return {modules, server: probe(connect)};
    },
    clock: host,
  });
}

/** The namespace that nobody can delete; real clusters have it too. */
const probe = (connect: () => KubeClient): ServerProbe => ({
  address: () => connect().server,
  uid: async signal => (await connect().namespaces.get('', 'kube-system', {signal})).metadata?.uid,
  settings: 'PALISADE_SERVER, KUBECONFIG, platform:server or platform:kubeconfig',
});

function checkConfig(config: KnownConfig, host: ProviderHost): CheckFailure[] {
  const {values} = config;
  const failures = serverFault('server', values['server']);
  if (values['server'] !== undefined && values['kubeconfig'] !== undefined) {
    failures.push({property: 'server', reason: 'server and kubeconfig exclude each other: set one of them'});
  }
  if (isPending(config)) return failures;
  const naming = namingOf(config, host);
  if (naming === 'PALISADE_SERVER') failures.push(...serverVariableFaults(host));
  if (naming === undefined || naming === 'server' || naming === 'PALISADE_SERVER') return failures;
  try {
    connectionOf(config, host);
  } catch (error) {
    if (!(error instanceof KubeconfigError || error instanceof ProviderError)) throw error;
    const isToCome = error instanceof KubeconfigError && error.isLack && naming !== 'kubeconfig';
    if (isToCome && !areThere(pathsOf(config, host), host)) return failures;
    const {message} = error;
    failures.push({property: naming === 'KUBECONFIG' ? '' : naming, reason: message});
  }
  return failures;
}

const NAMING_KEYS = ['kubeconfig', 'server', 'context'] as const;
const pendingKey = ({unknown}: KnownConfig) => NAMING_KEYS.find(key => unknown.has(key));
/** Whether the server is known only after the deployment. */
const isPending = (config: KnownConfig): boolean => pendingKey(config) !== undefined;

const variablePaths = ({env}: ProviderHost): string[] =>
  (env['KUBECONFIG'] ?? '').split(':').filter(path => path !== '');

/** The user's own kubeconfigs. */
function pathsOf({values}: KnownConfig, host: ProviderHost): string[] {
  const paths = variablePaths(host);
  const home = host.env['HOME'];
  return paths.length === 0 && values['context'] !== undefined && home !== undefined ? [`${home}/.kube/config`] : paths;
}

/** Whether each of them is; one that is not may be written by the program, before it is used. */
const areThere = (paths: readonly string[], host: ProviderHost): boolean =>
  paths.every(path => {
    try {
      return readSources([path], host).length > 0;
    } catch {
      return false;
    }
  });

/**
 * What names the server, of settings and variables. Order: `kubeconfig`, `server`, a `context` of the user's own kubeconfig, then
 * PALISADE_SERVER, then KUBECONFIG. undefined: nothing.
 */
function namingOf({values}: KnownConfig, host: ProviderHost) {
  const key = NAMING_KEYS.find(candidate => values[candidate] !== undefined);
  if (key !== undefined) return key;
  if (serverOfEnvironment(host) !== undefined) return 'PALISADE_SERVER';
  return variablePaths(host).length > 0 ? 'KUBECONFIG' : undefined;
}

/**
 * `token` goes before the credentials of a kubeconfig, PALISADE_TOKEN does not: it is used only without one, as by the commands of
 * the server. Throws KubeconfigError, or `failed-precondition` when nothing says where the server is, or PALISADE_SERVER is no address.
 */
function connectionOf(config: KnownConfig, host: ProviderHost): Connection {
  const {kubeconfig, server, context, token} = config.values;
  const pending = pendingKey(config);
  if (pending !== undefined) throw new ProviderError('failed-precondition', `platform:${pending} is not known yet`);
  const read = (sources: readonly Source[]): Connection =>
    readKubeconfig(sources, {context, readFile: host.readFile, token: token === '' ? undefined : token}).connection;
  const at = (address = ''): Connection => toServer(address, token ?? host.env['PALISADE_TOKEN']);
  const naming = namingOf(config, host);
  if (kubeconfig !== undefined) return read(sourcesOf(kubeconfig, host));
  if (naming === 'server') return at(server);
  if (naming === 'PALISADE_SERVER') {
    assertServerVariable(host);
    return at(serverOfEnvironment(host));
  }
  const paths = pathsOf(config, host);
  if (paths.length > 0) return ofVariable(host, () => read(readSources(paths, host)));
  throw new ProviderError(
    'failed-precondition',
    'no API server is configured: set platform:kubeconfig or platform:server in the configuration, or PALISADE_SERVER or KUBECONFIG in the environment',
  );
}

/** Adds to the faults of files in KUBECONFIG that the variable names them. */
function ofVariable<T>(host: ProviderHost, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof KubeconfigError) || variablePaths(host).length === 0) throw error;
    const {isLack, message} = error;
    throw new KubeconfigError(environmentFault('KUBECONFIG', message).reason, {cause: error, isLack});
  }
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
