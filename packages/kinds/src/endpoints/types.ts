// SPDX-License-Identifier: Apache-2.0
import type {KubeObject} from '@palisade/apiserver';

/** As decoded: what is absent is undefined, lists are never empty. */
export type EndpointAddress = {ip?: string; hostname?: string; nodeName?: string; targetRef?: {uid?: string}};
export type EndpointPort = {name?: string; port?: number; protocol?: string; appProtocol?: string};
export type EndpointSubset = {
  addresses?: EndpointAddress[];
  notReadyAddresses?: EndpointAddress[];
  ports?: EndpointPort[];
};
export type Endpoints = KubeObject & {subsets?: EndpointSubset[]};
