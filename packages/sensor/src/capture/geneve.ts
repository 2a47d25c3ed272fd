// SPDX-License-Identifier: Apache-2.0
/**
 * GENEVE, RFC 8926: 8 bytes (version and option length, flags, protocol type, VNI, reserved), options, then what was mirrored: an
 * Ethernet frame, or an IP packet without one, as gateway load balancers of AWS send it. The packet then gets an Ethernet header of ours.
 *
 * Options are skipped, also unknown ones that are marked critical, for which the RFC says to drop the packet: they are metadata of the
 * mirror (AWS sends the interface and the attachment), and a packet that is dropped is one that nobody inspects.
 */

/** Ref: RFC 8926 section 3.3. */
export const GENEVE_PORT = 6081;
export const GENEVE_HEADER_BYTES = 8;
const VERSION_SHIFT = 6;
const OPTION_WORDS = 0x3f;
const OPTION_WORD_BYTES = 4;
/** The O flag: a message between the tunnel's ends, no packet of anybody. Ref: RFC 8926 section 3.4. */
const FLAG_CONTROL = 0x80;
const ETHERNET = 0x6558;
const ETHERNET_HEADER_BYTES = 14;

type Payload = {
  readonly bytesMin: number;
  /** Of an IP packet, in its first byte. */
  readonly version?: number;
  readonly madeUpHeader?: Buffer;
};

/** Locally administered addresses that no mirrored host has. */
const ethernetHeader = (etherType: number): Buffer => {
  const header = Buffer.from('0200000000020200000000010000', 'hex');
  header.writeUInt16BE(etherType, 12);
  return header;
};

const PAYLOADS: ReadonlyMap<number, Payload> = new Map<number, Payload>([
  [ETHERNET, {bytesMin: ETHERNET_HEADER_BYTES}],
  [0x0800, {bytesMin: 20, version: 4, madeUpHeader: ethernetHeader(0x0800)}],
  [0x86dd, {bytesMin: 40, version: 6, madeUpHeader: ethernetHeader(0x86dd)}],
]);

/** `start`: of the mirrored bytes; `madeUpHeader` goes in front of them. Undefined: malformed. */
export const parseGeneve = (
  datagram: Uint8Array,
): {readonly vni: number; readonly start: number; readonly madeUpHeader: Buffer | undefined} | undefined => {
  const [first = 0xff, flags = FLAG_CONTROL, typeHigh = 0, typeLow = 0, vniHigh = 0, vniMiddle = 0, vniLow = 0] =
    datagram;
  if (first >> VERSION_SHIFT !== 0 || (flags & FLAG_CONTROL) !== 0) return undefined;
  const start = GENEVE_HEADER_BYTES + (first & OPTION_WORDS) * OPTION_WORD_BYTES;
  const payload = PAYLOADS.get((typeHigh << 8) | typeLow);
  if (payload === undefined || datagram.length < start + payload.bytesMin) return undefined;
  const {version, madeUpHeader} = payload;
  if (version !== undefined && (datagram[start] ?? 0) >> 4 !== version) return undefined;
  return {vni: (vniHigh << 16) | (vniMiddle << 8) | vniLow, start, madeUpHeader};
};
