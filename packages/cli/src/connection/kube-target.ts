// SPDX-License-Identifier: Apache-2.0
/** RESOURCE/NAME of the command line → one object of a kind that the server serves. */
import {type DeletionTarget, isNotFound, type KubeClient, type KubeObject, resourceName} from '@palisade/client';
import {nameIsPathSegment} from '@palisade/kube-wire';
import {type CliIo, CommandError, UsageError} from '../command-line/io.ts';
import type {OptionTable} from '../command-line/options.ts';
import {terminalWord} from '../command-line/terminal-text.ts';
import type {ConnectionFlags} from './connection.ts';
import {isAnonymousRefusal} from './credential.ts';
import {withKubeClient} from './kube-connection.ts';
import {findKind, servedKinds} from './served-kinds.ts';

/** What the command line says; nobody was asked yet. */
export type TargetWord = {readonly resource: string; readonly name: string};
export type Target = DeletionTarget;

/** One slash: `endpoints/web`, `ns/shop`. */
const WORD = /^([^/]+)\/([^/]+)$/;
export const isTargetWord = (word: string): boolean => WORD.test(word);

/** Throws UsageError. */
export const parseTarget = (word: string | undefined): TargetWord => {
  const [, resource, name] = WORD.exec(word ?? '') ?? [];
  if (resource === undefined || name === undefined)
    throw new UsageError(`"${word ?? ''}": give RESOURCE/NAME, such as endpoints/web or namespaces/shop`);
  return {resource, name};
};

/** For a command about one object: how many words, and the message for a second one (kubectl takes `endpoints web` too). */
export const oneTarget = {max: 1, what: 'an object is one word, RESOURCE/NAME, such as endpoints/web'} as const;

/** The flag of every command about an object, as in kubectl. */
export const namespaceOption = {
  namespace: {
    type: 'string',
    short: 'n',
    value: 'NS',
    completes: 'namespace',
    doc: 'use this namespace (default: that of the kubeconfig, or default)',
  },
} as const satisfies OptionTable;

/** Throws UsageError for what does not fit into a path. */
export const checkNamespace = (namespace: string | undefined): void => {
  const faults = namespace === undefined ? [] : nameIsPathSegment(namespace, false);
  if (faults.length > 0) throw new UsageError(`--namespace "${namespace}": ${faults.join(', ')}`);
};

/** `ofContext`: as of withKubeClient. Throws CommandError for one of the context that does not fit into a path. */
export const namespaceOf = (flag: string | undefined, ofContext: string): string => {
  if (flag !== undefined) return flag;
  const faults = nameIsPathSegment(ofContext, false);
  if (faults.length > 0)
    throw new CommandError(`KUBECONFIG: the namespace "${ofContext}" of the context: ${faults.join(', ')}`);
  return ofContext || 'default';
};

type TargetFlags = ConnectionFlags & {readonly namespace: string | undefined};

/** As withKubeClient, about one object. Throws CommandError for a resource that is not served too. */
export const withTarget = <T>(
  word: TargetWord,
  flags: TargetFlags,
  io: CliIo,
  work: (client: KubeClient, target: Target) => Promise<T>,
  headers?: Readonly<Record<string, string>>,
): Promise<T> =>
  withKubeClient(
    flags,
    io,
    async (client, ofContext) => work(client, await resolveTarget(client, word, flags, ofContext, io)),
    headers === undefined ? {} : {headers},
  );

/** Notes on stderr when the user may not use discovery. */
const resolveTarget = async (
  client: KubeClient,
  word: TargetWord,
  flags: TargetFlags,
  ofContext: string,
  {stderr}: Pick<CliIo, 'stderr'>,
): Promise<Target> => {
  const namespace = namespaceOf(flags.namespace, ofContext);
  const served = await servedKinds(client);
  const kind = findKind(served, word.resource);
  const {refused} = served;
  if (refused !== undefined && !isAnonymousRefusal(refused))
    stderr.write(
      `palisade: the server does not list its kinds (${refused.message}); using the kinds that palisade knows. To see all, bind the ClusterRole system:discovery to the user\n`,
    );
  const connection = connectionText(flags);
  return {kind, namespace: kind.namespaced ? namespace : '', name: word.name, served, connection, word: terminalWord};
};

export const readTarget = (client: KubeClient, {kind, namespace, name}: Target): Promise<KubeObject> =>
  foundIn(namespace, client.resource(kind).get(namespace, name));

/** A refusal that says where was looked, which the server's leaves out. */
export const foundIn = <T>(namespace: string, found: Promise<T>): Promise<T> =>
  found.catch((error: unknown) => {
    if (namespace === '' || !isNotFound(error)) throw error;
    throw new CommandError(`${error.message} in the namespace ${namespace}`, {cause: error});
  });

/** `endpoints/web`, `roles.rbac.authorization.k8s.io/reader`: as this command line takes it again. */
export const targetText = ({kind, name}: Pick<Target, 'kind' | 'name'>): string => `${resourceName(kind)}/${name}`;

/** Without the token, which is no text to show. */
const connectionText = ({server, ca, insecure}: ConnectionFlags): string =>
  [
    server === undefined ? '' : ` --server ${terminalWord(server)}`,
    ca === undefined ? '' : ` --ca ${terminalWord(ca)}`,
    insecure ? ' --insecure' : '',
  ].join('');
