// SPDX-License-Identifier: Apache-2.0
/** The EndpointSlices that belong to a set. Ref: discovery.k8s.io/v1. */
import type {KubeObject, ResourceType} from '@palisade/client/browser';
import {portText} from '../../../groups/model/text.ts';

export const ENDPOINT_SLICES: ResourceType = {
  group: 'discovery.k8s.io',
  version: 'v1',
  plural: 'endpointslices',
  kind: 'EndpointSlice',
  namespaced: true,
};

export type EndpointSlice = KubeObject & {
  readonly addressType?: string;
  readonly endpoints?: readonly {readonly conditions?: {readonly ready?: boolean}}[] | null;
  readonly ports?: readonly {readonly name?: string; readonly port?: number; readonly protocol?: string}[] | null;
};

/** Of a label's value. Ref: apimachinery pkg/util/validation, LabelValueMaxLength; names of sets may be longer. */
const LABEL_BYTES = 63;

/** A set whose name is no value of a label has no slices: the server mirrors none, and refuses the selector. */
export const canHaveSlices = (name: string): boolean => name.length <= LABEL_BYTES;

export const sliceSelector = (name: string): string => `kubernetes.io/service-name=${name}`;

export type SliceRow = {
  readonly name: string;
  readonly addressType: string;
  readonly ready: number;
  readonly total: number;
  readonly ports: string;
  /** Which controller writes it. */
  readonly manager: string;
  readonly created: string | undefined;
};

/** An endpoint without the condition counts as ready. */
export function toSliceRow({metadata, addressType = '', endpoints, ports}: EndpointSlice): SliceRow {
  const all = endpoints ?? [];
  return {
    name: metadata?.name ?? '',
    addressType,
    ready: all.filter(({conditions}) => conditions?.ready !== false).length,
    total: all.length,
    ports: (ports ?? []).map(port => portText({...port, port: port.port ?? 0})).join(', '),
    manager: metadata?.labels?.['endpointslice.kubernetes.io/managed-by'] ?? '',
    created: metadata?.creationTimestamp,
  };
}
