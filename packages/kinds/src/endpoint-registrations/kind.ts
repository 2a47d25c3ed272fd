// SPDX-License-Identifier: Apache-2.0
/** platform.io/v1alpha1 EndpointRegistration. */
import {
  ALL_VERBS,
  type KindDefinition,
  type KubeObject,
  type Strategy,
  tableAge,
  tableNameColumns,
} from '@palisade/apiserver';
import {nameIsDnsSubdomain} from '@palisade/kube-wire';
import {PLATFORM_GROUP, PLATFORM_VERSION} from '../endpoint-groups/schema.ts';
import {keepPart} from '../keep-part.ts';
import {ENDPOINT_REGISTRATION, endpointRegistrationTypes} from './schema.ts';
import type {EndpointRegistration} from './types.ts';

const column = (name: string, description: string) => ({name, type: 'string', format: '', description, priority: 0});

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
      column('Group', 'Group that it is for.'),
      column('Addresses', 'IP addresses of the machine.'),
      column('State', 'Live or Expired.'),
    ]),
    cells: (object: KubeObject, nowMs) => {
      const {spec = {}, status = {}} = object as EndpointRegistration;
      const addresses = (spec.addresses ?? []).join(',');
      return [object.metadata.name ?? '', spec.group ?? '', addresses, status.state ?? 'Live', tableAge(object, nowMs)];
    },
  },
};

export const endpointRegistrationsKind: KindDefinition = {
  group: PLATFORM_GROUP,
  version: PLATFORM_VERSION,
  kind: 'EndpointRegistration',
  listKind: 'EndpointRegistrationList',
  resource: 'endpointregistrations',
  singular: 'endpointregistration',
  shortNames: ['epr'],
  namespaced: true,
  verbs: ALL_VERBS,
  typeName: ENDPOINT_REGISTRATION,
  types: endpointRegistrationTypes,
  registryPath: `${PLATFORM_GROUP}/endpointregistrations`,
  internalName: 'platform.EndpointRegistration',
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
