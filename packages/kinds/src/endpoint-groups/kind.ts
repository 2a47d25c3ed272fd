// SPDX-License-Identifier: Apache-2.0
/** platform.io/v1alpha1 EndpointGroup. */
import {
  ALL_VERBS,
  type KindDefinition,
  type KubeObject,
  type Strategy,
  tableAge,
  tableNameColumns,
} from '@palisade/apiserver';
import {nameIsDnsSubdomain} from '@palisade/kube-wire';
import {keepPart} from '../keep-part.ts';
import {ENDPOINT_GROUP, endpointGroupTypes, PLATFORM_GROUP, PLATFORM_VERSION} from './schema.ts';
import type {EndpointGroup} from './types.ts';

const strategy: Strategy = {
  validateName: nameIsDnsSubdomain,
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: true,
  resetFields: [['status']],
  prepareForCreate: draft => {
    delete draft['status'];
  },
  prepareForUpdate: (draft, current) => keepPart('status', draft, current),
  table: {
    columns: tableNameColumns([
      {name: 'Ready', type: 'string', format: '', description: 'Members that are ready, of all.', priority: 0},
    ]),
    cells: (object: KubeObject, nowMs) => {
      const {ready = 0, total = 0} = (object as EndpointGroup).status ?? {};
      return [object.metadata.name ?? '', `${ready}/${total}`, tableAge(object, nowMs)];
    },
  },
};

export const endpointGroupsKind: KindDefinition = {
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
  strategy,
  subresources: [
    {
      name: 'status',
      verbs: ['get', 'patch', 'update'],
      resetFields: [['spec']],
      prepareForUpdate: (draft, current) => keepPart('spec', draft, current),
    },
  ],
};
