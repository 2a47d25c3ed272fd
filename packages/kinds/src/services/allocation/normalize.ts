// SPDX-License-Identifier: Apache-2.0
/** What a client left out and the server knows. Ref: kubernetes v1.36 pkg/registry/core/service/storage/storage.go. */
import {needsClusterIp, needsHealthCheck, nodePortsOf, sameItems, wantsNodePorts} from '../traits.ts';
import type {ServiceSpec} from '../types.ts';

/** `clusterIPs` of a client that knows `clusterIP` alone. */
export const normalizeClusterIps = (next: ServiceSpec, before: ServiceSpec | undefined): void => {
  const {clusterIP = ''} = next;
  if (before === undefined) {
    if (clusterIP !== '' && (next.clusterIPs ?? []).length === 0) next.clusterIPs = [clusterIP];
    return;
  }
  const same = clusterIP === (before.clusterIP ?? '');
  const hasNone = (next.clusterIPs ?? []).length === 0;
  if (same && hasNone && before.clusterIPs !== undefined) next.clusterIPs = before.clusterIPs;
  if (same || !sameItems(before.clusterIPs, next.clusterIPs)) return;
  if (clusterIP === '') delete next.clusterIPs;
  else next.clusterIPs = [clusterIP];
};

/** So that the same document can be written again: what the server chose stays where the client says nothing of it. */
export const keepAllocated = (next: ServiceSpec, before: ServiceSpec): void => {
  if (needsClusterIp(before) && needsClusterIp(next)) {
    if ((next.clusterIP ?? '') === '' && before.clusterIP !== undefined) next.clusterIP = before.clusterIP;
    if ((next.clusterIPs ?? []).length === 0 && before.clusterIPs !== undefined) next.clusterIPs = before.clusterIPs;
  }
  if (wantsNodePorts(before) && wantsNodePorts(next)) keepNodePorts(next, before);
  if (needsHealthCheck(before) && needsHealthCheck(next) && (next.healthCheckNodePort ?? 0) === 0) {
    if (before.healthCheckNodePort !== undefined) next.healthCheckNodePort = before.healthCheckNodePort;
  }
};

/** By the name of the port, unless another port of the Service has it now. */
const keepNodePorts = (next: ServiceSpec, before: ServiceSpec): void => {
  const now = new Set(nodePortsOf(next));
  const known = new Map((before.ports ?? []).map(({name = '', nodePort = 0}) => [name, nodePort]));
  if (next.ports === undefined) return;
  next.ports = next.ports.map(port => {
    const kept = (port.nodePort ?? 0) === 0 ? (known.get(port.name ?? '') ?? 0) : 0;
    return kept === 0 || (now.has(kept) && nodePortsOf(before).includes(kept)) ? port : {...port, nodePort: kept};
  });
};
