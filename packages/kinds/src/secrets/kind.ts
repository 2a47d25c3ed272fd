// SPDX-License-Identifier: Apache-2.0
/** core/v1 Secret. Ref: kubernetes v1.36 pkg/registry/core/secret/strategy.go. */
import {ALL_VERBS, type KindDefinition, type Strategy} from '@palisade/apiserver';
import {kubeTypes, nameIsDnsSubdomain} from '@palisade/kube-wire';
import {plainTable} from '../rbac/table.ts';

const strategy: Strategy = {
  validateName: nameIsDnsSubdomain,
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: true,
  table: plainTable,
};

export const secretsKind: KindDefinition = {
  group: '',
  version: 'v1',
  kind: 'Secret',
  listKind: 'SecretList',
  resource: 'secrets',
  singular: 'secret',
  namespaced: true,
  verbs: ALL_VERBS,
  typeName: 'io.k8s.api.core.v1.Secret',
  types: kubeTypes,
  registryPath: 'secrets',
  internalName: 'core.Secret',
  strategy,
};
