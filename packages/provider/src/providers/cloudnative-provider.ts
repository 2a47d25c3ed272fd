// SPDX-License-Identifier: Apache-2.0
/** The provider of package `cloudnative`: intrusion-detection endpoints on any server of the Cloud IDS API. */
import {
  type Connection,
  createIdsClient,
  type IdsClient,
  isOwnTarget,
  KubeconfigError,
  readKubeconfig,
  readKubeconfigFiles,
} from '@palisade/client';
import {networkFaults} from '@palisade/ids-wire';
import {type CheckFailure, type Provider, ProviderError, type ProviderHost} from '../provider.ts';
import {createIdsEndpointModule} from '../resources/ids-endpoint.ts';
import {DEFAULTED, type DefaultedKey, isSet} from '../resources/ids-endpoint-rules.ts';
import {CLOUDNATIVE} from '../schema/cloudnative.ts';
import {assertServerVariable, serverFault, serverOfEnvironment, serverVariableFaults} from '../server-address.ts';
import type {ServerProbe} from '../server-identity.ts';
import {UNKNOWN} from '../value.ts';
import {createProvider, type KnownConfig} from './create-provider.ts';

const USER_AGENT = `pulumi-resource-cloudnative/${CLOUDNATIVE.version}`;
const SEVERITIES = (CLOUDNATIVE.enums['intrusion/v1:EndpointSeverity']?.values ?? []).map(member => member.value);

/** Ready for `configure`. Nothing is opened before a call needs the server. */
export function createCloudnativeProvider(host: ProviderHost): Provider {
  return createProvider({
    description: CLOUDNATIVE,
    checkConfig: config => checkConfig(config, host),
    configure: config => {
      let client: IdsClient | undefined;
      const connect = (): IdsClient => {
        client ??= openClient(config, host);
        return client;
      };
      const defaults = defaultsOf(config, host);
      const modules = [createIdsEndpointModule({client: connect, clock: host, defaults, uuid: host.uuid})];
      return {modules, server: probe(connect)};
    },
    clock: host,
  });
}

/** Our own servers say it; Cloud IDS does not. */
const probe = (connect: () => IdsClient): ServerProbe => ({
  address: () => connect().server,
  uid: async signal => (await connect().getServer({signal})).uid,
  settings: 'PALISADE_SERVER or cloudnative:endpoint',
});

function checkConfig({values, unknown}: KnownConfig, host: ProviderHost): CheckFailure[] {
  const {endpoint} = values;
  const isOfEnvironment = endpoint === undefined && !unknown.has('endpoint');
  const failures = isOfEnvironment ? serverVariableFaults(host) : serverFault('endpoint', endpoint);
  const severity = values['severity'];
  if (severity !== undefined && !SEVERITIES.includes(severity)) {
    const reason = `unsupported value ${JSON.stringify(severity)}: supported values are ${SEVERITIES.join(', ')}`;
    failures.push({property: 'severity', reason});
  }
  const {network = ''} = values;
  if (network !== '') for (const {reason} of networkFaults(network)) failures.push({property: 'network', reason});
  return failures;
}

function openClient({values, unknown}: KnownConfig, host: ProviderHost): IdsClient {
  if (unknown.has('endpoint')) throw new ProviderError('failed-precondition', 'cloudnative:endpoint is not known yet');
  if (values['endpoint'] === undefined) assertServerVariable(host);
  const named = values['endpoint'] ?? serverOfEnvironment(host);
  const token = values['token'] ?? host.env['PALISADE_TOKEN'];
  const authorization = token === undefined || token === '' ? undefined : () => `Bearer ${token}`;
  const own = ownTarget(host);
  const server = (named ?? own?.server)?.replace(/\/+$/, '');
  if (server === undefined) {
    throw new ProviderError(
      'failed-precondition',
      'no server is configured: set cloudnative:endpoint in the configuration, or PALISADE_SERVER in the environment',
    );
  }
  const known = own?.server === server ? own : {server};
  return createIdsClient(authorization === undefined ? known : withToken(known, authorization), {
    userAgent: USER_AGENT,
  });
}

/** A token goes before a client certificate. */
const withToken = ({server, tls}: Connection, authorization: () => string): Connection => ({
  server,
  authorization,
  ...(tls?.ca === undefined ? {} : {tls: {ca: tls.ca}}),
});

/** Where KUBECONFIG leads, if a Palisade server wrote it: both APIs are there, with the same credential. */
function ownTarget({env, readFile}: ProviderHost): Connection | undefined {
  const paths = (env['KUBECONFIG'] ?? '').split(':').filter(path => path !== '');
  if (paths.length === 0) return undefined;
  try {
    const target = readKubeconfig(readKubeconfigFiles(paths, readFile), {readFile});
    return isOwnTarget(target) ? target.connection : undefined;
  } catch (error) {
    if (error instanceof KubeconfigError) return undefined; // its faults are those of package platform
    throw error;
  }
}

function defaultsOf({values, unknown}: KnownConfig, host: ProviderHost) {
  const defaults: Partial<Record<DefaultedKey, string | typeof UNKNOWN>> = {};
  for (const [key, variable] of Object.entries(DEFAULTED) as [DefaultedKey, string][]) {
    const value = values[key] ?? host.env[variable];
    if (unknown.has(key)) defaults[key] = UNKNOWN;
    else if (value !== undefined && isSet(key, value)) defaults[key] = value;
  }
  return defaults;
}
