// SPDX-License-Identifier: Apache-2.0
/** Wires the embedded engine: our providers in process, and a local server where none is named. */
import {getCACertificates, setDefaultCACertificates} from 'node:tls';
import {fileURLToPath} from 'node:url';
import {EngineError, type ManagedObject, type OperationPlan} from '@palisade/engine';
import {createCloudnativeProvider, createPlatformProvider, nodeProviderHost} from '@palisade/provider';
import {defaultDataDir, kubeconfigFile} from '@palisade/server/data-folder';
import {localServer} from '@palisade/server/local-server';
import {type CliIo, CommandError, type EngineParts} from '../command-line/io.ts';
import {localCertificate} from '../connection/from-kubeconfig.ts';
import {readLocalAuthority} from '../connection/read-authority.ts';
import {counted} from '../text/figures.ts';
import {hasAnyOf} from './objects-on-server.ts';

const PROGRAM = fileURLToPath(new URL('../bin/palisade.ts', import.meta.url));

/** Configuration that names the server of a package. */
const NAMES_A_SERVER: Readonly<Record<string, readonly string[]>> = {
  platform: ['kubeconfig', 'context', 'server'],
  cloudnative: ['endpoint'],
};

const NAME_IT =
  'set PALISADE_SERVER or KUBECONFIG, or platform:server, platform:kubeconfig or cloudnative:endpoint with palisade config set';

const isConfigured = ({config}: OperationPlan): boolean =>
  Object.entries(NAMES_A_SERVER).some(([name, keys]) => keys.some(key => config.has(`${name}:${key}`)));

/** Whether only the environment can say where the object is. */
const isUnnamed = ({packageName, providerConfig}: ManagedObject): boolean =>
  NAMES_A_SERVER[packageName]?.some(key => providerConfig.has(key)) === false;

/** A server without any of the objects: they would count as deleted, and imported objects would be mixed with them. */
const lostObjects = (
  {stack, kind}: OperationPlan,
  count: number,
  local: Record<'has' | 'when' | 'wayOut', string>,
): CommandError => {
  const harm = kind === 'import' ? 'the stack would be spread over two servers' : 'they would count as deleted';
  return new CommandError(
    [
      `stack ${stack} has ${counted(count, 'resource')} on a server`,
      'no server is configured',
      `${local.has}, and ${harm}`,
      NAME_IT,
      `if ${local.when}, ${local.wayOut}`,
    ].join('\n'),
  );
};

const noneYet = (dir: string) => ({
  has: `a new local server (data in ${dir}) would be empty`,
  when: 'their server is gone for good',
  wayOut: 'start a new one (palisade serve) and set PALISADE_SERVER to it',
});

const another = (http: string) => ({
  has: `the local server at ${http} has none of them`,
  when: 'they were deleted, or their server is gone for good',
  wayOut: `set PALISADE_SERVER=${http}`,
});

/** A new server has nothing to import. */
const nothingThere = (dir: string): CommandError =>
  new CommandError(
    `no server is configured\na new local server (data in ${dir}) would have nothing to import\n${NAME_IT}`,
  );

const toEngineError = (error: unknown): unknown =>
  error instanceof CommandError ? new EngineError(error.message, {cause: error}) : error;

/** The authority of the local server, for the providers in this process and, in the value, for programs. Throws CommandError. */
const trusting = async (ca: string, env: CliIo['env']): Promise<CliIo['env']> => {
  setDefaultCACertificates([...getCACertificates('default'), await readLocalAuthority(ca)]);
  return {NODE_EXTRA_CA_CERTS: ca, ...env};
};

/** The environment that providers and programs see: with the local server where no server is named. Throws EngineError. */
const environment = async (io: CliIo, plan: () => Promise<OperationPlan>): Promise<CliIo['env']> => {
  const {env} = io;
  if ((env['PALISADE_SERVER'] ?? '') !== '' || (env['KUBECONFIG'] ?? '') !== '') return env;
  const planned = await plan();
  if (isConfigured(planned)) return env;
  const unnamed = planned.objects.filter(isUnnamed);
  if (unnamed.length === 0 && planned.kind !== 'update' && planned.kind !== 'import') return env;
  const refuseNew = (dir: string): void => {
    if (planned.kind === 'import') throw nothingThere(dir);
    if (unnamed.length > 0) throw lostObjects(planned, unnamed.length, noneYet(dir));
  };
  try {
    const {url, ca} = await localServer(io, {program: PROGRAM, refuseNew});
    const trust = ca === undefined ? {} : await trusting(ca, env);
    if (!(await hasAnyOf(url, unnamed))) throw lostObjects(planned, unnamed.length, another(url));
    const kubeconfig = kubeconfigFile(defaultDataDir(env));
    // A server that asks for credentials: the client certificate of its data folder, unless there is a token.
    if ((env['PALISADE_TOKEN'] ?? '') === '' && localCertificate(kubeconfig) !== undefined)
      return {...env, ...trust, KUBECONFIG: kubeconfig};
    return {...env, ...trust, PALISADE_SERVER: url};
  } catch (error) {
    throw toEngineError(error);
  }
};

/** What the engine gets unless a test gives something else; the same for every call with one `io`. */
export const engineParts = (io: CliIo): EngineParts => {
  const known = io.engine ?? made.get(io);
  if (known !== undefined) return known;
  let host = nodeProviderHost(io.env);
  const parts: EngineParts = {
    beforeOperation: async plan => {
      const env = await environment(io, plan);
      host = nodeProviderHost(env);
      return env;
    },
    providers: {
      platform: () => createPlatformProvider(host),
      cloudnative: () => createCloudnativeProvider(host),
    },
  };
  made.set(io, parts);
  return parts;
};
const made = new WeakMap<CliIo, EngineParts>();
