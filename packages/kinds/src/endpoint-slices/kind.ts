// SPDX-License-Identifier: Apache-2.0
/** discovery.k8s.io/v1 EndpointSlice. Ref: kubernetes v1.36 pkg/registry/discovery/endpointslice/strategy.go. */
import {isDeepStrictEqual} from 'node:util';
import {ALL_VERBS, type KindDefinition, type KubeObject, type Strategy} from '@palisade/apiserver';
import {kubeTypes, nameIsDnsSubdomain} from '@palisade/kube-wire';
import {endpointSliceTable} from './table.ts';
import type {EndpointSlice} from './types.ts';
import {hasSameEndpoints, validateSlice, validateSliceUpdate} from './validate.ts';
import {addressWarnings, createWarnings} from './warnings.ts';

const asSlice = (object: KubeObject): EndpointSlice => object as EndpointSlice;

/** Labels count as content, annotations do not. */
const hasSameContent = (draft: EndpointSlice, current: EndpointSlice): boolean =>
  draft.addressType === current.addressType &&
  hasSameEndpoints(draft, current) &&
  isDeepStrictEqual(draft.ports ?? [], current.ports ?? []) &&
  isDeepStrictEqual(draft.metadata.labels ?? {}, current.metadata.labels ?? {});

/** The topology of v1beta1 cannot be written through v1, and nothing else writes it here. */
const dropTopology = (draft: EndpointSlice): void => {
  if (draft.endpoints?.some(({deprecatedTopology}) => deprecatedTopology !== undefined) !== true) return;
  draft.endpoints = draft.endpoints.map(({deprecatedTopology: _, ...endpoint}) => endpoint);
};

/** Stored lists are null when they are empty, however they were sent: storage knows no difference. */
const canonicalize = (draft: EndpointSlice): void => {
  if (draft.endpoints?.length === 0) draft.endpoints = null;
  if (draft.ports?.length === 0) draft.ports = null;
};

const strategy: Strategy = {
  validateName: nameIsDnsSubdomain,
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: true,
  revalidation: 'object-only',
  prepareForCreate: draft => {
    draft.metadata.generation = 1;
    dropTopology(asSlice(draft));
  },
  prepareForUpdate: (draft, current) => {
    if (!hasSameContent(asSlice(draft), asSlice(current)))
      draft.metadata.generation = (current.metadata.generation ?? 0) + 1;
    dropTopology(asSlice(draft));
  },
  validateCreate: draft => validateSlice(asSlice(draft), undefined),
  validateUpdate: (draft, current) => validateSliceUpdate(asSlice(draft), asSlice(current)),
  warningsOnCreate: draft => createWarnings(asSlice(draft)),
  warningsOnUpdate: draft => addressWarnings(asSlice(draft)),
  canonicalize: draft => canonicalize(asSlice(draft)),
  table: endpointSliceTable,
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
