// SPDX-License-Identifier: Apache-2.0
/**
 * Discovery documents, from the kinds that are served: the plain ones (APIVersions, APIGroupList, APIGroup,
 * APIResourceList) and the aggregated one. Groups in the order of the kinds, resources by name.
 * Ref: kubernetes v1.36 apiserver pkg/endpoints/discovery, staging/src/k8s.io/api/apidiscovery/v2.
 */
import {
  groupVersionText,
  type ServedKind,
  type ServedQuestion,
  type ServedSubresource,
} from '../openapi/served-kind.ts';
import type {Json, JsonObject} from '../schema.ts';

/** `/api`. `serverAddress` is where the client reached us, `host:port`. */
export function apiVersions(kinds: readonly ServedKind[], serverAddress: string): JsonObject {
  return {
    kind: 'APIVersions',
    versions: [...new Set(kinds.filter(k => k.group === '').map(k => k.version))],
    serverAddressByClientCIDRs: [{clientCIDR: '0.0.0.0/0', serverAddress}],
  };
}

/** `/apis`. */
export function apiGroupList(kinds: readonly ServedKind[]): JsonObject {
  return {kind: 'APIGroupList', apiVersion: 'v1', groups: groupsOf(kinds).map(group => groupBody(kinds, group))};
}

/** `/apis/GROUP`; `undefined` for a group that is not served. */
export function apiGroup(kinds: readonly ServedKind[], group: string): JsonObject | undefined {
  if (!groupsOf(kinds).includes(group)) return undefined;
  return {kind: 'APIGroup', apiVersion: 'v1', ...groupBody(kinds, group)};
}

/** Named groups in the order of the kinds. */
const groupsOf = (kinds: readonly ServedKind[]): string[] =>
  [...new Set(kinds.map(k => k.group))].filter(group => group !== '');

function groupBody(kinds: readonly ServedKind[], group: string): JsonObject {
  const versions = versionsOf(kinds, group).map(version => ({groupVersion: `${group}/${version}`, version}));
  return {name: group, versions, preferredVersion: versions[0] ?? {groupVersion: '', version: ''}};
}

const versionsOf = (kinds: readonly ServedKind[], group: string): string[] => [
  ...new Set(kinds.filter(k => k.group === group).map(k => k.version)),
];

/** `/api/v1`, `/apis/GROUP/VERSION`; `undefined` for what is not served. `hash` digests a storage key (base64 of 8 bytes). */
export function apiResourceList(
  kinds: readonly ServedKind[],
  of: {readonly group: string; readonly version: string},
  hash: (groupVersionKind: string) => string,
): JsonObject | undefined {
  const served = kindsOf(kinds, of);
  if (served.length === 0) return undefined;
  const resources = served.flatMap(kind => [
    resourceBody(kind, hash),
    ...subresourcesOf(kind).map(sub => subresourceBody(kind, sub)),
  ]);
  return {
    kind: 'APIResourceList',
    ...(of.group !== '' && {apiVersion: 'v1'}),
    groupVersion: groupVersionText(of),
    resources,
  };
}

const kindsOf = (kinds: readonly ServedKind[], of: {readonly group: string; readonly version: string}): ServedKind[] =>
  kinds
    .filter(k => k.group === of.group && k.version === of.version)
    .sort((a, b) => (a.resource < b.resource ? -1 : 1));

type Below = ServedSubresource & {readonly asks?: ServedQuestion['kind']};

const subresourcesOf = ({subresources = [], questions = []}: ServedKind): Below[] =>
  [...subresources, ...questions.map(({name, kind}): Below => ({name, verbs: ['create'], asks: kind}))].sort((a, b) =>
    a.name < b.name ? -1 : 1,
  );

function resourceBody(kind: ServedKind, hash: (groupVersionKind: string) => string): JsonObject {
  const stored = kind.verbs.includes('get') || kind.verbs.includes('list');
  const storage = kind.storedAs?.kind ?? kind;
  return {
    name: kind.resource,
    singularName: kind.singular,
    namespaced: kind.namespaced,
    kind: kind.kind,
    verbs: [...kind.verbs].sort(),
    ...(kind.shortNames && kind.shortNames.length > 0 && {shortNames: kind.shortNames}),
    ...(kind.categories && kind.categories.length > 0 && {categories: kind.categories}),
    ...(stored && {storageVersionHash: hash(`${storage.group}/${storage.version}/${storage.kind}`)}),
  };
}

function subresourceBody(kind: ServedKind, {name, verbs, asks}: Below): JsonObject {
  return {
    name: `${kind.resource}/${name}`,
    singularName: '',
    namespaced: kind.namespaced,
    ...(asks && {group: asks.group, version: asks.version}),
    kind: (asks ?? kind).kind,
    verbs: [...verbs].sort(),
  };
}

/** `/api` or `/apis` as one document (apidiscovery.k8s.io/v2). Kinds of the core group belong to the first one only. */
export function aggregatedDiscovery(kinds: readonly ServedKind[], root: 'api' | 'apis'): JsonObject {
  const groups = root === 'api' ? [''] : groupsOf(kinds);
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: 'apidiscovery.k8s.io/v2',
    metadata: {},
    items: groups.map(group => ({
      metadata: group === '' ? {} : {name: group},
      versions: versionsOf(kinds, group).map(version => ({
        version,
        resources: kindsOf(kinds, {group, version}).map(discoveredResource),
        freshness: 'Current',
      })),
    })),
  };
}

/** Upstream leaves group and version of the kind empty when they are those of the document. */
function discoveredResource(kind: ServedKind): Json {
  const responseKind = {group: '', version: '', kind: kind.kind};
  const below = subresourcesOf(kind);
  return {
    resource: kind.resource,
    responseKind,
    scope: kind.namespaced ? 'Namespaced' : 'Cluster',
    singularResource: kind.singular,
    verbs: [...kind.verbs].sort(),
    ...(kind.shortNames && kind.shortNames.length > 0 && {shortNames: kind.shortNames}),
    ...(kind.categories && kind.categories.length > 0 && {categories: kind.categories}),
    ...(below.length > 0 && {
      subresources: below.map(({name, verbs, asks}) => ({
        subresource: name,
        responseKind: asks === undefined ? responseKind : {group: asks.group, version: asks.version, kind: asks.kind},
        verbs: [...verbs].sort(),
      })),
    }),
  };
}
