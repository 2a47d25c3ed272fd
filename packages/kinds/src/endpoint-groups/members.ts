// SPDX-License-Identifier: Apache-2.0
/**
 * Who is in a group, and what each member offers: from the spec of the group and the registrations it selects. Pure.
 *
 * - A member is one IP, however it is spelled. An inline member comes first, then registrations in order of their names; the
 *   first one that has the IP gives hostname, nodeName and targetRef.
 * - A member of several sources offers the ports of all of them. A port with the same name, number and protocol is one port,
 *   with the check of the first source; it drains only if all of them drain.
 * - A registration that is expired or being deleted is out altogether.
 */
import {ipKey} from '@palisade/kube-wire';
import type {CheckedPort, EndpointCheck} from '../checks/types.ts';
import type {EndpointRegistration} from '../endpoint-registrations/types.ts';
import {isPlainIpv4} from '../endpoints/plain-ipv4.ts';
import type {EndpointAddress, EndpointPort} from '../endpoints/types.ts';
import type {EndpointGroupSpec} from './types.ts';

/** A port of one member. */
export type Offer = {
  /** One for each name, number and protocol. */
  readonly key: string;
  readonly port: EndpointPort & {readonly port: number; readonly protocol: string};
  readonly check: EndpointCheck | undefined;
  readonly isDraining: boolean;
};

export type Member = {
  /** The IP in its canonical form. */
  readonly id: string;
  readonly address: EndpointAddress & {readonly ip: string};
  /** Of the first source; undefined: the spec of the group. */
  readonly registration: string | undefined;
  readonly isDraining: boolean;
  readonly offers: readonly Offer[];
  /** It is in the set without a port. Undefined: it is not. */
  readonly portless: {readonly isDraining: boolean} | undefined;
};

export const memberId = (ip: string): string => (isPlainIpv4(ip) ? ip : (ipKey(ip) ?? ip));

export const offerKey = ({name = '', port = 0, protocol = 'TCP'}: EndpointPort): string =>
  `${name}/${port}/${protocol}`;

type Source = {
  readonly address: EndpointAddress & {readonly ip: string};
  readonly registration: string | undefined;
  readonly isDraining: boolean;
  /** Empty: without a port. Undefined: nothing that the group has. */
  readonly ports: readonly CheckedPort[] | undefined;
};

export const membersOf = (
  {members = [], ports = []}: EndpointGroupSpec,
  registrations: readonly EndpointRegistration[],
): readonly Member[] => {
  const found = new Map<string, MemberDraft>();
  for (const member of members) {
    const {ip = ''} = member;
    add(found, {address: {...member, ip}, registration: undefined, isDraining: false, ports});
  }
  for (const registration of registrations) for (const source of sourcesOf(registration, ports)) add(found, source);
  return [...found.values()].map(({offers, ...member}) => ({...member, offers: [...offers.values()]}));
};

type MemberDraft = Omit<Member, 'offers' | 'isDraining' | 'portless'> & {
  readonly offers: Map<string, Offer>;
  isDraining: boolean;
  portless: {readonly isDraining: boolean} | undefined;
};

const add = (found: Map<string, MemberDraft>, {address, registration, isDraining, ports}: Source): void => {
  const id = memberId(address.ip);
  let member = found.get(id);
  if (member === undefined) {
    member = {id, address, registration, isDraining, offers: new Map(), portless: undefined};
    found.set(id, member);
  }
  member.isDraining &&= isDraining;
  if (ports?.length === 0) member.portless = {isDraining: isDraining && member.portless?.isDraining !== false};
  for (const {name = '', port = 0, protocol = 'TCP', appProtocol, check} of ports ?? []) {
    const key = offerKey({name, port, protocol});
    const known = member.offers.get(key);
    if (known !== undefined) {
      if (known.isDraining && !isDraining) member.offers.set(key, {...known, isDraining});
      continue;
    }
    const named = {...(name !== '' && {name}), port, protocol, ...(appProtocol !== undefined && {appProtocol})};
    member.offers.set(key, {key, port: named, check, isDraining});
  }
};

const sourcesOf = (
  {metadata, spec = {}, status}: EndpointRegistration,
  groupPorts: readonly CheckedPort[],
): readonly Source[] => {
  if (status?.state === 'Expired' || metadata.deletionTimestamp != null) return [];
  const {addresses = [], hostname, nodeName, draining = false} = spec;
  const ports = portsOf(spec.ports ?? [], groupPorts);
  return addresses.map(ip => ({
    address: {ip, ...(hostname !== undefined && {hostname}), ...(nodeName !== undefined && {nodeName})},
    registration: metadata.name,
    isDraining: draining,
    ports,
  }));
};

/** The number is the registration's, the check the group's if it has one. */
const portsOf = (own: readonly CheckedPort[], ofGroup: readonly CheckedPort[]): readonly CheckedPort[] | undefined => {
  if (own.length === 0) return ofGroup;
  if (ofGroup.length === 0) return own;
  const matching = ofGroup.flatMap((wanted): CheckedPort[] => {
    const offered = own.find(
      ({name = '', protocol = 'TCP'}) => name === (wanted.name ?? '') && protocol === (wanted.protocol ?? 'TCP'),
    );
    if (offered === undefined) return [];
    const {port = 0} = offered;
    const appProtocol = wanted.appProtocol ?? offered.appProtocol;
    const check = wanted.check ?? offered.check;
    return [{...wanted, port, ...(appProtocol !== undefined && {appProtocol}), ...(check !== undefined && {check})}];
  });
  return matching.length === 0 ? undefined : matching;
};
