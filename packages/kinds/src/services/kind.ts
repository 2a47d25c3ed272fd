// SPDX-License-Identifier: Apache-2.0
/** core/v1 Service. Ref: kubernetes v1.36 pkg/registry/core/service/strategy.go. */
import {ALL_VERBS, type KindDefinition, type Strategy} from '@palisade/apiserver';
import {kubeTypes, nameIsDnsSubdomain} from '@palisade/kube-wire';
import {serviceTable} from './table.ts';

const strategy: Strategy = {
  validateName: nameIsDnsSubdomain,
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: true,
  table: serviceTable,
};

export const servicesKind: KindDefinition = {
  group: '',
  version: 'v1',
  kind: 'Service',
  listKind: 'ServiceList',
  resource: 'services',
  singular: 'service',
  shortNames: ['svc'],
  categories: ['all'],
  namespaced: true,
  verbs: ALL_VERBS,
  typeName: 'io.k8s.api.core.v1.Service',
  types: kubeTypes,
  registryPath: 'services/specs',
  internalName: 'core.Service',
  strategy,
};
