// SPDX-License-Identifier: Apache-2.0
/**
 * Kinds that clients look for and that have no objects here: `kubectl cluster-info` asks for services, `kubectl describe
 * namespace` for resource quotas and limit ranges. They can be got, listed and watched, and are always empty; whoever tries to
 * create one is told that the method is not allowed.
 */
import {type KindDefinition, tableAge, tableNameColumns} from '@palisade/apiserver';
import {type Field, kubeTypes, nameIsDnsSubdomain, type StructType} from '@palisade/wire/kube';

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';
const CORE = 'io.k8s.api.core.v1';

const typeMeta: readonly Field[] = kubeTypes[`${CORE}.Endpoints`]?.fields.filter(({proto}) => proto === 0) ?? [];
const metaField = (struct: 'ObjectMeta' | 'ListMeta'): Field => ({
  name: 'metadata',
  proto: 1,
  type: {type: 'ref', ref: `${META}.${struct}`},
  keepEmpty: true,
  go: `v1.${struct}`,
  doc: "Standard object's metadata.",
});

const structsOf = (kind: string): Record<string, StructType> => {
  const typeName = `${CORE}.${kind}`;
  const gvk = (name: string): NonNullable<StructType['gvk']> => [{group: '', version: 'v1', kind: name}];
  const items: Field = {
    name: 'items',
    proto: 2,
    type: {type: 'list', item: {type: 'ref', ref: typeName}, listType: 'atomic'},
    required: true,
    keepEmpty: true,
    go: `[]v1.${kind}`,
    doc: 'Always empty.',
  };
  return {
    [typeName]: {
      name: typeName,
      doc: `${kind} objects are not stored by this server; the resource is listed for clients that ask for it.`,
      fields: [...typeMeta, metaField('ObjectMeta')],
      gvk: gvk(kind),
    },
    [`${typeName}List`]: {
      name: `${typeName}List`,
      doc: `${kind}List is an empty list.`,
      fields: [...typeMeta, metaField('ListMeta'), items],
      gvk: gvk(`${kind}List`),
    },
  };
};

const readOnlyKind = (kind: string, resource: string, shortNames: readonly string[]): KindDefinition => ({
  group: '',
  version: 'v1',
  kind,
  listKind: `${kind}List`,
  resource,
  singular: kind.toLowerCase(),
  shortNames,
  namespaced: true,
  verbs: ['get', 'list', 'watch'],
  typeName: `${CORE}.${kind}`,
  types: {...kubeTypes, ...structsOf(kind)},
  registryPath: resource,
  internalName: `core.${kind}`,
  strategy: {
    validateName: nameIsDnsSubdomain,
    allowCreateOnUpdate: false,
    allowUnconditionalUpdate: true,
    table: {
      columns: tableNameColumns([]),
      cells: (object, nowMs) => [object.metadata.name ?? '', tableAge(object, nowMs)],
    },
  },
});

export const readOnlyKinds: readonly KindDefinition[] = [
  readOnlyKind('LimitRange', 'limitranges', ['limits']),
  readOnlyKind('ResourceQuota', 'resourcequotas', ['quota']),
  readOnlyKind('Service', 'services', ['svc']),
];
