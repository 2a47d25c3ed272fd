// SPDX-License-Identifier: Apache-2.0
/** Ref: kubernetes v1.36 pkg/apis/core/validation/validation.go ValidateEndpoints. */
import type {Compat} from '@palisade/apiserver';
import {
  childPath,
  dns1123LabelFaults,
  dns1123SubdomainFaults,
  type FieldError,
  indexPath,
  invalid,
  ipKey,
  namedText,
  notSupported,
  portNumberFaults,
  qualifiedNameFaults,
  required,
  validateEndpointIp,
  validateIp,
} from '@palisade/kube-wire';
import {isPlainIpv4} from './plain-ipv4.ts';
import type {EndpointAddress, EndpointPort, EndpointSubset, Endpoints} from './types.ts';

const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];

export const validateEndpoints = (draft: Endpoints, current: Endpoints | undefined, compat: Compat): FieldError[] => {
  if (draft.subsets === undefined) return [];
  const known = current === undefined ? undefined : ipsOf(current);
  return draft.subsets.flatMap((subset, index) => validateSubset(subset, indexPath('subsets', index), known, compat));
};

/** Addresses that were stored before stay valid, whatever the syntax rules have become since (E-066). */
const ipsOf = ({subsets = []}: Endpoints): ReadonlySet<string> => {
  const known = new Set<string>();
  for (const {addresses = [], notReadyAddresses = []} of subsets) {
    for (const {ip} of addresses) if (ip !== undefined) known.add(ip);
    for (const {ip} of notReadyAddresses) if (ip !== undefined) known.add(ip);
  }
  return known;
};

const validateSubset = (
  subset: EndpointSubset,
  path: string,
  known: ReadonlySet<string> | undefined,
  compat: Compat,
): FieldError[] => {
  const {addresses = [], notReadyAddresses = [], ports = []} = subset;
  const errors: FieldError[] = [];
  if (addresses.length === 0 && notReadyAddresses.length === 0) {
    errors.push(required(path, 'must specify `addresses` or `notReadyAddresses`'));
  }
  validateAddresses(addresses, () => childPath(path, 'addresses'), known, errors);
  validateAddresses(notReadyAddresses, () => childPath(path, 'notReadyAddresses'), known, errors);
  if (compat.refuseReadyAndNotReady) errors.push(...readyAndNotReady(addresses, notReadyAddresses, path));
  for (const [index, port] of ports.entries()) {
    errors.push(...validatePort(port, ports.length > 1, indexPath(childPath(path, 'ports'), index)));
  }
  return errors;
};

/** Nearly all addresses are plain: for these no path is made and nothing is allocated. */
const validateAddresses = (
  addresses: readonly EndpointAddress[],
  path: () => string,
  known: ReadonlySet<string> | undefined,
  errors: FieldError[],
): void => {
  for (let index = 0; index < addresses.length; index++) {
    const address = addresses[index];
    if (address === undefined || isWellFormed(address)) continue;
    errors.push(...validateAddress(address, indexPath(path(), index), known));
  }
};

const isWellFormed = ({ip = '', hostname, nodeName}: EndpointAddress): boolean =>
  hostname === undefined && nodeName === undefined && isPlainIpv4(ip);

export const validateAddress = (
  {ip = '', hostname = '', nodeName}: EndpointAddress,
  path: string,
  known: ReadonlySet<string> | undefined,
): FieldError[] => {
  const isPlain = isPlainIpv4(ip);
  const at = childPath(path, 'ip');
  const errors = isPlain || known?.has(ip) === true ? [] : validateIp(at, ip);
  if (hostname !== '') {
    for (const fault of dns1123LabelFaults(hostname))
      errors.push(invalid(childPath(path, 'hostname'), hostname, fault));
  }
  if (nodeName !== undefined) {
    for (const fault of dns1123SubdomainFaults(nodeName))
      errors.push(invalid(childPath(path, 'nodeName'), nodeName, fault));
  }
  if (!isPlain) errors.push(...validateEndpointIp(at, ip));
  return errors;
};

/** E-045: compared by value; the fault stands at the not-ready address and names the other place. */
const readyAndNotReady = (
  addresses: readonly EndpointAddress[],
  notReady: readonly EndpointAddress[],
  path: string,
): FieldError[] => {
  if (addresses.length === 0 || notReady.length === 0) return [];
  const ready = new Map<string, number>();
  for (const [index, {ip = ''}] of addresses.entries()) {
    const key = ipKey(ip);
    if (key !== undefined && !ready.has(key)) ready.set(key, index);
  }
  return notReady.flatMap(({ip = ''}, index) => {
    const key = ipKey(ip);
    const other = key === undefined ? undefined : ready.get(key);
    if (other === undefined) return [];
    const at = childPath(indexPath(childPath(path, 'notReadyAddresses'), index), 'ip');
    return [
      invalid(
        at,
        ip,
        `may not be in both \`addresses\` and \`notReadyAddresses\`: it is also ${path}.addresses[${other}].ip`,
        'unique=readiness',
      ),
    ];
  });
};

export const validatePort = (
  {name = '', port = 0, protocol = '', appProtocol}: EndpointPort,
  needsName: boolean,
  path: string,
): FieldError[] => {
  const errors: FieldError[] = [];
  if (needsName && name === '') errors.push(required(childPath(path, 'name')));
  else if (name !== '') {
    for (const fault of dns1123LabelFaults(name)) errors.push(invalid(childPath(path, 'name'), name, fault));
  }
  for (const fault of portNumberFaults(port)) errors.push(invalid(childPath(path, 'port'), port, fault));
  if (protocol === '') errors.push(required(childPath(path, 'protocol')));
  else if (!PROTOCOLS.includes(protocol)) {
    errors.push(notSupported(childPath(path, 'protocol'), namedText(protocol), PROTOCOLS));
  }
  if (appProtocol !== undefined) {
    for (const fault of qualifiedNameFaults(appProtocol))
      errors.push(invalid(childPath(path, 'appProtocol'), appProtocol, fault));
  }
  return errors;
};
