// SPDX-License-Identifier: Apache-2.0
/**
 * Subsets in their canonical form, for whatever composes Endpoints itself; what a user wrote is never repacked (E-048).
 * Each port stands once, with all addresses that offer it; ports with the same addresses in the same state share a
 * subset (E-005, E-051). An address that is ready at one port and not at another is in two subsets (E-006).
 * I1: the expansion is the same before and after. I2: packing again changes nothing. I3: the order of the input does
 * not matter, as long as repeated addresses agree in their other fields.
 * Unlike the reference, a subset without ports is never merged into one with ports (E-047): that would lose endpoints.
 * Ref: kubernetes v1.36 pkg/api/v1/endpoints/util.go, RepackSubsets.
 */
import {type AddressLike, type Offer, offersOf, type PortLike, type SubsetLike} from './endpoint-subset.ts';

export type PackedSubset<A, P> = {
  readonly addresses?: readonly A[];
  readonly notReadyAddresses?: readonly A[];
  readonly ports?: readonly P[];
};

/** Lists that would be empty are absent. Cost: addresses × ports, plus sorting. */
export function packSubsets<A extends AddressLike, P extends PortLike>(
  subsets: readonly SubsetLike<A, P>[] | undefined,
): PackedSubset<A, P>[] {
  const {addresses, ports} = offersOf(subsets ?? []);
  const groups = new Map<string, {offer: Offer<P>; ports: P[]}>();
  for (const offer of ports) {
    if (offer.ready.size === 0) continue;
    const key = groupKey(offer);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, {offer, ports: offer.port === undefined ? [] : [offer.port]});
    else if (offer.port !== undefined) group.ports.push(offer.port);
  }
  return [...groups.values()].sort(compareGroups).map(group => subsetOf(addresses, group.offer, group.ports));
}

/** Equal for ports that the same addresses offer in the same state. */
function groupKey({port, ready}: Offer<unknown>): string {
  let key = port === undefined ? '' : ':';
  for (const [index, isReady] of ready) key += `${index}${isReady ? '+' : '-'}`;
  return key;
}

type Group<P> = {readonly offer: Offer<P>; readonly ports: readonly P[]};

/** By first addresses, as far as they differ; then as the ports come. */
function compareGroups<P>(a: Group<P>, b: Group<P>): number {
  const left = a.offer.ready.entries();
  const right = b.offer.ready.entries();
  for (;;) {
    const l = left.next();
    const r = right.next();
    if (l.done || r.done) return Number(r.done ?? false) - Number(l.done ?? false);
    if (l.value[0] !== r.value[0]) return l.value[0] - r.value[0];
    if (l.value[1] !== r.value[1]) return l.value[1] ? -1 : 1;
  }
}

function subsetOf<A, P>(addresses: readonly A[], offer: Offer<P>, ports: readonly P[]): PackedSubset<A, P> {
  const ready: A[] = [];
  const notReady: A[] = [];
  for (const [index, isReady] of offer.ready) (isReady ? ready : notReady).push(addresses[index] as A);
  return {
    ...(ready.length > 0 && {addresses: ready}),
    ...(notReady.length > 0 && {notReadyAddresses: notReady}),
    ...(ports.length > 0 && {ports}),
  };
}
