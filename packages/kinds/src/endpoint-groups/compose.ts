// SPDX-License-Identifier: Apache-2.0
/**
 * The set that a group stands for: members and the states of their ports to subsets. Pure.
 *
 * I1 no address is ready and not ready in one subset (E-044); an address whose ports differ is in several (E-006).
 * I2 the order of members does not matter; the same set always gives the same subsets (E-051).
 * I3 what comes out is a valid Endpoints object: of several ports in one subset none is without a name (E-084).
 */
import {type PackedSubset, packSubsets} from '@palisade/kube-wire';
import {isPassing, type PortState} from '../checks/state.ts';
import type {EndpointAddress, EndpointPort} from '../endpoints/types.ts';
import {type GroupPort, groupPort, type Member, type Offer} from './members.ts';

type Address = EndpointAddress & {readonly ip: string};
type Port = EndpointPort & {readonly port: number};
export type Subset = PackedSubset<Address, Port>;

/** A port at which too few members pass, so that none is taken out. */
export type PortPanic = {readonly port: GroupPort; readonly passing: number; readonly checked: number};

export type Composition = {
  readonly subsets: readonly Subset[];
  readonly panics: readonly PortPanic[];
  /** By checks, whatever a panic keeps in. */
  readonly ready: number;
  readonly total: number;
};

/** Of no members. */
export const NOTHING_COMPOSED: Composition = {subsets: [], panics: [], ready: 0, total: 0};

export type StateOf = (member: Member, offer: Offer) => PortState;

export const compose = (members: readonly Member[], stateOf: StateOf, panicThresholdPercent: number): Composition => {
  const panics = panicsOf(members, stateOf, panicThresholdPercent);
  const panicking = new Set(panics.map(({port}) => port));
  const byPort = new Map<string, {addresses: Address[]; notReadyAddresses: Address[]; ports: Port[]}>();
  let ready = 0;
  for (const member of members) {
    let isReady = !member.isDraining && (member.offers.length > 0 || member.portless !== undefined);
    const put = (key: string, ports: Port[], isIn: boolean): void => {
      let subset = byPort.get(key);
      if (subset === undefined) {
        subset = {addresses: [], notReadyAddresses: [], ports};
        byPort.set(key, subset);
      }
      (isIn ? subset.addresses : subset.notReadyAddresses).push(member.address);
    };
    if (member.portless !== undefined) put('', [], !member.portless.isDraining);
    for (const offer of member.offers) {
      const state = stateOf(member, offer);
      const passes = !offer.isDraining && isPassing(state);
      isReady &&= passes;
      const isKept = !offer.isDraining && state === 'NotReady' && panicking.has(groupPort(offer.port));
      put(`${offer.key}/${offer.port.appProtocol ?? ''}`, [offer.port], passes || isKept);
    }
    if (isReady) ready++;
  }
  const subsets = packSubsets([...byPort.values()]).flatMap(splitUnnamed);
  return {subsets, panics, ready, total: members.length};
};

/** Members that drain do not count: they are out because they asked for it. */
const panicsOf = (members: readonly Member[], stateOf: StateOf, thresholdPercent: number): PortPanic[] => {
  if (thresholdPercent <= 0) return [];
  const counts = new Map<GroupPort, {passing: number; checked: number}>();
  for (const member of members) {
    for (const offer of member.offers) {
      const state = offer.isDraining ? 'Unchecked' : stateOf(member, offer);
      if (state !== 'Ready' && state !== 'NotReady') continue;
      const name = groupPort(offer.port);
      const count = counts.get(name) ?? {passing: 0, checked: 0};
      counts.set(name, count);
      count.checked++;
      if (state === 'Ready') count.passing++;
    }
  }
  return [...counts]
    .filter(([, {passing, checked}]) => passing < checked && passing * 100 < thresholdPercent * checked)
    .map(([port, count]) => ({port, ...count}))
    .sort((a, b) => (a.port < b.port ? -1 : 1));
};

/** An address that is registered twice can offer several ports without a name: each gets a subset of its own (E-084). */
const splitUnnamed = (subset: Subset): readonly Subset[] => {
  const {ports = []} = subset;
  if (ports.length < 2 || ports.every(({name = ''}) => name !== '')) return [subset];
  const named = ports.filter(({name = ''}) => name !== '');
  const unnamed = ports.filter(({name = ''}) => name === '').map(port => ({...subset, ports: [port]}));
  return named.length === 0 ? unnamed : [{...subset, ports: named}, ...unnamed];
};
