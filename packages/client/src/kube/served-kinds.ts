// SPDX-License-Identifier: Apache-2.0
/**
 * The kinds that a Kubernetes API server serves, by its discovery documents.
 * Ref: kubernetes discovery of meta/v1 (APIVersions, APIGroupList, APIResourceList).
 */
import {apiVersionOf, groupPath, type KubeClient, type ResourceType} from './kube-client.ts';
import {isKubeError} from './kube-error.ts';

export type ServedKind = ResourceType & {
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly verbs: readonly string[];
};
export type Served = {
  /** In the order of discovery, the core group first; no subresources. */
  readonly kinds: readonly ServedKind[];
  /** What else there may be: a `group/version` whose document could not be read, and why. */
  readonly unread: readonly {readonly what: string; readonly why: string}[];
  /** Why `kinds` are those that the caller knows: the lists of groups may not be read. */
  readonly refused?: Error;
};

type ApiResource = {
  readonly name: string;
  readonly singularName?: string;
  readonly namespaced: boolean;
  readonly kind: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
};
type GroupVersion = {readonly group: string; readonly version: string};

/** `endpoints`, `roles.rbac.authorization.k8s.io`: names one kind among all. */
export const resourceName = ({plural, group}: Pick<ResourceType, 'plural' | 'group'>): string =>
  group === '' ? plural : `${plural}.${group}`;

const groupVersions = async (client: KubeClient): Promise<GroupVersion[]> => {
  const [core, groups] = (await Promise.all([client.getJson('/api'), client.getJson('/apis')])) as [
    {versions?: string[]},
    {groups?: {name: string; preferredVersion: {version: string}}[]},
  ];
  return [
    ...(core.versions ?? []).map(version => ({group: '', version})),
    ...(groups.groups ?? []).map(({name, preferredVersion}) => ({group: name, version: preferredVersion.version})),
  ];
};

const kindsOf = async (client: KubeClient, at: GroupVersion): Promise<ServedKind[]> => {
  const {resources = []} = (await client.getJson(groupPath(at))) as {resources?: ApiResource[]};
  return resources
    .filter(({name}) => !name.includes('/'))
    .map(({name, kind, namespaced, verbs, singularName = '', shortNames = []}) => ({
      ...at,
      plural: name,
      kind,
      namespaced,
      verbs,
      shortNames,
      singular: singularName === '' ? kind.toLowerCase() : singularName,
    }));
};

/**
 * Each group in its preferred version; `known` where discovery is forbidden (which the binding `system:discovery` allows to everybody who
 * signed in). Throws KubeError, TransportError.
 */
export const readServedKinds = async (
  client: KubeClient,
  known: () => Promise<readonly ServedKind[]> = async () => [],
): Promise<Served> => {
  let versions: readonly GroupVersion[];
  try {
    versions = await groupVersions(client);
  } catch (error) {
    if (!isForbidden(error)) throw error;
    return {kinds: await known(), unread: [{what: 'other kinds', why: error.message}], refused: error};
  }
  const unread: {what: string; why: string}[] = [];
  const found = await Promise.all(
    versions.map(at =>
      kindsOf(client, at).catch((error: unknown) => {
        if (!isKubeError(error)) throw error;
        unread.push({what: apiVersionOf(at), why: error.message});
        return [];
      }),
    ),
  );
  return {kinds: found.flat(), unread};
};

const isForbidden = (error: unknown): error is Error => isKubeError(error) && error.status.code === 403;

/** As a reference to an owner names a kind: also in lower case, as upstream's RESTMapper takes it. Ref: requirements E-197. */
export const isKindOfReference = ({kind}: ServedKind, reference: {readonly kind: string}): boolean =>
  reference.kind === kind || reference.kind === kind.toLowerCase();

/** An object that other objects live in. */
export const isNamespace = ({group, plural}: ServedKind): boolean => group === '' && plural === 'namespaces';
