// SPDX-License-Identifier: Apache-2.0
/** platform.io/v1alpha1 EndpointRegistration. */
import {ALL_VERBS, type KindDefinition, type KubeObject, type Strategy} from '@palisade/apiserver';
import {nameIsDnsSubdomain} from '@palisade/kube-wire';
import {checkedPortWarnings} from '../checks/validate.ts';
import {PLATFORM_GROUP, PLATFORM_VERSION} from '../endpoint-groups/schema.ts';
import {keepPart} from '../keep-part.ts';
import {countSpecGeneration} from '../spec-generation.ts';
import {registrationAccess} from './access.ts';
import {registrationsPerUser} from './per-user.ts';
import {ENDPOINT_REGISTRATION, endpointRegistrationTypes} from './schema.ts';
import {registrationTable} from './table.ts';
import {type EndpointRegistration, type EndpointRegistrationSpec, GROUP_LABEL} from './types.ts';
import {groupNameFaults, validateRegistration, validateRegistrationStatus} from './validate.ts';

const LABEL_PATH = ['metadata', 'labels', GROUP_LABEL] as const;

const specOf = (object: KubeObject): EndpointRegistrationSpec => (object as EndpointRegistration).spec ?? {};

/** A group that cannot be a label is refused as a field. */
const setGroupLabel = (draft: KubeObject, {group = ''}: EndpointRegistrationSpec): void => {
  if (group === '' || groupNameFaults(group).length > 0) return;
  if (draft.metadata.labels?.[GROUP_LABEL] === group) return;
  draft.metadata.labels = {...draft.metadata.labels, [GROUP_LABEL]: group};
};

const setUser = (draft: KubeObject, user: string): void => {
  const {user: _, ...sent} = specOf(draft);
  draft['spec'] = user === '' ? sent : {...sent, user};
};

/** User and label are the server's, whatever is sent. */
const strategy: Strategy = {
  validateName: nameIsDnsSubdomain,
  access: registrationAccess,
  reservations: () => registrationsPerUser(),
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: true,
  resetFields: [['status'], ['spec', 'user'], LABEL_PATH],
  prepareForCreate: (draft, {user}) => {
    draft['status'] = {state: 'Live'};
    setUser(draft, user.name);
    setGroupLabel(draft, specOf(draft));
    countSpecGeneration(draft, undefined);
  },
  prepareForUpdate: (draft, current) => {
    keepPart('status', draft, current);
    setUser(draft, specOf(current).user ?? '');
    setGroupLabel(draft, specOf(current));
    countSpecGeneration(draft, current);
  },
  validateCreate: draft => validateRegistration(specOf(draft), undefined),
  validateUpdate: (draft, current) => validateRegistration(specOf(draft), specOf(current)),
  warningsOnCreate: draft => checkedPortWarnings(specOf(draft).ports ?? [], 'spec.ports'),
  warningsOnUpdate: draft => checkedPortWarnings(specOf(draft).ports ?? [], 'spec.ports'),
  selectableFields: {
    'spec.group': object => specOf(object).group ?? '',
    'spec.user': object => specOf(object).user ?? '',
    'status.state': object => (object as EndpointRegistration).status?.state ?? 'Live',
  },
  table: registrationTable,
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
  heartbeats: true,
  registryPath: `${PLATFORM_GROUP}/endpointregistrations`,
  internalName: 'platform.EndpointRegistration',
  strategy,
  subresources: [
    {
      name: 'status',
      verbs: ['get', 'patch', 'update'],
      resetFields: [['spec'], LABEL_PATH],
      prepareForUpdate: (draft, current) => {
        keepPart('spec', draft, current);
        setGroupLabel(draft, specOf(current));
      },
      validateUpdate: draft => validateRegistrationStatus((draft as EndpointRegistration).status ?? {}),
    },
  ],
};
