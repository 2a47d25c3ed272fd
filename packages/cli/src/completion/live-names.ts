// SPDX-License-Identifier: Apache-2.0
/** Names for completion from the backend of stacks and from the server that the command would ask: quickly, or none at all. */
import {resolve} from 'node:path';
import {Writable} from 'node:stream';
import {
  type IdsClient,
  type KubeClient,
  type KubeObject,
  parseEndpointName,
  type ResourceClient,
  resourceName,
} from '@palisade/client';
import {stackNames} from '@palisade/engine/stack-names';
import {holdingTimers} from '@palisade/server/system';
import type {CliIo} from '../command-line/io.ts';
import {readOptions} from '../command-line/options.ts';
import {allEndpoints, type ConnectionFlags, withIdsClient} from '../connection/connection.ts';
import {withKubeClient} from '../connection/kube-connection.ts';
import {namespaceOf} from '../connection/kube-target.ts';
import {servedKinds} from '../connection/served-kinds.ts';
import {GROUPS, REGISTRATIONS} from '../registration/objects.ts';
import {allRuleSets, allRules, parentOf} from '../rules/server-rules.ts';
import {ACCESS_TOKENS} from '../tokens/objects.ts';
import type {LiveNames} from './complete.ts';

/** How long a server may take to answer. */
const ANSWER_MS_MAX = 1_000;
/** How many names a server is asked for. */
const NAMES_MAX = 500;

const NAMESPACES = {group: '', version: 'v1', kind: 'Namespace', plural: 'namespaces', namespaced: false} as const;

/** What `work` found until the time is over. */
const bounded = async (work: (found: string[]) => Promise<void>): Promise<string[]> => {
  const found: string[] = [];
  const working = work(found);
  working.catch(() => {}); // ended by the client that closes
  await new Promise<void>(done => {
    const timer = holdingTimers.after(ANSWER_MS_MAX, done);
    working.finally(() => timer.cancel()).then(done, () => done());
  });
  return found;
};

/** An id where it is unique, else the full name. */
const endpointNames = (client: IdsClient): Promise<string[]> =>
  bounded(async found => {
    for await (const {name} of allEndpoints(client)) if (name !== undefined) found.push(name);
  }).then(names => {
    const ids = names.map(name => parseEndpointName(name)?.endpointId ?? name);
    return names.map((name, i) => (ids.filter(id => id === ids[i]).length === 1 ? (ids[i] ?? name) : name));
  });

/** The first of them, by sid; `gid:sid` where the gid is not 1. */
const ruleIds = (client: IdsClient, project: string | undefined): Promise<string[]> =>
  bounded(async found => {
    for await (const {ruleId} of allRules(client, parentOf(project), {}))
      if (ruleId !== '') found.push(ruleId.replace(/^1:/, ''));
  }).then(ids => [...new Set(ids)]);

const ruleSetIds = (client: IdsClient, project: string | undefined): Promise<string[]> =>
  bounded(async found => {
    for await (const {ruleSetId} of allRuleSets(client, parentOf(project))) found.push(ruleSetId);
  });

const namesIn = (objects: Pick<ResourceClient<KubeObject>, 'list'>, namespace: string): Promise<string[]> =>
  bounded(async found => {
    const {items} = await objects.list(namespace, {limit: NAMES_MAX, metadataOnly: true});
    for (const {metadata} of items ?? []) if (metadata?.name !== undefined) found.push(metadata.name);
  });

/** `resource/NAME` of every kind that can be created, in the order of discovery. */
const targets = async (client: KubeClient, namespace: string): Promise<string[]> => {
  const {kinds} = await servedKinds(client);
  const stored = kinds.filter(({verbs}) => verbs.includes('create') && verbs.includes('list'));
  const lists = stored.map(async kind => {
    const names = await namesIn(client.resource(kind), kind.namespaced ? namespace : '');
    return names.map(name => `${resourceName(kind)}/${name}`);
  });
  return (await Promise.all(lists)).flat();
};

type Flags = ConnectionFlags & {
  readonly cwd: string | undefined;
  readonly namespace: string | undefined;
  readonly project: string | undefined;
};

/** Silent: without a server, a permission or a project there are no names. */
export const liveNames =
  (io: CliIo): LiveNames =>
  async (kind, {command, rest}) => {
    const flags = readOptions(rest, command.options, {likePulumi: command.group === 'stacks'})
      .options as Partial<Flags> as Flags;
    const nowhere = new Writable({write: (_chunk, _encoding, done) => done()});
    const silent: CliIo = {...io, stdout: nowhere, stderr: nowhere};
    const objects = (work: (client: KubeClient, namespace: string) => Promise<string[]>): Promise<string[]> =>
      withKubeClient(flags, silent, (client, ofContext) => work(client, namespaceOf(flags.namespace, ofContext))).catch(
        () => [],
      );
    const endpoints = (): Promise<string[]> => withIdsClient(flags, silent, endpointNames).catch(() => []);
    switch (kind) {
      case 'stack':
        return stackNames(flags.cwd === undefined ? io.cwd : resolve(io.cwd, flags.cwd), io.env).catch(() => []);
      case 'endpoint':
        return endpoints();
      case 'rule':
        return withIdsClient(flags, silent, client => ruleIds(client, flags.project)).catch(() => []);
      case 'ruleSet':
        return withIdsClient(flags, silent, client => ruleSetIds(client, flags.project)).catch(() => []);
      case 'namespace':
        return objects(client => namesIn(client.resource(NAMESPACES), ''));
      case 'endpoints':
        return objects((client, namespace) => namesIn(client.endpoints, namespace));
      case 'group':
        return objects((client, namespace) => namesIn(client.resource(GROUPS), namespace));
      case 'registration':
        return objects((client, namespace) => namesIn(client.resource(REGISTRATIONS), namespace));
      case 'accessToken':
        return objects(client => namesIn(client.resource(ACCESS_TOKENS), ''));
      case 'object':
        return objects(targets);
      case 'described':
        return (await Promise.all([endpoints(), objects(targets)])).flat();
    }
  };
