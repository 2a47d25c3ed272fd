// SPDX-License-Identifier: Apache-2.0
/** platform.io/v1alpha1 EndpointGroup. */
import {ALL_VERBS, type KindDefinition, type KubeObject, type Strategy} from '@palisade/apiserver';
import {nameIsDnsSubdomain} from '@palisade/kube-wire';
import type {Prober} from '../checks/prober.ts';
import {keepPart} from '../keep-part.ts';
import {countSpecGeneration} from '../spec-generation.ts';
import type {LiveResults} from './live-results.ts';
import {ENDPOINT_GROUP, endpointGroupTypes, PLATFORM_GROUP, PLATFORM_VERSION} from './schema.ts';
import {endpointGroupTable} from './table.ts';
import type {EndpointGroup} from './types.ts';
import {groupWarnings, validateGroup} from './validate.ts';

const asGroup = (object: KubeObject): EndpointGroup => object as EndpointGroup;

/** Names are those that Endpoints may have. */
const strategyOf = (prober: Prober): Strategy => ({
  validateName: nameIsDnsSubdomain,
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: true,
  resetFields: [['status']],
  prepareForCreate: draft => {
    delete draft['status'];
    countSpecGeneration(draft, undefined);
  },
  prepareForUpdate: (draft, current) => {
    keepPart('status', draft, current);
    countSpecGeneration(draft, current);
  },
  validateCreate: draft => validateGroup(asGroup(draft)),
  validateUpdate: draft => validateGroup(asGroup(draft)),
  warningsOnCreate: draft => groupWarnings(asGroup(draft), prober),
  warningsOnUpdate: draft => groupWarnings(asGroup(draft), prober),
  table: endpointGroupTable,
});

/** `prober`: what it refuses is a warning. */
export const endpointGroupsKindOf = (live: LiveResults, prober: Prober): KindDefinition => ({
  group: PLATFORM_GROUP,
  version: PLATFORM_VERSION,
  kind: 'EndpointGroup',
  listKind: 'EndpointGroupList',
  resource: 'endpointgroups',
  singular: 'endpointgroup',
  shortNames: ['epg'],
  namespaced: true,
  verbs: ALL_VERBS,
  typeName: ENDPOINT_GROUP,
  types: endpointGroupTypes,
  registryPath: `${PLATFORM_GROUP}/endpointgroups`,
  internalName: 'platform.EndpointGroup',
  strategy: strategyOf(prober),
  subresources: [
    {
      name: 'status',
      verbs: ['get', 'patch', 'update'],
      resetFields: [['spec']],
      prepareForUpdate: (draft, current) => keepPart('spec', draft, current),
    },
  ],
  shown: object => live.shown(object),
});
