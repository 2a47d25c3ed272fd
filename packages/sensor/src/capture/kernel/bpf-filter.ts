// SPDX-License-Identifier: Apache-2.0
/** The packets of an endpoint on an interface, in the language of pcap-filter(7). */
import {GENEVE_PORT} from '../geneve.ts';
import {VXLAN_PORT} from '../vxlan.ts';

/** In the UDP datagram: 8 bytes of its own header, then those of the encapsulation. The VNI has the same place in both. */
const VXLAN_FLAGS_AT = 8;
const VNI_AT = 12;
const VXLAN_LAST_AT = 15;
const FLAG_VNI_VALID = 8;

/**
 * VXLAN with a reserved last byte that is not 0: Suricata 7 takes it for no VXLAN, so it is left to the count of malformed packets.
 * Fragments behind the first have no ports: all of this address are taken, and Suricata puts them together. `mirrorFrom`: words of
 * `parseMirrorFrom`.
 */
export const bpfFilter = (ip: string, vni: number | undefined, mirrorFrom: readonly string[]): string => {
  const ofVni = vni === undefined ? '' : ` and udp[${VNI_AT}:4] & 0xffffff00 = ${vni * 256}`;
  const kinds = [
    `(udp dst port ${VXLAN_PORT} and udp[${VXLAN_FLAGS_AT}] & ${FLAG_VNI_VALID} != 0 and udp[${VXLAN_LAST_AT}] = 0${ofVni})`,
    `(udp dst port ${GENEVE_PORT}${ofVni})`,
    '(ip[6:2] & 0x1fff != 0)',
  ];
  const senders = mirrorFrom.filter(word => word.includes('.')).map(word => `src net ${word}`);
  const ofSender = mirrorFrom.length === 0 ? '' : ` and (${senders.join(' or ')})`;
  return `ip and udp and dst host ${ip}${ofSender} and (${kinds.join(' or ')})`;
};
