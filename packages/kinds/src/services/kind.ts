// SPDX-License-Identifier: Apache-2.0
/** core/v1 Service. Ref: kubernetes v1.36 pkg/registry/core/service/strategy.go, pkg/registry/core/service/storage/storage.go. */
import {ALL_VERBS, type KindDefinition, type Strategy, type Subresource} from '@palisade/apiserver';
import {kubeTypes, nameIsDnsLabel} from '@palisade/kube-wire';
import type {KindSettings} from '../settings.ts';
import {serviceReservations} from './allocation/reservations.ts';
import {setServiceDefaults} from './defaults.ts';
import {dropTypeDependentFields} from './drop-fields.ts';
import {shownService} from './shown.ts';
import {serviceTable} from './table.ts';
import {asService} from './types.ts';
import {validateLoadBalancerStatus} from './validation/load-balancer.ts';
import {validateService, validateServiceUpdate} from './validation/service.ts';
import {serviceStatusWarnings, serviceWarnings} from './warnings.ts';

const ENDPOINTS = [{group: '', resource: 'endpoints'}];

const strategyOf = (settings: KindSettings): Strategy => ({
  validateName: nameIsDnsLabel,
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: true,
  resetFields: [['status']],
  reservations: random => serviceReservations(settings, random),
  prepareForCreate: draft => {
    asService(draft).status = {loadBalancer: {}};
  },
  prepareForUpdate: (draft, current) => {
    const [next, before] = [asService(draft), asService(current)];
    next.status = before.status;
    dropTypeDependentFields(next, before);
  },
  validateCreate: draft => validateService(asService(draft), undefined),
  validateUpdate: (draft, current) => validateServiceUpdate(asService(draft), asService(current)),
  warningsOnCreate: draft => serviceWarnings(asService(draft)),
  warningsOnUpdate: draft => serviceWarnings(asService(draft)),
  deletion: {
    hasGracePeriod: true,
    inPhases: false,
    answersDeleted: true,
    readyToRemove: () => true,
    takesAlong: ({deleteEndpointsWithService}) => (deleteEndpointsWithService ? ENDPOINTS : []),
  },
  selectableFields: {
    'spec.clusterIP': object => asService(object).spec.clusterIP ?? '',
    'spec.type': object => asService(object).spec.type ?? '',
  },
  table: serviceTable,
});

const status: Subresource = {
  name: 'status',
  verbs: ['get', 'patch', 'update'],
  allowCreateOnUpdate: true, // upstream's status strategy has it from the one of the whole object; no addresses are taken then
  resetFields: [['spec']],
  prepareForUpdate: (draft, current) => {
    asService(draft).spec = asService(current).spec;
  },
  validateUpdate: (draft, current) => validateLoadBalancerStatus(asService(draft), asService(current)),
  warningsOnUpdate: draft => serviceStatusWarnings(asService(draft)),
};

export const servicesKindOf = (settings: KindSettings): KindDefinition => ({
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
  publishesDeleted: true,
  types: kubeTypes,
  registryPath: 'services/specs',
  internalName: 'core.Service',
  strategy: strategyOf(settings),
  subresources: [status],
  applyDefaults: setServiceDefaults,
  shown: shownService,
});
