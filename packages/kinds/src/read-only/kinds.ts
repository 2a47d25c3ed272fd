// SPDX-License-Identifier: Apache-2.0
/**
 * Kinds that clients look for and that have no objects here: `kubectl get all` and Prometheus, which finds its targets by
 * endpoints, ask for pods, `kubectl describe namespace` for resource quotas and limit ranges, `kubectl create` of a review for
 * custom resource definitions. They can be got,
 * listed, watched and deleted, and are always empty, so that a deletion finds nothing. A create gets 405 from the
 * server, not a client-side error: their OpenAPI schemas name no fields for a client to check.
 */
import type {KindDefinition, TableConvertor} from '@palisade/apiserver';
import {kindStructs, kubeTypes, nameIsDnsSubdomain, type TypeTable} from '@palisade/kube-wire';
import {plainTable} from '../rbac/table.ts';
import {podTable, resourceQuotaTable} from './tables.ts';

const CORE = 'io.k8s.api.core.v1';

/** Where a kind belongs: its group, how the types of the group are named, and the name of the internal package. */
type Home = {readonly group: string; readonly types: string; readonly internal: string; readonly namespaced: boolean};

const CORE_HOME: Home = {group: '', types: CORE, internal: 'core', namespaced: true};
const EXTENSIONS_HOME: Home = {
  group: 'apiextensions.k8s.io',
  types: 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1',
  internal: 'apiextensions',
  namespaced: false,
};

const structsOf = (kind: string, {group, types}: Home): TypeTable =>
  kindStructs({
    group,
    version: 'v1',
    kind,
    typeName: `${types}.${kind}`,
    doc: `${kind} objects are not stored by this server; the list is always empty, for clients that expect it.`,
    fields: [],
    open: true,
  });

type More = {
  readonly home?: Home;
  /** Names for several kinds at once. */
  readonly categories?: readonly string[];
  /** Fields that selectors may ask for, besides name and namespace. */
  readonly fields?: readonly string[];
  readonly table: TableConvertor;
};

const readOnlyKind = (
  kind: string,
  resource: string,
  shortNames: readonly string[],
  {home = CORE_HOME, categories, fields, table}: More,
): KindDefinition => ({
  group: home.group,
  version: 'v1',
  kind,
  listKind: `${kind}List`,
  resource,
  singular: kind.toLowerCase(),
  shortNames,
  categories,
  namespaced: home.namespaced,
  verbs: ['delete', 'get', 'list', 'watch'],
  whyNotAllowed: `this server does not store ${resource}: the list is always empty, for clients that expect it (see docs/reference/kinds.md)`,
  typeName: `${home.types}.${kind}`,
  types: {...kubeTypes, ...structsOf(kind, home)},
  registryPath: home.group === '' ? resource : `${home.group}/${resource}`,
  internalName: `${home.internal}.${kind}`,
  strategy: {
    validateName: nameIsDnsSubdomain,
    allowCreateOnUpdate: false,
    allowUnconditionalUpdate: true,
    ...(fields && {selectableFields: Object.fromEntries(fields.map(field => [field, () => '']))}),
    table,
  },
});

/** Ref: kubernetes v1.36 pkg/apis/core/v1/conversion.go addConversionFuncs; `host` is the old name of `nodeName`. */
const POD_FIELDS: readonly string[] = [
  ...['nodeName', 'host', 'restartPolicy', 'schedulerName', 'serviceAccountName', 'hostNetwork'].map(
    of => `spec.${of}`,
  ),
  ...['phase', 'podIP', 'podIPs', 'nominatedNodeName'].map(of => `status.${of}`),
];

export const readOnlyKinds: readonly KindDefinition[] = [
  readOnlyKind('LimitRange', 'limitranges', ['limits'], {table: plainTable}),
  readOnlyKind('Pod', 'pods', ['po'], {categories: ['all'], fields: POD_FIELDS, table: podTable}),
  readOnlyKind('ResourceQuota', 'resourcequotas', ['quota'], {table: resourceQuotaTable}),
  readOnlyKind('CustomResourceDefinition', 'customresourcedefinitions', ['crd', 'crds'], {
    home: EXTENSIONS_HOME,
    categories: ['api-extensions'],
    table: plainTable,
  }),
];
