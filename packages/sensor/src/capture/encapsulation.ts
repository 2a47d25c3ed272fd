// SPDX-License-Identifier: Apache-2.0
/** What mirrors send, by UDP port: how a mirrored packet is found in a datagram. */
import {GENEVE_PORT, parseGeneve} from './geneve.ts';
import {isVxlan, VXLAN_HEADER_BYTES, VXLAN_PORT, vniOf} from './vxlan.ts';

/** A mirrored packet in a datagram. */
export type Inner = {
  readonly vni: number;
  /** Where its bytes begin. */
  readonly start: number;
  /** Bytes that make a frame of it, in front of them. */
  readonly madeUpHeader: Buffer | undefined;
};

export type Encapsulation = {
  readonly name: 'VXLAN' | 'GENEVE';
  readonly port: number;
  /** Undefined: malformed. */
  readonly parse: (datagram: Uint8Array) => Inner | undefined;
};

export const ENCAPSULATIONS: readonly Encapsulation[] = [
  {
    name: 'VXLAN',
    port: VXLAN_PORT,
    parse: datagram =>
      isVxlan(datagram) ? {vni: vniOf(datagram), start: VXLAN_HEADER_BYTES, madeUpHeader: undefined} : undefined,
  },
  {name: 'GENEVE', port: GENEVE_PORT, parse: parseGeneve},
];
