// SPDX-License-Identifier: Apache-2.0
/** coordination.k8s.io/v1 Lease. Ref: kubernetes v1.36 pkg/registry/coordination/lease/strategy.go. */
import {ALL_VERBS, type KindDefinition, type Strategy} from '@palisade/apiserver';
import {kubeTypes, nameIsDnsSubdomain} from '@palisade/kube-wire';
import {plainTable} from '../rbac/table.ts';

const strategy: Strategy = {
  validateName: nameIsDnsSubdomain,
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: true,
  table: plainTable,
};

export const leasesKind: KindDefinition = {
  group: 'coordination.k8s.io',
  version: 'v1',
  kind: 'Lease',
  listKind: 'LeaseList',
  resource: 'leases',
  singular: 'lease',
  namespaced: true,
  verbs: ALL_VERBS,
  typeName: 'io.k8s.api.coordination.v1.Lease',
  types: kubeTypes,
  registryPath: 'leases',
  internalName: 'coordination.Lease',
  strategy,
};
