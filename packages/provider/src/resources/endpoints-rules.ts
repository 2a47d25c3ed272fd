// SPDX-License-Identifier: Apache-2.0
/** The rules of an Endpoints object over its inputs: every fault with its property path; unknowns are skipped at any depth. */
import {
  dns1123LabelFaults,
  dns1123SubdomainFaults,
  ipKey,
  labelValueFaults,
  qualifiedNameFaults,
  validateEndpointIp,
  validateIp,
} from '@palisade/kube-wire';
import {isGiven, listAt, mapAt, mapsAt, stringAt} from '../property-access.ts';
import {formatPropertyPath, type PropertyPath} from '../property-path.ts';
import type {CheckFailure} from '../provider.ts';
import {isUnknown, type PropertyMap, type PropertyValue} from '../value.ts';

const PROTOCOLS = ['TCP', 'UDP', 'SCTP'];
const PORT_MAX = 65_535;
/** Keys and values of all annotations together. */
const ANNOTATIONS_BYTES_MAX = 262_144;
const OWNER_FIELDS = ['apiVersion', 'kind', 'name', 'uid'];

/** What is wrong with a text; empty when nothing is. */
type Rule = (text: string) => readonly string[];

class Faults {
  readonly list: CheckFailure[] = [];

  add(path: PropertyPath, reason: string): void {
    this.list.push({property: formatPropertyPath(path), reason});
  }

  /** Applies a rule to a known, non-empty string. */
  text(map: PropertyMap, key: string, at: PropertyPath, rule: Rule): void {
    const value = stringAt(map, key);
    if (value !== undefined) this.value([...at, key], value, rule);
  }

  value(path: PropertyPath, value: string, rule: Rule): void {
    for (const reason of rule(value)) this.add(path, `invalid value ${JSON.stringify(value)}: ${reason}`);
  }

  require(map: PropertyMap, key: string, at: PropertyPath): boolean {
    if (isGiven(map, key)) return true;
    this.add([...at, key], 'required value');
    return false;
  }
}

/** `olds`: spellings of addresses that were accepted once stay acceptable. Ref: requirements E-066. */
export function endpointsFaults(inputs: PropertyMap, olds: PropertyMap): CheckFailure[] {
  const faults = new Faults();
  metadataFaults(mapAt(inputs, 'metadata'), faults);
  const accepted = new Set(addressesOf(olds));
  for (const {map, index} of mapsAt(inputs, 'subsets')) subsetFaults(map, ['subsets', index], accepted, faults);
  return faults.list;
}

const addressesOf = (inputs: PropertyMap): string[] =>
  mapsAt(inputs, 'subsets').flatMap(({map}) =>
    ['addresses', 'notReadyAddresses'].flatMap(list =>
      mapsAt(map, list).flatMap(address => stringAt(address.map, 'ip') ?? []),
    ),
  );

function metadataFaults(metadata: PropertyMap, faults: Faults): void {
  const at: PropertyPath = ['metadata'];
  faults.text(metadata, 'name', at, dns1123SubdomainFaults);
  faults.text(metadata, 'generateName', at, text => dns1123SubdomainFaults(text.replace(/-$/, '')));
  faults.text(metadata, 'namespace', at, dns1123LabelFaults);
  for (const [key, value] of Object.entries(mapAt(metadata, 'labels'))) {
    faults.value([...at, 'labels', key], key, qualifiedNameFaults);
    if (typeof value === 'string') faults.value([...at, 'labels', key], value, labelValueFaults);
  }
  const annotations = Object.entries(mapAt(metadata, 'annotations'));
  for (const [key] of annotations) {
    faults.value([...at, 'annotations', key], key, text => qualifiedNameFaults(text.toLowerCase()));
  }
  const bytes = annotations.reduce((sum, [key, value]) => sum + byteLength(key) + byteLength(value), 0);
  if (bytes > ANNOTATIONS_BYTES_MAX) {
    faults.add([...at, 'annotations'], `too long: may not be more than ${ANNOTATIONS_BYTES_MAX} bytes`);
  }
  listAt(metadata, 'finalizers').forEach((finalizer, i) => {
    if (typeof finalizer === 'string') faults.value([...at, 'finalizers', i], finalizer, qualifiedNameFaults);
  });
  ownerFaults(metadata, faults);
}

const byteLength = (value: PropertyValue): number => (typeof value === 'string' ? Buffer.byteLength(value) : 0);

function ownerFaults(metadata: PropertyMap, faults: Faults): void {
  const at: PropertyPath = ['metadata', 'ownerReferences'];
  const owners = mapsAt(metadata, 'ownerReferences');
  for (const {map, index} of owners) {
    for (const field of OWNER_FIELDS) faults.require(map, field, [...at, index]);
    if (map['kind'] === 'Event') faults.add([...at, index, 'kind'], 'an Event cannot be an owner');
  }
  const controllers = owners.filter(({map}) => map['controller'] === true);
  if (controllers.length > 1) {
    const names = controllers.map(({map}) => `${String(map['kind'])}/${String(map['name'])}`).join(', ');
    faults.add(at, `only one reference may have controller set to true, found ${names}`);
  }
}

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
