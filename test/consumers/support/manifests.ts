// SPDX-License-Identifier: Apache-2.0
/** Objects as a user writes them who has machines and no cluster. */
import type {Manifest} from './kube-side.ts';

const meta = (name: string, more: object = {}) => ({name, namespace: 'default', ...more});

export type Port = {readonly name?: string; readonly port: number; readonly protocol?: 'TCP' | 'UDP'};
export type Address = {readonly ip: string; readonly hostname?: string; readonly nodeName?: string};

export const service = (name: string, spec: object): Manifest => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: meta(name),
  spec,
});

export const endpoints = (
  name: string,
  addresses: readonly Address[],
  ports: readonly Port[],
  notReadyAddresses: readonly Address[] = [],
): Manifest => ({
  apiVersion: 'v1',
  kind: 'Endpoints',
  metadata: meta(name),
  subsets: [{addresses, notReadyAddresses, ports}],
});

export const ready = (...ips: readonly string[]): Address[] => ips.map(ip => ({ip}));
