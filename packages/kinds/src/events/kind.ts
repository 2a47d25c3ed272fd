// SPDX-License-Identifier: Apache-2.0
/** core/v1 Event. Ref: kubernetes v1.36 pkg/registry/core/event/strategy.go. */
import {ALL_VERBS, type KindDefinition, type Strategy} from '@palisade/apiserver';
import {kubeTypes, nameIsDnsSubdomain} from '@palisade/kube-wire';
import {eventTable} from './table.ts';

const strategy: Strategy = {
  validateName: nameIsDnsSubdomain,
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: true,
  table: eventTable,
};

export const eventsKind: KindDefinition = {
  group: '',
  version: 'v1',
  kind: 'Event',
  listKind: 'EventList',
  resource: 'events',
  singular: 'event',
  shortNames: ['ev'],
  namespaced: true,
  verbs: ALL_VERBS,
  typeName: 'io.k8s.api.core.v1.Event',
  types: kubeTypes,
  registryPath: 'events',
  internalName: 'core.Event',
  strategy,
};
