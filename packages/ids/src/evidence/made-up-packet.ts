// SPDX-License-Identifier: Apache-2.0
/**
 * One packet around a payload, for readers of capture files: an alert of a session is raised at the acknowledgement of its data, so the alert's
 * own packet does not hold them. Its Ethernet addresses (02:70:61:6c:69:01 and :02, locally administered), which no mirrored host has, and
 * TCP sequence numbers of 0 show that it is made up.
 */
import {internetChecksum, parseIp} from '@palisade/ids-wire/ip';

export type MadeUp = {
  /** Lower case, as in records. */
  readonly protocol: string;
  readonly source: {readonly ip: string; readonly port: number};
  readonly destination: {readonly ip: string; readonly port: number};
  readonly payload: Uint8Array;
};

const MADE_UP_MACS = Buffer.from('0270616c6902' + '0270616c6901', 'hex');
const TCP = 6;
const UDP = 17;
/** PSH and ACK. */
const TCP_FLAGS = 0x18;
/** What a packet of IPv4 with the headers of TCP can carry. */
const PAYLOAD_BYTES_MAX = 65_535 - 40;

type Address = {readonly bytes: Buffer; readonly isV4: boolean};

const addressOf = (text: string): Address | undefined => {
  const ip = parseIp(text);
  return ip === undefined ? undefined : {bytes: Buffer.from(ip.v4 ? ip.bytes.subarray(12) : ip.bytes), isV4: ip.v4};
};

const transport = (protocol: number, ports: readonly [number, number], payloadBytes: number): Buffer => {
  const header = Buffer.alloc(protocol === TCP ? 20 : 8);
  header.writeUInt16BE(ports[0], 0);
  header.writeUInt16BE(ports[1], 2);
  if (protocol === UDP) header.writeUInt16BE(8 + payloadBytes, 4);
  else header.set([0x50, TCP_FLAGS, 0xff, 0xff], 12);
  return header;
};

const ipHeader = (from: Address, to: Address, protocol: number, payloadBytes: number): Buffer => {
  if (!from.isV4) {
    const header = Buffer.alloc(8);
    header.writeUInt8(0x60, 0);
    header.writeUInt16BE(payloadBytes, 4);
    header.set([protocol, 64], 6);
    return Buffer.concat([header, from.bytes, to.bytes]);
  }
  const header = Buffer.alloc(12);
  header.writeUInt8(0x45, 0);
  header.writeUInt16BE(20 + payloadBytes, 2);
  header.set([64, protocol], 8);
  const whole = Buffer.concat([header, from.bytes, to.bytes]);
  whole.writeUInt16BE(internetChecksum(whole), 10);
  return whole;
};

/** LINKTYPE_ETHERNET; and raw IP, as DLT_RAW on Linux, DLT_RAW on OpenBSD, LINKTYPE_RAW. Ref: pcap-linktype(7). */
const ETHERNET = 1;
const RAW_IP: ReadonlySet<number> = new Set([12, 14, 101]);
const TYPE_OF_VERSION: Readonly<Record<number, string>> = {4: '0800', 6: '86dd'};

/** A packet as an Ethernet frame: Suricata gives the IP packet alone where it takes a mirror's encapsulation off. Undefined: it is neither. */
export const asFrame = (packet: Buffer, linkType: number): Uint8Array | undefined => {
  if (linkType === ETHERNET) return packet;
  const type = RAW_IP.has(linkType) ? TYPE_OF_VERSION[(packet[0] ?? 0) >> 4] : undefined;
  return type === undefined ? undefined : Buffer.concat([MADE_UP_MACS, Buffer.from(type, 'hex'), packet]);
};

/** Undefined: it cannot be made, for the protocol has no ports or an address is not valid. */
export const madeUpPacket = ({protocol: name, source, destination, payload}: MadeUp): Uint8Array | undefined => {
  const protocol = {tcp: TCP, udp: UDP}[name];
  const from = addressOf(source.ip);
  const to = addressOf(destination.ip);
  if (protocol === undefined || from === undefined || to === undefined || from.isV4 !== to.isV4) return undefined;
  const data = payload.subarray(0, PAYLOAD_BYTES_MAX);
  const header = transport(protocol, [source.port, destination.port], data.length);
  const length = header.length + data.length;
  const pseudo = Buffer.alloc(4);
  pseudo.writeUInt8(protocol, 1);
  pseudo.writeUInt16BE(length, 2); // of IPv6 it is longer, and the sum is the same
  header.writeUInt16BE(internetChecksum(from.bytes, to.bytes, pseudo, header, data), protocol === TCP ? 16 : 6);
  const type = Buffer.from(from.isV4 ? '0800' : '86dd', 'hex');
  return Buffer.concat([MADE_UP_MACS, type, ipHeader(from, to, protocol, length), header, data]);
};
