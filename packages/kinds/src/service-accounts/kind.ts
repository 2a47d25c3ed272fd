// SPDX-License-Identifier: Apache-2.0
/** core/v1 ServiceAccount. Ref: kubernetes v1.36 pkg/registry/core/serviceaccount/strategy.go. */
import {ALL_VERBS, type KindDefinition, type Strategy} from '@palisade/apiserver';
import {kubeTypes, nameIsDnsSubdomain} from '@palisade/kube-wire';
import {plainTable} from '../rbac/table.ts';

const strategy: Strategy = {
  validateName: nameIsDnsSubdomain,
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: true,
  table: plainTable,
};

export const serviceAccountsKind: KindDefinition = {
  group: '',
  version: 'v1',
  kind: 'ServiceAccount',
  listKind: 'ServiceAccountList',
  resource: 'serviceaccounts',
  singular: 'serviceaccount',
  shortNames: ['sa'],
  namespaced: true,
  verbs: ALL_VERBS,
  typeName: 'io.k8s.api.core.v1.ServiceAccount',
  publishesDeleted: true,
  types: kubeTypes,
  registryPath: 'serviceaccounts',
  internalName: 'core.ServiceAccount',
  strategy,
};
