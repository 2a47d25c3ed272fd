// SPDX-License-Identifier: Apache-2.0
/** Ref: kubernetes v1.36 pkg/apis/core/validation/validation.go validateServicePort, validateService. */
import {
  childPath,
  dns1123LabelFaults,
  duplicate,
  type FieldError,
  forbidden,
  indexPath,
  invalid,
  namedText,
  notSupported,
  PrintedValue,
  portNameFaults,
  portNumberFaults,
  qualifiedNameFaults,
  required,
} from '@palisade/kube-wire';
import {CLUSTER_IP, type ServicePort, type ServiceSpec} from '../types.ts';

const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];
const PORTS = 'spec.ports';

export const validatePorts = ({ports = []}: ServiceSpec): FieldError[] => {
  const names = new Set<string>();
  return ports.flatMap((port, index) => {
    const path = indexPath(PORTS, index);
    return [...validateName(port, ports.length > 1, names, childPath(path, 'name')), ...validatePort(port, path)];
  });
};

const validateName = ({name = ''}: ServicePort, isNeeded: boolean, names: Set<string>, path: string): FieldError[] => {
  if (name === '') return isNeeded ? [required(path)] : [];
  const faults = dns1123LabelFaults(name).map(fault => invalid(path, name, fault));
  if (names.has(name)) faults.push(duplicate(path, name));
  names.add(name);
  return faults;
};

const validatePort = ({port, protocol = '', targetPort, appProtocol}: ServicePort, path: string): FieldError[] => {
  const target = childPath(path, 'targetPort');
  const targetFaults = typeof targetPort === 'number' ? portNumberFaults(targetPort) : portNameFaults(targetPort);
  const faults = portNumberFaults(port).map(fault => invalid(childPath(path, 'port'), port, fault));
  if (protocol === '') faults.push(required(childPath(path, 'protocol')));
  else if (!PROTOCOLS.includes(protocol))
    faults.push(notSupported(childPath(path, 'protocol'), namedText(protocol), PROTOCOLS));
  faults.push(...targetFaults.map(fault => invalid(target, targetPort, fault)));
  if (appProtocol !== undefined) {
    const name = childPath(path, 'appProtocol');
    faults.push(...qualifiedNameFaults(appProtocol).map(fault => invalid(name, appProtocol, fault)));
  }
  return faults;
};

/** Of ports with one protocol no two have the same number, or the same node port. */
export const validateEqualPorts = ({type, ports = []}: ServiceSpec): FieldError[] => {
  const faults: FieldError[] = [];
  const nodePortAt = (index: number): string => childPath(indexPath(PORTS, index), 'nodePort');
  const hasNodePort = ({nodePort = 0}: ServicePort): boolean => nodePort !== 0;
  if (type === CLUSTER_IP) {
    for (const [index, port] of ports.entries())
      if (hasNodePort(port)) faults.push(forbidden(nodePortAt(index), "may not be used when `type` is 'ClusterIP'"));
  }
  const nodePorts = new Set<string>();
  for (const [index, port] of ports.entries()) {
    if (!hasNodePort(port)) continue;
    const key = `${port.protocol} ${port.nodePort}`;
    if (nodePorts.has(key)) faults.push(duplicate(nodePortAt(index), port.nodePort));
    nodePorts.add(key);
  }
  const seen = new Set<string>();
  for (const [index, {protocol = '', port}] of ports.entries()) {
    const key = `${protocol} ${port}`;
    if (seen.has(key)) faults.push(duplicate(indexPath(PORTS, index), printed(protocol, port)));
    seen.add(key);
  }
  return faults;
};

/** Upstream's internal struct, which has no names for JSON. */
const printed = (protocol: string, port: number): PrintedValue =>
  new PrintedValue(
    `{"Name":"","Protocol":${namedText(protocol).text},"AppProtocol":null,"Port":${port},"TargetPort":0,"NodePort":0}`,
  );
