// SPDX-License-Identifier: Apache-2.0
import type {KubeObject} from '@palisade/apiserver';

/** As decoded. Lists of a slice may be null; lists within an endpoint are absent when they are empty. */
export type SliceEndpoint = {
  addresses?: string[] | null;
  conditions?: {ready?: boolean; serving?: boolean; terminating?: boolean};
  hostname?: string;
  targetRef?: {kind?: string; namespace?: string; name?: string; uid?: string; resourceVersion?: string};
  deprecatedTopology?: Record<string, string>;
  nodeName?: string;
  zone?: string;
  hints?: {forZones?: {name: string}[]; forNodes?: {name: string}[]};
};
export type SlicePort = {name?: string; protocol?: string; port?: number; appProtocol?: string};
export type EndpointSlice = KubeObject & {
  addressType?: string;
  endpoints?: SliceEndpoint[] | null;
  ports?: SlicePort[] | null;
};

/** Which Service a slice belongs to, and who writes it. Ref: kubernetes v1.36 staging k8s.io/api/discovery/v1/well_known_labels.go. */
export const SERVICE_NAME_LABEL = 'kubernetes.io/service-name';
export const MANAGED_BY_LABEL = 'endpointslice.kubernetes.io/managed-by';
/** The values of controllers that write canonical addresses. */
export const MIRRORING_CONTROLLER = 'endpointslicemirroring-controller.k8s.io';
export const SLICE_CONTROLLER = 'endpointslice-controller.k8s.io';
/** Endpoints of one slice. */
export const SLICE_ENDPOINTS_MAX = 1_000;
