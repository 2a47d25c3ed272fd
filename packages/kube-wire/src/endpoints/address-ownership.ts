// SPDX-License-Identifier: Apache-2.0
/**
 * Ownership per address (E-221), for Endpoints that several writers fill: beyond Kubernetes, where `subsets` is one
 * block. An object asks for it by an annotation, so every client can.
 * While it is on, a subset is identified by its ports (in any order), an address by IP and `targetRef.uid`. An address
 * with its parts is one field; writers that list the same ports share the subset and each hold their addresses.
 */
import {kubeTypes} from '../gen/kube-types.ts';
import {withMapLists} from '../map-lists.ts';

const CORE = 'io.k8s.api.core.v1';
const ADDRESS_KEYS = ['ip', 'targetRef.uid'];

export const ADDRESS_OWNERSHIP = {
  annotation: 'platform.io/address-ownership',
  value: 'per-address',
  structs: withMapLists(kubeTypes, {
    [`${CORE}.Endpoints`]: {subsets: ['ports']},
    [`${CORE}.EndpointSubset`]: {
      addresses: ADDRESS_KEYS,
      notReadyAddresses: ADDRESS_KEYS,
      ports: ['name', 'port', 'protocol'],
    },
  }),
} as const;
