// SPDX-License-Identifier: Apache-2.0
/** core/v1 Endpoints. Ref: kubernetes v1.36 pkg/registry/core/endpoint/strategy.go. */
import {
  ALL_VERBS,
  type Compat,
  type KindDefinition,
  type KubeObject,
  type Strategy,
  type StrategyContext,
} from '@palisade/apiserver';
import {kubeTypes, nameIsDnsSubdomain} from '@palisade/kube-wire';
import {countGeneration} from './generation.ts';
import {servicePortWarnings} from './service-ports.ts';
import {endpointsTable} from './table.ts';
import type {Endpoints} from './types.ts';
import {validateEndpoints} from './validate.ts';
import {endpointsWarnings} from './warnings.ts';

const DEPRECATED = ['v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice'];
const NONE: readonly string[] = [];

const asEndpoints = (object: KubeObject): Endpoints => object as Endpoints;

const warningsOf = (draft: Endpoints, context: StrategyContext): readonly string[] => [
  ...endpointsWarnings(draft, context.compat),
  ...servicePortWarnings(draft, context),
];

/** Subsets are stored as written (E-048). */
const strategy: Strategy = {
  validateName: nameIsDnsSubdomain,
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: true,
  revalidation: 'changes-first',
  prepareForCreate: (draft, {compat}) => {
    if (compat.countGeneration) draft.metadata.generation = 1;
  },
  prepareForUpdate: (draft, current, {compat}) => {
    if (compat.countGeneration) countGeneration(asEndpoints(draft), asEndpoints(current));
  },
  validateCreate: (draft, {compat}) => validateEndpoints(asEndpoints(draft), undefined, compat),
  validateUpdate: (draft, current, {compat}) => validateEndpoints(asEndpoints(draft), asEndpoints(current), compat),
  warningsOnCreate: (draft, context) => warningsOf(asEndpoints(draft), context),
  warningsOnUpdate: (draft, _current, context) => warningsOf(asEndpoints(draft), context),
  table: endpointsTable,
};

export const endpointsKind: KindDefinition = {
  group: '',
  version: 'v1',
  kind: 'Endpoints',
  listKind: 'EndpointsList',
  resource: 'endpoints',
  singular: 'endpoints',
  shortNames: ['ep'],
  namespaced: true,
  verbs: ALL_VERBS,
  typeName: 'io.k8s.api.core.v1.Endpoints',
  types: kubeTypes,
  registryPath: 'services/endpoints',
  internalName: 'core.Endpoints',
  strategy,
  warnings: (compat: Compat) => (compat.warnEndpointsDeprecated ? DEPRECATED : NONE),
};
