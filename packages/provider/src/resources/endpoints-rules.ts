// SPDX-License-Identifier: Apache-2.0
/** The rules of the subsets of Endpoints over their inputs: every fault with its property path; unknowns are skipped at any depth. */
import {
  dns1123LabelFaults,
  dns1123SubdomainFaults,
  ipKey,
  qualifiedNameFaults,
  validateEndpointIp,
  validateIp,
} from '@palisade/kube-wire';
import {isGiven, listAt, mapsAt, stringAt} from '../property-access.ts';
import {formatPropertyPath, type PropertyPath} from '../property-path.ts';
import {isUnknown, type PropertyMap} from '../value.ts';
import type {Faults} from './kube/faults.ts';

const PROTOCOLS = ['TCP', 'UDP', 'SCTP'];
const PORT_MAX = 65_535;

/** `olds`: spellings of addresses that were accepted once stay acceptable. Ref: requirements E-066. */
export function subsetsFaults(inputs: PropertyMap, olds: PropertyMap, faults: Faults): void {
  const accepted = new Set(addressesOf(olds));
  for (const {map, index} of mapsAt(inputs, 'subsets')) subsetFaults(map, ['subsets', index], accepted, faults);
}

const addressesOf = (inputs: PropertyMap): string[] =>
  mapsAt(inputs, 'subsets').flatMap(({map}) =>
    ['addresses', 'notReadyAddresses'].flatMap(list =>
      mapsAt(map, list).flatMap(address => stringAt(address.map, 'ip') ?? []),
    ),
  );

function subsetFaults(subset: PropertyMap, at: PropertyPath, accepted: ReadonlySet<string>, faults: Faults): void {
  const hasList = (key: string) => isUnknown(subset[key]) || listAt(subset, key).length > 0;
  if (!hasList('addresses') && !hasList('notReadyAddresses')) {
    faults.add(at, 'required value: must specify `addresses` or `notReadyAddresses`');
  }
  const ready = new Map<string, number>();
  for (const {map, index} of mapsAt(subset, 'addresses')) {
    addressFaults(map, [...at, 'addresses', index], accepted, faults);
    const key = ipKey(stringAt(map, 'ip') ?? '');
    if (key !== undefined && !ready.has(key)) ready.set(key, index);
  }
  for (const {map, index} of mapsAt(subset, 'notReadyAddresses')) {
    const path = [...at, 'notReadyAddresses', index];
    addressFaults(map, path, accepted, faults);
    faults.text(map, 'ip', path, ip => {
      const other = ready.get(ipKey(ip) ?? '');
      if (other === undefined) return [];
      return [`the address is also ready, at ${formatPropertyPath([...at, 'addresses', other, 'ip'])}`];
    });
  }
  portsFaults(subset, at, faults);
}

function addressFaults(address: PropertyMap, at: PropertyPath, accepted: ReadonlySet<string>, faults: Faults): void {
  if (faults.require(address, 'ip', at)) {
    faults.text(address, 'ip', at, ip => addressTextFaults(ip, accepted));
  }
  faults.text(address, 'hostname', at, dns1123LabelFaults);
  faults.text(address, 'nodeName', at, dns1123SubdomainFaults);
  if (address['nodeName'] === '')
    faults.add([...at, 'nodeName'], 'invalid value "": must be a DNS subdomain, or left out');
}

function addressTextFaults(ip: string, accepted: ReadonlySet<string>): string[] {
  const spelling = accepted.has(ip) ? [] : validateIp('', ip);
  const range = ipKey(ip) === undefined ? [] : validateEndpointIp('', ip);
  return [...spelling, ...range].map(fault => fault.detail);
}

function portsFaults(subset: PropertyMap, at: PropertyPath, faults: Faults): void {
  const isOnly = listAt(subset, 'ports').length === 1;
  for (const {map, index} of mapsAt(subset, 'ports')) {
    const path = [...at, 'ports', index];
    if (!isOnly && !isGiven(map, 'name')) {
      faults.add([...path, 'name'], 'required value: may be left out only when the subset has one port');
    }
    faults.text(map, 'name', path, dns1123LabelFaults);
    const port = map['port'];
    if (faults.require(map, 'port', path) && typeof port === 'number' && (port < 1 || port > PORT_MAX)) {
      faults.add([...path, 'port'], `invalid value ${port}: must be between 1 and ${PORT_MAX}`);
    }
    faults.text(map, 'protocol', path, text =>
      PROTOCOLS.includes(text) ? [] : [`supported protocols are ${PROTOCOLS.join(', ')}`],
    );
    faults.text(map, 'appProtocol', path, qualifiedNameFaults);
    if (map['appProtocol'] === '')
      faults.add([...path, 'appProtocol'], 'invalid value "": must be a name, or left out');
  }
}
