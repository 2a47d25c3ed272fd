// SPDX-License-Identifier: Apache-2.0
/**
 * The endpoint set that an Endpoints object stands for: the union over all subsets of address × port (E-003, E-004),
 * each pair once, with its readiness. Only what is ready may get traffic (E-041).
 */
import {type AddressLike, DEFAULT_PROTOCOL, offersOf, type PortLike, type SubsetLike} from './endpoint-subset.ts';

/** One address at one port. Without a port: an address of a subset that has none. */
export type ExpandedEndpoint<A extends AddressLike = AddressLike> = {
  readonly ip: string;
  readonly port?: number;
  readonly portName?: string;
  readonly protocol?: string;
  readonly appProtocol?: string;
  readonly hostname?: string;
  readonly nodeName?: string;
  readonly targetRef?: NonNullable<A['targetRef']>;
  readonly ready: boolean;
};

export type ExpandFilter = {
  /** Only endpoints on this node (E-070). */
  readonly nodeName?: string | undefined;
  /** Only endpoints that are ready, or only those that are not. */
  readonly ready?: boolean | undefined;
};

/**
 * In order of port (name, number, protocol), then address (IP as text, uid), so the same set always gives the same
 * list. An address that is given twice for one port counts as not ready if it is so once; its other fields are those
 * of its first occurrence.
 */
export function expandSubsets<A extends AddressLike, P extends PortLike>(
  subsets: readonly SubsetLike<A, P>[] | undefined,
  filter: ExpandFilter = {},
): ExpandedEndpoint<A>[] {
  const {addresses, ports} = offersOf(subsets ?? []);
  const out: ExpandedEndpoint<A>[] = [];
  for (const offer of ports) {
    for (const [index, ready] of offer.ready) {
      const address = addresses[index] as A;
      if (filter.ready !== undefined && filter.ready !== ready) continue;
      if (filter.nodeName !== undefined && filter.nodeName !== address.nodeName) continue;
      out.push(endpointAt(address, offer.port, ready));
    }
  }
  return out;
}

function endpointAt<A extends AddressLike>(
  address: A,
  port: PortLike | undefined,
  ready: boolean,
): ExpandedEndpoint<A> {
  const {ip, hostname, nodeName, targetRef} = address;
  return {
    ip,
    ...(port !== undefined && {port: port.port, protocol: port.protocol || DEFAULT_PROTOCOL}),
    ...(port?.name && {portName: port.name}),
    ...(port?.appProtocol && {appProtocol: port.appProtocol}),
    ...(hostname && {hostname}),
    ...(nodeName && {nodeName}),
    ...(targetRef && {targetRef}),
    ready,
  };
}

/** The endpoints that run on a node (E-070). */
export function endpointsOnNode<A extends AddressLike, P extends PortLike>(
  subsets: readonly SubsetLike<A, P>[] | undefined,
  nodeName: string,
): ExpandedEndpoint<A>[] {
  return expandSubsets(subsets, {nodeName});
}
