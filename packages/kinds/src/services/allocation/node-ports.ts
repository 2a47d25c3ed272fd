// SPDX-License-Identifier: Apache-2.0
/** Which node ports a Service gets. Ref: kubernetes v1.36 pkg/registry/core/service/storage/alloc.go. */
import {internalError, invalidObject, plainInternal} from '@palisade/apiserver';
import {childPath, indexPath, invalid} from '@palisade/kube-wire';
import {hasNodePorts, needsHealthCheck, nodePortsOf, wantsNodePorts} from '../traits.ts';
import type {Service, ServicePort, ServiceSpec} from '../types.ts';
import {NO_PORT_LEFT, type PortOperation} from './port-pool.ts';

const KIND = {group: '', kind: 'Service'};
const PORTS = 'spec.ports';

/** Of a new Service. Throws StatusError. */
export const takeNewNodePorts = (service: Service, ports: PortOperation): void => {
  if (hasNodePorts(service.spec)) takeByPort(service, ports);
  if (needsHealthCheck(service.spec)) takeHealthCheckPort(service.spec, ports);
};

/** Of a changed one; what it no longer has is free when it is stored. Throws StatusError. */
export const takeChangedNodePorts = (service: Service, before: ServiceSpec, ports: PortOperation): void => {
  if (hasNodePorts(service.spec)) takeMissing(service, before, ports);
  if (!needsHealthCheck(before) && needsHealthCheck(service.spec)) takeHealthCheckPort(service.spec, ports);
};

const take = (service: Service, at: number, port: number, ports: PortOperation): void => {
  const why = ports.take(port);
  if (why === undefined) return;
  const path = childPath(indexPath(PORTS, at), 'nodePort');
  throw invalidObject(KIND, service.metadata.name ?? '', [invalid(path, port, why)]);
};

const takeAny = (ports: PortOperation): number => {
  const port = ports.takeAny();
  if (port === undefined) throw internalError(`failed to allocate a nodePort: ${NO_PORT_LEFT}`);
  return port;
};

/** Equal ports (of other protocols) share a node port unless they ask for their own. */
const takeByPort = (service: Service, ports: PortOperation): void => {
  const {spec} = service;
  if (spec.ports === undefined) return;
  const known = new Map<number, number>();
  spec.ports = spec.ports.map((port, at): ServicePort => {
    const {nodePort = 0} = port;
    if (nodePort === 0 && !wantsNodePorts(spec)) return port;
    const shared = known.get(port.port);
    if (shared === undefined) {
      const asked = spec.ports?.find(other => other.port === port.port && (other.nodePort ?? 0) !== 0)?.nodePort;
      if (asked !== undefined) take(service, at, asked, ports);
      const got = asked ?? takeAny(ports);
      known.set(port.port, got);
      return {...port, nodePort: got};
    }
    if (nodePort === 0) return {...port, nodePort: shared};
    if (nodePort !== shared) take(service, at, nodePort, ports);
    return port;
  });
};

const takeMissing = (service: Service, before: ServiceSpec, ports: PortOperation): void => {
  const {spec} = service;
  if (spec.ports === undefined) return;
  const own = new Set(nodePortsOf(before)); // also those of a name, which it does not hold: upstream asks no further
  const seen = new Set<string>();
  spec.ports = spec.ports.map((port, at): ServicePort => {
    let {nodePort = 0} = port;
    if (nodePort === 0 && !wantsNodePorts(spec)) return port;
    if (nodePort === 0) nodePort = takeAny(ports);
    else if (!own.has(nodePort)) {
      take(service, at, nodePort, ports);
      own.add(nodePort);
    }
    const key = `{${port.protocol ?? ''} ${nodePort}}`;
    if (seen.has(key)) throw plainInternal(`duplicate nodePort: ${key}`);
    seen.add(key);
    return nodePort === port.nodePort ? port : {...port, nodePort};
  });
};

const takeHealthCheckPort = (spec: ServiceSpec, ports: PortOperation): void => {
  const {healthCheckNodePort: asked = 0} = spec;
  if (asked === 0) {
    const port = ports.takeAny();
    if (port === undefined) throw internalError(`failed to allocate a HealthCheck NodePort 0: ${NO_PORT_LEFT}`);
    spec.healthCheckNodePort = port;
    return;
  }
  const why = ports.take(asked);
  if (why !== undefined) throw internalError(`failed to allocate requested HealthCheck NodePort ${asked}: ${why}`);
};
