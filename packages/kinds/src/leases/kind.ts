// SPDX-License-Identifier: Apache-2.0
/** coordination.k8s.io/v1 Lease. Ref: kubernetes v1.36 pkg/registry/coordination/lease/strategy.go. */
import {
  ALL_VERBS,
  type KindDefinition,
  type KubeObject,
  type Strategy,
  tableAge,
  tableNameColumns,
} from '@palisade/apiserver';
import {kubeTypes, nameIsDnsSubdomain} from '@palisade/kube-wire';
import {docColumn} from '../doc-column.ts';
import type {Lease} from './types.ts';
import {validateLeaseSpec} from './validate.ts';

const asLease = (object: KubeObject): Lease => object as Lease;

/** The feature gate CoordinatedLeaderElection, off in v1.36, is what these fields are for: they stay only where they are stored. */
const GATED = ['strategy', 'preferredHolder'] as const;

const dropGated = (draft: Lease, current: Lease | undefined): void => {
  for (const field of GATED) {
    if (draft.spec?.[field] === undefined || current?.spec?.[field] !== undefined) continue;
    const {[field]: _, ...spec} = draft.spec;
    draft.spec = spec;
  }
};

const strategy: Strategy = {
  validateName: nameIsDnsSubdomain,
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: false,
  plainFinalizers: true,
  prepareForCreate: draft => dropGated(asLease(draft), undefined),
  prepareForUpdate: (draft, current) => dropGated(asLease(draft), asLease(current)),
  validateCreate: draft => validateLeaseSpec(asLease(draft).spec ?? {}),
  validateUpdate: draft => validateLeaseSpec(asLease(draft).spec ?? {}),
  table: {
    columns: tableNameColumns([docColumn('Holder', 'io.k8s.api.coordination.v1.LeaseSpec', 'holderIdentity')]),
    cells: (object, nowMs) => [
      object.metadata.name ?? '',
      asLease(object).spec?.holderIdentity ?? '',
      tableAge(object, nowMs),
    ],
  },
};

export const leasesKind: KindDefinition = {
  group: 'coordination.k8s.io',
  version: 'v1',
  kind: 'Lease',
  listKind: 'LeaseList',
  resource: 'leases',
  singular: 'lease',
  namespaced: true,
  verbs: ALL_VERBS,
  typeName: 'io.k8s.api.coordination.v1.Lease',
  types: kubeTypes,
  heartbeats: true,
  registryPath: 'leases',
  internalName: 'coordination.Lease',
  strategy,
};
