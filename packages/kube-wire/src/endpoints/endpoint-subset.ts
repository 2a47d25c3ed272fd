// SPDX-License-Identifier: Apache-2.0
/** Endpoints subsets as pack and expand read them: structural, so any richer type fits. */
import {compareUtf8} from '../go/order.ts';

/** `targetRef` and whatever else stands beside an address is kept as it is. */
export type AddressLike = {
  readonly ip: string;
  readonly hostname?: string | undefined;
  readonly nodeName?: string | undefined;
  readonly targetRef?: {readonly uid?: string | undefined} | undefined;
};

export type PortLike = {
  readonly port: number;
  readonly name?: string | undefined;
  readonly protocol?: string | undefined;
  readonly appProtocol?: string | undefined;
};

export type SubsetLike<A extends AddressLike = AddressLike, P extends PortLike = PortLike> = {
  readonly addresses?: readonly A[] | undefined;
  readonly notReadyAddresses?: readonly A[] | undefined;
  readonly ports?: readonly P[] | undefined;
};

/** What a port without a protocol speaks. */
export const DEFAULT_PROTOCOL = 'TCP';

/** Two addresses are one if IP and `targetRef.uid` are equal: pods may share a node's IP (E-049, E-050). */
function addressKey(address: AddressLike): string {
  return `${address.ip}\0${address.targetRef?.uid ?? ''}`;
}

/** Two ports are one if all four parts are equal. */
export function portKey(port: PortLike): string {
  return `${port.name ?? ''}\0${port.port}\0${port.protocol || DEFAULT_PROTOCOL}\0${port.appProtocol ?? ''}`;
}

/** By IP as text, then uid. */
function compareAddresses(a: AddressLike, b: AddressLike): number {
  return compareUtf8(a.ip, b.ip) || compareUtf8(a.targetRef?.uid ?? '', b.targetRef?.uid ?? '');
}

/** By name, number, protocol, application protocol. */
function comparePorts(a: PortLike, b: PortLike): number {
  return (
    compareUtf8(a.name ?? '', b.name ?? '') ||
    a.port - b.port ||
    compareUtf8(a.protocol || DEFAULT_PROTOCOL, b.protocol || DEFAULT_PROTOCOL) ||
    compareUtf8(a.appProtocol ?? '', b.appProtocol ?? '')
  );
}

/**
 * Everything that the subsets say, without repeats: each address once, in order, with the fields of its first
 * occurrence; and for each port which addresses offer it and whether they are ready there. Not ready beats ready.
 */
export type Offers<A, P> = {
  /** In order of address. */
  readonly addresses: readonly A[];
  /** In order of port; the entry without a port, for subsets without ports, comes first. */
  readonly ports: readonly Offer<P>[];
};
export type Offer<P> = {
  readonly port: P | undefined;
  /** Readiness by index into `addresses`, indexes ascending. */
  readonly ready: ReadonlyMap<number, boolean>;
};

export function offersOf<A extends AddressLike, P extends PortLike>(
  subsets: readonly SubsetLike<A, P>[],
): Offers<A, P> {
  const found: A[] = [];
  const indexOf = new Map<string, number>();
  const indexes = (addresses: readonly A[] = []) =>
    addresses.map(address => {
      const key = addressKey(address);
      let index = indexOf.get(key);
      if (index === undefined) {
        index = found.push(address) - 1;
        indexOf.set(key, index);
      }
      return index;
    });
  const portless = new Map<number, boolean>();
  const ports = new Map<string, {port: P; ready: Map<number, boolean>}>();
  for (const subset of subsets) {
    const ready = indexes(subset.addresses);
    const notReady = indexes(subset.notReadyAddresses);
    const isPortless = (subset.ports ?? []).length === 0;
    if (isPortless) note(portless, ready, notReady);
    for (const port of subset.ports ?? []) {
      const key = portKey(port);
      let offer = ports.get(key);
      if (offer === undefined) {
        offer = {port, ready: new Map()};
        ports.set(key, offer);
      }
      note(offer.ready, ready, notReady);
    }
  }
  return inOrder(found, portless, [...ports.values()]);
}

function note(state: Map<number, boolean>, ready: readonly number[], notReady: readonly number[]): void {
  for (const index of ready) if (!state.has(index)) state.set(index, true);
  for (const index of notReady) state.set(index, false);
}

function inOrder<A extends AddressLike, P extends PortLike>(
  found: readonly A[],
  portless: ReadonlyMap<number, boolean>,
  offers: readonly {port: P; ready: ReadonlyMap<number, boolean>}[],
): Offers<A, P> {
  const order = found.map((_, i) => i).sort((a, b) => compareAddresses(found[a] as A, found[b] as A));
  const rank = new Uint32Array(found.length);
  order.forEach((index, position) => {
    rank[index] = position;
  });
  const ranked = (state: ReadonlyMap<number, boolean>) => {
    const positions = Uint32Array.from(state.keys(), index => rank[index] ?? 0).sort();
    return new Map(Array.from(positions, position => [position, state.get(order[position] ?? 0) ?? false] as const));
  };
  const ports: Offer<P>[] = [...offers]
    .sort((a, b) => comparePorts(a.port, b.port))
    .map(({port, ready}) => ({port, ready: ranked(ready)}));
  if (portless.size > 0) ports.unshift({port: undefined, ready: ranked(portless)});
  return {addresses: order.map(index => found[index] as A), ports};
}
