// SPDX-License-Identifier: Apache-2.0
/** RESOURCE/NAME of the command line → one object of a kind that the server serves. */
import type {KubeClient, KubeObject} from '@palisade/client';
import {nameIsPathSegment} from '@palisade/wire/kube';
import {type CliIo, UsageError} from '../cli/io.ts';
import {isAnonymousRefusal} from './credential.ts';
import {findKind, resourceName, type Served, type ServedKind, servedKinds} from './served-kinds.ts';

/** What the command line says; nobody was asked yet. */
export type TargetWord = {readonly resource: string; readonly name: string};
export type Target = {
  readonly kind: ServedKind;
  /** '' for kinds without one. */
  readonly namespace: string;
  readonly name: string;
  /** All that the server serves: who holds the target may be of any kind. */
  readonly served: Served;
};

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

/** As kubectl takes a namespace; '' is the default one. Throws UsageError for what does not fit into a path. */
export const checkedNamespace = (namespace: string): string => {
  const faults = nameIsPathSegment(namespace, false);
  if (faults.length === 0) return namespace === '' ? 'default' : namespace;
  throw new UsageError(`--namespace "${namespace}": ${faults.join(', ')}`);
};

/** Tells on stderr when discovery is forbidden to who signed in. Throws CommandError for a resource that is not served. */
export const resolveTarget = async (
  client: KubeClient,
  word: TargetWord,
  namespace: string,
  {stderr}: Pick<CliIo, 'stderr'>,
): Promise<Target> => {
  const served = await servedKinds(client);
  const kind = findKind(served, word.resource);
  const {refused} = served;
  if (refused !== undefined && !isAnonymousRefusal(refused))
    stderr.write(
      `palisade: the server does not say which kinds it has (${refused.message}): taken are those that palisade knows; to see all, bind the ClusterRole system:discovery to the user\n`,
    );
  return {kind, namespace: kind.namespaced ? namespace : '', name: word.name, served};
};

export const readTarget = (client: KubeClient, {kind, namespace, name}: Target): Promise<KubeObject> =>
  client.resource(kind).get(namespace, name);

/** `endpoints/web`, `roles.rbac.authorization.k8s.io/reader`: as this command line takes it again. */
export const targetText = ({kind, name}: Pick<Target, 'kind' | 'name'>): string => `${resourceName(kind)}/${name}`;

/** ` --namespace shop`; '' where there is none to name. */
export const namespaceFlag = (namespace: string): string => (namespace === '' ? '' : ` --namespace ${namespace}`);

/** An object that other objects live in. */
export const isNamespace = ({group, plural}: ServedKind): boolean => group === '' && plural === 'namespaces';
