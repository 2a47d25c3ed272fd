// SPDX-License-Identifier: Apache-2.0
/**
 * Who is in a group, and what each member offers: from the spec of the group and the registrations it selects. Pure.
 *
 * - A member is one IP, however it is spelled. An inline member comes first, then registrations, the oldest first (then by name):
 *   the first one that has the IP gives hostname, nodeName and targetRef.
 * - A member of several sources offers the ports of all of them. A port with the same name, number and protocol is one port,
 *   with the check of the first source. It drains if of every user who offers it a registration drains, unless the inline member
 *   offers it: no user takes out what another offers, and the spec of the group overrides them all.
 * - A registration that is expired or being deleted is out altogether.
 * - The first `PAIRS_MAX` pairs of a member and a port are in, in this order, so that a registration that comes puts no other out.
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

/** Pairs of a member and a port in one group: more would hold up all others with each change. */
export const PAIRS_MAX = 50_000;

export type Membership = {
  readonly members: readonly Member[];
  /** Pairs of an address and a port that are in, and those that `PAIRS_MAX` leaves out, the latter as often as they are offered. */
  readonly pairs: number;
  readonly leftOut: number;
  /** How many may be in: `PAIRS_MAX`, or fewer where these would not fit into one object. */
  readonly pairsMax: number;
};

export const memberId = (ip: string): string => (isPlainIpv4(ip) ? ip : (ipKey(ip) ?? ip));

export const offerKey = ({name = '', port = 0, protocol = 'TCP'}: EndpointPort): string =>
  `${name}/${port}/${protocol}`;

/** Members may give another number to a port of the same name: it is one port of the group. */
export type GroupPort = `${string}/${string}`;
export const groupPort = ({name = '', protocol = 'TCP'}: EndpointPort): GroupPort => `${name}/${protocol}`;

/** `member`: its id; `offer`: its key. */
export const pairKey = (member: string, offer: string): string => `${member} ${offer}`;
/** Of a pair, whatever the name of its port. */
export const socketOf = (member: string, {port = 0, protocol = 'TCP'}: EndpointPort): string =>
  `${member} ${port}/${protocol}`;

type Source = {
  readonly address: EndpointAddress & {readonly ip: string};
  readonly registration: string | undefined;
  /** Of the registration, '' if nobody owns it; undefined: an inline member, which does not drain. */
  readonly user: string | undefined;
  readonly isDraining: boolean;
  /** Empty: without a port. Undefined: nothing that the group has. */
  readonly ports: readonly CheckedPort[] | undefined;
};

export const membersOf = (
  {members = [], ports = []}: EndpointGroupSpec,
  registrations: readonly EndpointRegistration[],
  pairsMax = PAIRS_MAX,
): Membership => {
  const draft: Draft = {found: new Map(), pairsMax, pairs: 0, leftOut: 0};
  for (const member of members) {
    const {ip = ''} = member;
    add(draft, {address: {...member, ip}, registration: undefined, user: undefined, isDraining: false, ports});
  }
  for (const registration of [...registrations].sort(byAge))
    for (const source of sourcesOf(registration, ports)) add(draft, source);
  const {found, pairs, leftOut} = draft;
  return {
    members: [...found.values()].map(memberOf),
    pairs,
    leftOut,
    pairsMax,
  };
};

/** Those of inline members, who stay in before all others. */
export const inlinePairs = ({members = [], ports = []}: EndpointGroupSpec): number =>
  members.length * Math.max(ports.length, 1);

/** One that drains at some of its ports is no ready member. */
const memberOf = ({offers: byKey, portless: isPortless, isDraining, ...member}: MemberDraft): Member => {
  const offers = [...byKey.values()].map(({drain, ...offer}): Offer => ({...offer, isDraining: drains(drain)}));
  const portless = isPortless && {isDraining: drains(isPortless)};
  const isNowhere = offers.length === 0 && portless === undefined;
  const drainsSomewhere = portless?.isDraining === true || offers.some(offer => offer.isDraining);
  return {...member, offers, portless, isDraining: isNowhere ? isDraining : drainsSomewhere};
};

/** Whether registrations drain at one port of an address: of the user whose is first, and of others. */
type Drain = {readonly user: string | undefined; isDraining: boolean; others: Map<string, boolean> | undefined};

const addDrain = (known: Drain, {user, isDraining}: Pick<Source, 'user' | 'isDraining'>): void => {
  if (known.user === undefined || user === undefined) return;
  if (user === known.user) known.isDraining ||= isDraining;
  else {
    known.others ??= new Map();
    known.others.set(user, isDraining || known.others.get(user) === true);
  }
};

const newDrain = ({user, isDraining}: Pick<Source, 'user' | 'isDraining'>): Drain => ({
  user,
  isDraining,
  others: undefined,
});

const drains = ({isDraining, others}: Drain): boolean =>
  isDraining && (others === undefined || [...others.values()].every(other => other));

/** The time is the server's (RFC 3339 of a fixed length), the name decides within a second. */
const byAge = ({metadata: a}: EndpointRegistration, {metadata: b}: EndpointRegistration): number =>
  byText(a.creationTimestamp ?? '', b.creationTimestamp ?? '') || byText(a.name ?? '', b.name ?? '');
const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

type MemberDraft = Omit<Member, 'offers' | 'isDraining' | 'portless'> & {
  readonly offers: Map<string, Omit<Offer, 'isDraining'> & {readonly drain: Drain}>;
  readonly isDraining: boolean;
  portless: Drain | undefined;
};

type Draft = {
  readonly found: Map<string, MemberDraft>;
  readonly pairsMax: number;
  pairs: number;
  leftOut: number;
};

const add = (draft: Draft, source: Source): void => {
  const {address, registration, isDraining, ports} = source;
  const id = memberId(address.ip);
  const known = draft.found.get(id);
  const isFull = draft.pairs >= draft.pairsMax;
  if (known === undefined && isFull) {
    draft.leftOut += pairsIn(ports);
    return;
  }
  const member = known ?? {id, address, registration, isDraining, offers: new Map(), portless: undefined};
  draft.found.set(id, member);
  if (ports?.length === 0) addPortless(draft, member, source);
  for (const port of ports ?? []) addPort(draft, member, port, source);
};

const pairsIn = (ports: readonly CheckedPort[] | undefined): number =>
  ports === undefined ? 0 : Math.max(ports.length, 1);

/** Whether one more pair is in. */
const hasRoom = (draft: Draft): boolean => {
  if (draft.pairs >= draft.pairsMax) {
    draft.leftOut++;
    return false;
  }
  draft.pairs++;
  return true;
};

const addPortless = (draft: Draft, member: MemberDraft, source: Source): void => {
  if (member.portless !== undefined) addDrain(member.portless, source);
  else if (hasRoom(draft)) member.portless = newDrain(source);
};

const addPort = (
  draft: Draft,
  {offers}: MemberDraft,
  {name = '', port = 0, protocol = 'TCP', appProtocol, check}: CheckedPort,
  source: Source,
): void => {
  const key = offerKey({name, port, protocol});
  const known = offers.get(key);
  if (known !== undefined) {
    addDrain(known.drain, source);
    return;
  }
  if (!hasRoom(draft)) return;
  const named = {...(name !== '' && {name}), port, protocol, ...(appProtocol !== undefined && {appProtocol})};
  offers.set(key, {key, port: named, check, drain: newDrain(source)});
};

const sourcesOf = (
  {metadata, spec = {}, status}: EndpointRegistration,
  groupPorts: readonly CheckedPort[],
): readonly Source[] => {
  if (status?.state === 'Expired' || metadata.deletionTimestamp != null) return [];
  const {addresses = [], hostname, nodeName, user = '', draining = false} = spec;
  const ports = portsOf(spec.ports ?? [], groupPorts);
  return addresses.map(ip => ({
    address: {ip, ...(hostname !== undefined && {hostname}), ...(nodeName !== undefined && {nodeName})},
    registration: metadata.name,
    user,
    isDraining: draining,
    ports,
  }));
};

/** The number is the registration's, the check the group's if it has one. */
const portsOf = (own: readonly CheckedPort[], ofGroup: readonly CheckedPort[]): readonly CheckedPort[] | undefined => {
  if (own.length === 0) return ofGroup;
  if (ofGroup.length === 0) return own;
  const byName = new Map([...own].reverse().map(port => [groupPort(port), port]));
  const matching = ofGroup.flatMap((wanted): CheckedPort[] => {
    const offered = byName.get(groupPort(wanted));
    if (offered === undefined) return [];
    const {port = 0} = offered;
    const appProtocol = wanted.appProtocol ?? offered.appProtocol;
    const check = wanted.check ?? offered.check;
    return [{...wanted, port, ...(appProtocol !== undefined && {appProtocol}), ...(check !== undefined && {check})}];
  });
  return matching.length === 0 ? undefined : matching;
};
