// SPDX-License-Identifier: Apache-2.0
/** Which Endpoints are mirrored, and what their slices take over. Ref: kubernetes v1.36 pkg/controller/endpointslicemirroring. */
import {isDeepStrictEqual} from 'node:util';
import type {KubeObject} from '@palisade/apiserver';
import {
  type EndpointSlice,
  MANAGED_BY_LABEL,
  MIRRORING_CONTROLLER,
  SERVICE_NAME_LABEL,
} from '../endpoint-slices/types.ts';
import type {Endpoints} from '../endpoints/types.ts';

const SKIP_LABEL = 'endpointslice.kubernetes.io/skip-mirror';
/** The lock of a leader election that is kept in Endpoints. */
const LEADER_ANNOTATION = 'control-plane.alpha.kubernetes.io/leader';
const OWN_ANNOTATIONS: ReadonlySet<string> = new Set([
  'endpoints.kubernetes.io/last-change-trigger-time',
  'kubectl.kubernetes.io/last-applied-configuration',
]);

export const isMirrorable = ({metadata: {labels, annotations}}: KubeObject): boolean =>
  labels?.[SKIP_LABEL] !== 'true' && annotations?.[LEADER_ANNOTATION] === undefined;

/** A Service with a selector has slices of another controller. */
export const hasSelector = (service: KubeObject): boolean =>
  Object.keys((service['spec'] as {selector?: object} | undefined)?.selector ?? {}).length > 0;

/** Metadata of all slices of one object, but for the name. */
export type SliceMetadata = Required<Pick<KubeObject['metadata'], 'labels' | 'annotations' | 'ownerReferences'>>;

export const metadataFor = ({metadata}: Endpoints): SliceMetadata => {
  const {name = '', uid = '', labels = {}, annotations = {}} = metadata;
  const owner = {apiVersion: 'v1', kind: 'Endpoints', name, uid, controller: true, blockOwnerDeletion: true};
  return {
    labels: {...labels, [SERVICE_NAME_LABEL]: name, [MANAGED_BY_LABEL]: MIRRORING_CONTROLLER},
    annotations: Object.fromEntries(Object.entries(annotations).filter(([key]) => !OWN_ANNOTATIONS.has(key))),
    ownerReferences: [owner],
  };
};

/**
 * Further owners do not matter until the slice is written for another reason. While the Endpoints are being deleted the garbage
 * collector decides about owners.
 */
export const hasMetadata = ({metadata}: EndpointSlice, wanted: SliceMetadata, of: Endpoints): boolean => {
  const {uid, deletionTimestamp} = of.metadata;
  const isOwned = metadata.ownerReferences?.some(owner => owner.uid === uid) === true;
  return (
    (isOwned || deletionTimestamp != null) &&
    isDeepStrictEqual(metadata.labels ?? {}, wanted.labels) &&
    isDeepStrictEqual(metadata.annotations ?? {}, wanted.annotations)
  );
};
