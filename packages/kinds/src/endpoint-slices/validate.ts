// SPDX-License-Identifier: Apache-2.0
/** Ref: kubernetes v1.36 pkg/apis/discovery/validation/validation.go. */
import {isDeepStrictEqual} from 'node:util';
import {
  childPath,
  dns1123LabelFaults,
  dns1123SubdomainFaults,
  duplicate,
  type FieldError,
  formatIp,
  indexPath,
  invalid,
  labelValueFaults,
  namedText,
  notSupported,
  parseIpSloppy,
  parseIpStrict,
  qualifiedNameFaults,
  required,
  tooMany,
  validateEndpointIp,
  validateIp,
} from '@palisade/kube-wire';
import {isPlainIpv4} from '../endpoints/plain-ipv4.ts';
import {type EndpointSlice, SLICE_ENDPOINTS_MAX, type SliceEndpoint, type SlicePort} from './types.ts';

const ADDRESS_TYPES = ['FQDN', 'IPv4', 'IPv6'];
const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];
const ADDRESSES_MAX = 100;
const PORTS_MAX = 20_000;
const HINTS_MAX = 8;

/** Everything but the metadata. Endpoints that the update leaves alone stay valid, whatever the rules have become. */
export const validateSlice = (draft: EndpointSlice, current: EndpointSlice | undefined): FieldError[] => {
  const {addressType = '', endpoints, ports} = draft;
  const ofEndpoints = validateEndpoints(endpoints ?? [], addressType);
  const isKept = ofEndpoints.length > 0 && current !== undefined && hasSameEndpoints(draft, current);
  return [...validateAddressType(addressType), ...validatePorts(ports ?? []), ...(isKept ? [] : ofEndpoints)];
};

export const validateSliceUpdate = (draft: EndpointSlice, current: EndpointSlice): FieldError[] => {
  const {addressType = ''} = draft;
  const faults = validateSlice(draft, current);
  if (addressType !== (current.addressType ?? ''))
    faults.push(invalid('addressType', namedText(addressType), 'field is immutable', 'immutable'));
  return faults;
};

/** A list that is null and an empty one are the same. */
export const hasSameEndpoints = (draft: EndpointSlice, current: EndpointSlice): boolean =>
  draft.endpoints === current.endpoints || isDeepStrictEqual(draft.endpoints ?? [], current.endpoints ?? []);

const validateAddressType = (addressType: string): FieldError[] => {
  if (addressType === '') return [required('addressType')];
  if (ADDRESS_TYPES.includes(addressType)) return [];
  return [notSupported('addressType', namedText(addressType), ADDRESS_TYPES)];
};

const validatePorts = (ports: readonly SlicePort[]): FieldError[] => {
  if (ports.length > PORTS_MAX) return [tooMany('ports', ports.length, PORTS_MAX)];
  const names = new Set<string>();
  return ports.flatMap(({name = '', protocol = '', appProtocol}, index) => {
    const path = indexPath('ports', index);
    const at = childPath(path, 'name');
    const faults = name === '' ? [] : dns1123LabelFaults(name).map(fault => invalid(at, name, fault));
    if (names.has(name)) faults.push(duplicate(at, name));
    names.add(name);
    if (!PROTOCOLS.includes(protocol))
      faults.push(notSupported(childPath(path, 'protocol'), namedText(protocol), PROTOCOLS));
    if (appProtocol !== undefined) {
      for (const fault of qualifiedNameFaults(appProtocol))
        faults.push(invalid(childPath(path, 'appProtocol'), appProtocol, fault));
    }
    return faults;
  });
};

const validateEndpoints = (endpoints: readonly SliceEndpoint[], addressType: string): FieldError[] => {
  if (endpoints.length > SLICE_ENDPOINTS_MAX) return [tooMany('endpoints', endpoints.length, SLICE_ENDPOINTS_MAX)];
  const faults: FieldError[] = [];
  for (let index = 0; index < endpoints.length; index++) {
    const endpoint = endpoints[index];
    if (endpoint === undefined || isPlain(endpoint, addressType)) continue;
    faults.push(...validateEndpoint(endpoint, addressType, indexPath('endpoints', index)));
  }
  return faults;
};

/** Nearly all endpoints are one plain address: for these nothing is allocated. */
const isPlain = ({addresses, nodeName, hostname, hints}: SliceEndpoint, addressType: string): boolean =>
  addressType === 'IPv4' &&
  nodeName === undefined &&
  hostname === undefined &&
  hints === undefined &&
  addresses?.length === 1 &&
  isPlainIpv4(addresses[0] ?? '');

const validateEndpoint = (endpoint: SliceEndpoint, addressType: string, path: string): FieldError[] => {
  const {nodeName, hostname, hints} = endpoint;
  const addresses = endpoint.addresses ?? [];
  const at = childPath(path, 'addresses');
  const faults: FieldError[] = [];
  if (addresses.length === 0) faults.push(required(at, 'must contain at least 1 address'));
  else if (addresses.length > ADDRESSES_MAX) faults.push(tooMany(at, addresses.length, ADDRESSES_MAX));
  for (const [index, address] of addresses.entries())
    faults.push(...validateAddress(address, addressType, {list: at, item: indexPath(at, index)}));
  if (nodeName !== undefined) {
    for (const fault of dns1123SubdomainFaults(nodeName))
      faults.push(invalid(childPath(path, 'nodeName'), nodeName, fault));
  }
  if (hostname !== undefined) {
    for (const fault of dns1123LabelFaults(hostname))
      faults.push(invalid(childPath(path, 'hostname'), hostname, fault));
  }
  if (hints !== undefined) faults.push(...validateHints(hints, childPath(path, 'hints')));
  return faults;
};

type AddressPaths = {readonly list: string; readonly item: string};

/** Of an unknown type nothing is checked. An address of the other family is a fault of the list. */
const validateAddress = (address: string, addressType: string, {list, item}: AddressPaths): FieldError[] => {
  if (addressType === 'FQDN') return validateDomainName(item, address);
  if (addressType !== 'IPv4' && addressType !== 'IPv6') return [];
  const syntax = addressType === 'IPv4' ? validateIp(item, address) : validateCanonicalIp(item, address);
  if (syntax.length > 0) return syntax;
  const family = parseIpStrict(address)?.v4 === true ? 'IPv4' : 'IPv6';
  const faults = family === addressType ? [] : [invalid(list, address, `must be an ${addressType} address`)];
  return [...faults, ...validateEndpointIp(item, address)];
};

/** Ref: apimachinery pkg/util/validation/ip.go IsValidIP. */
const validateCanonicalIp = (path: string, value: string): FieldError[] => {
  const origin = 'format=ip-strict';
  const faults = validateIp(path, value);
  const bytes = parseIpSloppy(value);
  if (faults.length > 0 || bytes === undefined) return faults.map(fault => ({...fault, origin}));
  const canonical = formatIp(bytes);
  if (value === canonical) return [];
  return [invalid(path, value, `must be in canonical form (${JSON.stringify(canonical)})`, origin)];
};

/** Ref: apimachinery pkg/util/validation/validation.go IsFullyQualifiedDomainName. */
const validateDomainName = (path: string, value: string): FieldError[] => {
  if (value === '') return [required(path)];
  const name = value.endsWith('.') ? value.slice(0, -1) : value;
  const faults = dns1123SubdomainFaults(name);
  if (faults.length > 0) return [invalid(path, name, faults.join(','))];
  const labels = name.split('.');
  if (labels.length < 2)
    return [invalid(path, name, 'should be a domain with at least two segments separated by dots')];
  for (const label of labels) {
    const ofLabel = dns1123LabelFaults(label);
    if (ofLabel.length > 0) return [invalid(path, label, ofLabel.join(','))];
  }
  return [];
};

type Hints = NonNullable<SliceEndpoint['hints']>;

/** Too many zones hide what is wrong with nodes. */
const validateHints = ({forZones = [], forNodes = []}: Hints, path: string): FieldError[] => {
  const zones = validateHintNames(childPath(path, 'forZones'), forZones, labelValueFaults);
  if (forZones.length > HINTS_MAX) return zones;
  return [...zones, ...validateHintNames(childPath(path, 'forNodes'), forNodes, dns1123SubdomainFaults)];
};

const validateHintNames = (
  path: string,
  hints: readonly {readonly name: string}[],
  faultsOf: (name: string) => readonly string[],
): FieldError[] => {
  if (hints.length > HINTS_MAX) return [tooMany(path, hints.length, HINTS_MAX)];
  const names = new Set<string>();
  return hints.flatMap(({name}, index) => {
    const at = childPath(indexPath(path, index), 'name');
    const repeated = names.has(name) ? [duplicate(at, name)] : [];
    names.add(name);
    return [...repeated, ...faultsOf(name).map(fault => invalid(at, name, fault))];
  });
};
