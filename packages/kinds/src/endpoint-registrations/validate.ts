// SPDX-License-Identifier: Apache-2.0
/** The rules of EndpointRegistration: addresses and ports as in Endpoints. Ref: requirements E-061, E-066, E-080 to E-088. */
import {
  childPath,
  dns1123LabelFaults,
  dns1123SubdomainFaults,
  duplicate,
  type FieldError,
  indexPath,
  invalid,
  ipKey,
  labelValueFaults,
  notSupported,
  required,
  tooMany,
  validateEndpointIp,
  validateIp,
} from '@palisade/kube-wire';
import {validateCheckedPorts} from '../checks/validate.ts';
import {rangeFaults} from '../number-ranges.ts';
import type {EndpointRegistrationSpec, EndpointRegistrationStatus} from './types.ts';

export const ADDRESSES_MAX = 16;
const SECONDS = {ttlSeconds: [1, 86_400], removeAfterSeconds: [1, 2_592_000]} as const;

const STATES: readonly string[] = ['Live', 'Expired'];

export const TTL_SECONDS_MAX = SECONDS.ttlSeconds[1];

const at = (field: string): string => childPath('spec', field);

/** Addresses of `current` stay valid, whatever the syntax rules have become since. */
export const validateRegistration = (
  spec: EndpointRegistrationSpec,
  current: EndpointRegistrationSpec | undefined,
): FieldError[] => {
  const {group = '', addresses = [], hostname = '', nodeName, ports = []} = spec;
  const errors = groupFaults(group, current);
  errors.push(...validateAddresses(addresses, new Set(current?.addresses)));
  if (hostname !== '')
    for (const fault of dns1123LabelFaults(hostname)) errors.push(invalid(at('hostname'), hostname, fault));
  if (nodeName !== undefined)
    for (const fault of dns1123SubdomainFaults(nodeName)) errors.push(invalid(at('nodeName'), nodeName, fault));
  errors.push(...validateCheckedPorts(ports, at('ports')));
  return [...errors, ...rangeFaults(spec, SECONDS, 'spec')];
};

/** The name of the group is the value of a label, too. */
export const groupNameFaults = (group: string): readonly string[] => {
  const faults = dns1123SubdomainFaults(group);
  return faults.length > 0 ? faults : labelValueFaults(group);
};

const groupFaults = (group: string, current: EndpointRegistrationSpec | undefined): FieldError[] => {
  if (current !== undefined && group !== current.group)
    return [invalid(at('group'), group, 'field is immutable', 'immutable')];
  if (group === '') return [required(at('group'), 'must be the name of an EndpointGroup')];
  return groupNameFaults(group).map(fault => invalid(at('group'), group, fault));
};

const validateAddresses = (addresses: readonly string[], known: ReadonlySet<string>): FieldError[] => {
  const path = at('addresses');
  if (addresses.length === 0) return [required(path, 'must specify at least one IP address')];
  const errors: FieldError[] = [];
  if (addresses.length > ADDRESSES_MAX) errors.push(tooMany(path, addresses.length, ADDRESSES_MAX));
  const seen = new Set<string>();
  for (const [index, ip] of addresses.entries()) {
    const place = indexPath(path, index);
    if (!known.has(ip)) errors.push(...validateIp(place, ip));
    const key = ipKey(ip);
    if (key === undefined) continue; // no address at all
    errors.push(...validateEndpointIp(place, ip));
    if (seen.has(key)) errors.push(duplicate(place, ip));
    seen.add(key);
  }
  return errors;
};

/** What others than the controller may write; it puts right what is not so. A malformed time is refused while it is decoded. */
export const validateRegistrationStatus = ({state}: EndpointRegistrationStatus): FieldError[] =>
  state === undefined || STATES.includes(state) ? [] : [notSupported('status.state', state, STATES)];
