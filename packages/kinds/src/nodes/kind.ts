// SPDX-License-Identifier: Apache-2.0
/** core/v1 Node. Ref: kubernetes v1.36 pkg/registry/core/node/strategy.go. */
import {ALL_VERBS, type KindDefinition, type Strategy} from '@palisade/apiserver';
import {kubeTypes, nameIsDnsSubdomain} from '@palisade/kube-wire';
import {plainTable} from '../rbac/table.ts';

const strategy: Strategy = {
  validateName: nameIsDnsSubdomain,
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: true,
  table: plainTable,
};

export const nodesKind: KindDefinition = {
  group: '',
  version: 'v1',
  kind: 'Node',
  listKind: 'NodeList',
  resource: 'nodes',
  singular: 'node',
  shortNames: ['no'],
  namespaced: false,
  verbs: ALL_VERBS,
  typeName: 'io.k8s.api.core.v1.Node',
  types: kubeTypes,
  registryPath: 'minions',
  internalName: 'core.Node',
  strategy,
};
