// SPDX-License-Identifier: Apache-2.0
/** core/v1 ConfigMap. Ref: kubernetes v1.36 pkg/registry/core/configmap/strategy.go. */
import {
  ALL_VERBS,
  type KindDefinition,
  type KubeObject,
  type Strategy,
  tableAge,
  tableNameColumns,
} from '@palisade/apiserver';
import {kubeTypes, nameIsDnsSubdomain} from '@palisade/kube-wire';
import {docColumn} from '../doc-column.ts';
import {markSentEmpty, withoutNulls} from '../immutable-data.ts';
import type {ConfigMap} from './types.ts';
import {validateConfigMap, validateConfigMapChange} from './validate.ts';

const TYPE = 'io.k8s.api.core.v1.ConfigMap';
const asConfigMap = (object: KubeObject): ConfigMap => object as ConfigMap;

const keysOf = (map: object | undefined): number => Object.keys(map ?? {}).length;

const strategy: Strategy = {
  validateName: nameIsDnsSubdomain,
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: true,
  revalidation: 'changes-first',
  validateCreate: draft => validateConfigMap(asConfigMap(draft)),
  validateUpdate: draft => validateConfigMap(asConfigMap(draft)),
  validateChange: (draft, current) => validateConfigMapChange(asConfigMap(draft), asConfigMap(current)),
  canonicalize: draft => {
    const {binaryData} = asConfigMap(draft);
    if (binaryData !== undefined) asConfigMap(draft).binaryData = withoutNulls(binaryData);
  },
  table: {
    columns: tableNameColumns([docColumn('Data', TYPE, 'data')]),
    cells: (object, nowMs) => {
      const {metadata, data, binaryData} = asConfigMap(object);
      return [metadata.name ?? '', keysOf(data) + keysOf(binaryData), tableAge(object, nowMs)];
    },
  },
};

export const configMapsKind: KindDefinition = {
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  listKind: 'ConfigMapList',
  resource: 'configmaps',
  singular: 'configmap',
  shortNames: ['cm'],
  namespaced: true,
  verbs: ALL_VERBS,
  typeName: TYPE,
  types: kubeTypes,
  registryPath: 'configmaps',
  internalName: 'core.ConfigMap',
  strategy,
  applyDefaults: object => markSentEmpty(object, ['binaryData']),
};
