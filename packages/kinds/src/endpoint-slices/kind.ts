// SPDX-License-Identifier: Apache-2.0
/** discovery.k8s.io/v1 EndpointSlice. Ref: kubernetes v1.36 pkg/registry/discovery/endpointslice/strategy.go. */
import {ALL_VERBS, type KindDefinition, type Strategy} from '@palisade/apiserver';
import {kubeTypes, nameIsDnsSubdomain} from '@palisade/kube-wire';
import {plainTable} from '../rbac/table.ts';

const strategy: Strategy = {
  validateName: nameIsDnsSubdomain,
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: true,
  table: plainTable,
};

export const endpointSlicesKind: KindDefinition = {
  group: 'discovery.k8s.io',
  version: 'v1',
  kind: 'EndpointSlice',
  listKind: 'EndpointSliceList',
  resource: 'endpointslices',
  singular: 'endpointslice',
  namespaced: true,
  verbs: ALL_VERBS,
  typeName: 'io.k8s.api.discovery.v1.EndpointSlice',
  types: kubeTypes,
  registryPath: 'endpointslices',
  internalName: 'discovery.EndpointSlice',
  strategy,
};
