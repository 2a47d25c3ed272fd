// SPDX-License-Identifier: Apache-2.0
/** `platform:core/v1:Endpoints` on any Kubernetes API server. */
import {SUBSETS} from './endpoints-inputs.ts';
import {subsetsFaults} from './endpoints-rules.ts';
import type {KubeKind} from './kube/kube-kind.ts';

export const ENDPOINTS: KubeKind = {
  token: 'core/v1:Endpoints',
  lookUp: 'core/v1:getEndpoints',
  type: {group: '', version: 'v1', plural: 'endpoints', kind: 'Endpoints', namespaced: true},
  content: SUBSETS,
  faults: subsetsFaults,
};
