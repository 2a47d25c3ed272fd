// SPDX-License-Identifier: Apache-2.0
/** Whose packet an Ethernet frame is: its two ends, under VLAN tags, and inside of what a mirror puts around it. */
import {formatIp} from '@palisade/ids-wire/ip';
import {ENCAPSULATIONS} from '../capture/encapsulation.ts';

const ETHERNET_BYTES = 14;
const VLAN_TAGS: ReadonlySet<number> = new Set([0x8100, 0x88a8, 0x9100]);
const VLAN_BYTES = 4;
const IPV4 = 0x0800;
const IPV6 = 0x86dd;
const UDP = 17;
const UDP_BYTES = 8;
/** Those with ports in their first four bytes: TCP, UDP, SCTP. */
const WITH_PORTS: ReadonlySet<number> = new Set([6, UDP, 132]);
/** Ref: RFC 8200 section 4: hop-by-hop options, routing, destination options; and fragments. */
const IPV6_OPTIONS: ReadonlySet<number> = new Set([0, 43, 60]);
const IPV6_FRAGMENT = 44;
const EXTENSIONS_MAX = 8;

export type PacketEnds = {
  readonly protocol: number;
  readonly source: string;
  readonly destination: string;
  /** Undefined: the protocol has none, or it is a later fragment. */
  readonly ports: readonly [source: number, destination: number] | undefined;
};

type Ip = {
  readonly protocol: number;
  readonly source: string;
  readonly destination: string;
  /** Where its payload begins; undefined: it is a later fragment. */
  readonly payload: number | undefined;
};

const mapped = (bytes: Buffer): string =>
  formatIp(Buffer.concat([Buffer.from('00000000000000000000ffff', 'hex'), bytes]));

const ipv4At = (frame: Buffer, at: number): Ip | undefined => {
  if (frame.length < at + 20) return undefined;
  const headerBytes = (frame.readUInt8(at) & 0x0f) * 4;
  const isLater = (frame.readUInt16BE(at + 6) & 0x1fff) !== 0;
  return {
    protocol: frame.readUInt8(at + 9),
    source: mapped(frame.subarray(at + 12, at + 16)),
    destination: mapped(frame.subarray(at + 16, at + 20)),
    payload: isLater ? undefined : at + headerBytes,
  };
};

const ipv6At = (frame: Buffer, at: number): Ip | undefined => {
  if (frame.length < at + 40) return undefined;
  const source = formatIp(frame.subarray(at + 8, at + 24));
  const destination = formatIp(frame.subarray(at + 24, at + 40));
  let protocol = frame.readUInt8(at + 6);
  let next = at + 40;
  for (let count = 0; count < EXTENSIONS_MAX && frame.length >= next + 8; count++) {
    const isFragment = protocol === IPV6_FRAGMENT;
    if (!isFragment && !IPV6_OPTIONS.has(protocol)) break;
    protocol = frame.readUInt8(next);
    if (isFragment && (frame.readUInt16BE(next + 2) & 0xfff8) !== 0)
      return {protocol, source, destination, payload: undefined};
    next += isFragment ? 8 : (frame.readUInt8(next + 1) + 1) * 8;
  }
  return {protocol, source, destination, payload: next};
};

const ipOf = (frame: Buffer): Ip | undefined => {
  if (frame.length < ETHERNET_BYTES) return undefined;
  let at = ETHERNET_BYTES - 2;
  while (frame.length >= at + VLAN_BYTES + 2 && VLAN_TAGS.has(frame.readUInt16BE(at))) at += VLAN_BYTES;
  const type = frame.readUInt16BE(at);
  return type === IPV4 ? ipv4At(frame, at + 2) : type === IPV6 ? ipv6At(frame, at + 2) : undefined;
};

const portsOf = (frame: Buffer, {protocol, payload}: Ip): PacketEnds['ports'] =>
  payload === undefined || !WITH_PORTS.has(protocol) || frame.length < payload + 4
    ? undefined
    : [frame.readUInt16BE(payload), frame.readUInt16BE(payload + 2)];

/** The mirrored frame inside; undefined: it carries none. */
const innerOf = (frame: Buffer, ip: Ip): Buffer | undefined => {
  if (ip.protocol !== UDP || ip.payload === undefined || frame.length < ip.payload + UDP_BYTES) return undefined;
  const port = frame.readUInt16BE(ip.payload + 2);
  const datagram = frame.subarray(ip.payload + UDP_BYTES);
  const inner = ENCAPSULATIONS.find(each => each.port === port)?.parse(datagram);
  if (inner === undefined) return undefined;
  const bytes = datagram.subarray(inner.start);
  return inner.madeUpHeader === undefined ? bytes : Buffer.concat([inner.madeUpHeader, bytes]);
};

/** The frame, and those inside it that a mirror carries, outermost first. */
export function* framesIn(frame: Buffer, levels = 3): Generator<readonly [frame: Buffer, ends: PacketEnds]> {
  const ip = ipOf(frame);
  if (ip === undefined) return;
  const {protocol, source, destination} = ip;
  yield [frame, {protocol, source, destination, ports: portsOf(frame, ip)}];
  const inner = levels > 1 ? innerOf(frame, ip) : undefined;
  if (inner !== undefined) yield* framesIn(inner, levels - 1);
}
