// SPDX-License-Identifier: Apache-2.0
/**
 * The kinds that a Kubernetes API server serves, by its discovery documents, and the one that a word of the command line means.
 * Ref: kubernetes discovery of meta/v1 (APIVersions, APIGroupList, APIResourceList); names as kubectl takes them.
 */
import {apiVersionOf, groupPath, isKubeError, type KubeClient, type ResourceType} from '@palisade/client';
import {nearest} from '@palisade/engine/nearest';
import {CommandError} from '../command-line/io.ts';
import {isAnonymousRefusal} from './credential.ts';

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
  /** Why `kinds` are those that palisade knows: the lists of groups may not be read. */
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

/** The kinds of a server such as `palisade serve`. */
const knownKinds = async (): Promise<ServedKind[]> => {
  const {kubeModule} = await import('@palisade/kinds');
  return kubeModule.kinds.map(({resource, shortNames = [], ...kind}) => ({...kind, plural: resource, shortNames}));
};

/**
 * Each group in its preferred version; the kinds that palisade knows where discovery is forbidden (which the binding
 * `system:discovery` allows to everybody who signed in). Throws KubeError, TransportError.
 */
export const servedKinds = async (client: KubeClient): Promise<Served> => {
  let versions: readonly GroupVersion[];
  try {
    versions = await groupVersions(client);
  } catch (error) {
    if (!isForbidden(error)) throw error;
    return {kinds: await knownKinds(), unread: [{what: 'other kinds', why: error.message}], refused: error};
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

const namesOf = ({plural, singular, shortNames, kind}: ServedKind): string[] => [
  plural,
  singular,
  kind.toLowerCase(),
  ...shortNames,
];

/** What to write for an object of the kind that a word alone names; undefined if it names none of those that palisade knows. */
export const targetHint = async (word: string): Promise<string | undefined> => {
  const kind = (await knownKinds()).find(each => namesOf(each).includes(word.toLowerCase()));
  if (kind === undefined) return undefined;
  return `for one of the ${kind.plural} write ${kind.plural}/NAME; kubectl get ${kind.plural} lists them`;
};

/**
 * Plural, singular, short name or kind, alone or with `.GROUP` or `.VERSION.GROUP`. Throws CommandError that names what there is,
 * and to who did not sign in the refusal.
 */
export const findKind = ({kinds, unread, refused}: Served, word: string): ServedKind => {
  const [name = '', ...rest] = word.toLowerCase().split('.');
  const suffix = rest.join('.');
  const fits = (kind: ServedKind): boolean =>
    namesOf(kind).includes(name) && ['', kind.group, `${kind.version}.${kind.group}`].includes(suffix);
  const found = kinds.find(fits);
  if (found !== undefined) return found;
  if (isAnonymousRefusal(refused)) throw refused;
  const stored = kinds.filter(kind => kind.verbs.includes('get'));
  const near = nearest(
    name,
    stored.flatMap(({plural, singular}) => [plural, singular]),
  );
  throw new CommandError(
    [
      `unknown resource "${word}"${near === undefined ? '' : ` (did you mean "${near}"?)`}: ${refused === undefined ? 'this server has' : 'palisade knows'} ${stored.map(resourceName).join(', ')}`,
      ...unread.map(({what, why}) => `the kinds of ${what} are unknown: ${why}`),
    ].join('\n'),
  );
};
