// SPDX-License-Identifier: Apache-2.0
/**
 * Event of core/v1 and of events.k8s.io/v1: one store, two forms. An object made through one is the same object in the other.
 * Ref: kubernetes v1.36 pkg/registry/core/event/strategy.go, pkg/registry/events/rest.
 */
import {ALL_VERBS, type KindDefinition, type KubeObject, type Strategy} from '@palisade/apiserver';
import {kubeTypes, nameIsDnsSubdomain} from '@palisade/kube-wire';
import {fromCoreEvent, toCoreEvent} from './conversion.ts';
import {CORE_FIELDS, EVENTS_FIELDS} from './fields.ts';
import {coreEventTable, eventsEventTable} from './table.ts';
import type {CoreEvent} from './types.ts';
import {validateNewRules, validateNewUpdate, validateOldRules} from './validate.ts';

const asEvent = (object: KubeObject): CoreEvent => object as CoreEvent;

const COMMON = {
  validateName: nameIsDnsSubdomain,
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: true,
  checksMetadata: true,
  ignoresOwners: true,
} as const;

/** The old rules say nothing of metadata. */
const coreStrategy: Strategy = {
  ...COMMON,
  validateCreate: draft => validateOldRules(asEvent(draft), 'reportingComponent'),
  validateUpdate: draft => validateOldRules(asEvent(draft), 'reportingComponent'),
  selectableFields: CORE_FIELDS,
  table: coreEventTable,
};

const eventsStrategy: Strategy = {
  ...COMMON,
  validateCreate: draft => validateNewRules(asEvent(draft), eventsKind),
  validateUpdate: (draft, current) => validateNewUpdate(asEvent(draft), asEvent(current), eventsKind),
  selectableFields: EVENTS_FIELDS,
  table: eventsEventTable,
};

const NAMES = {
  version: 'v1',
  kind: 'Event',
  listKind: 'EventList',
  resource: 'events',
  singular: 'event',
  shortNames: ['ev'],
  namespaced: true,
  verbs: ALL_VERBS,
  types: kubeTypes,
  registryPath: 'events',
  internalName: 'core.Event',
  uncached: true,
} as const;

export const eventsKind: KindDefinition = {
  ...NAMES,
  group: '',
  typeName: 'io.k8s.api.core.v1.Event',
  strategy: coreStrategy,
};

export const eventsGroupKind: KindDefinition = {
  ...NAMES,
  group: 'events.k8s.io',
  typeName: 'io.k8s.api.events.v1.Event',
  strategy: eventsStrategy,
  storedAs: {kind: eventsKind, toStored: toCoreEvent, fromStored: fromCoreEvent},
};
