// SPDX-License-Identifier: Apache-2.0
/** `platform:core/v1:Endpoints` on any Kubernetes API server. */
import {SUBSETS} from './endpoints-inputs.ts';
import {subsetsFaults} from './endpoints-rules.ts';
import type {KubeKind} from './kube/kube-kind.ts';

export const ENDPOINTS: KubeKind = {
  token: 'core/v1:Endpoints',
  doc: 'A named collection of the endpoints that implement one service. The whole set is the union of its subsets; an address with several ports that differ in readiness appears in several subsets.',
  type: {group: '', version: 'v1', plural: 'endpoints', kind: 'Endpoints', namespaced: true},
  content: SUBSETS,
  outputs: {},
  lookUp: {
    token: 'core/v1:getEndpoints',
    doc: 'Looks up Endpoints that something else manages. Fails if they do not exist.',
  },
  faults: subsetsFaults,
};
