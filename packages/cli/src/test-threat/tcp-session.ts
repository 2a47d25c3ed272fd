// SPDX-License-Identifier: Apache-2.0
/** The Ethernet frames of a complete TCP connection over IPv4. Ref: RFC 791, RFC 9293. */
import {internetChecksum} from '@palisade/ids-wire/ip';

export type Ends = {
  readonly client: string;
  readonly server: string;
  readonly clientPort: number;
  readonly serverPort: number;
};
export type Say = {readonly from: 'client' | 'server'; readonly data: string};
type Side = Say['from'];

/** Locally administered. */
const MAC: Readonly<Record<Side, Buffer>> = {
  client: Buffer.from('020000000001', 'hex'),
  server: Buffer.from('020000000002', 'hex'),
};
const ETHERTYPE_IPV4 = Buffer.from('0800', 'hex');
const TCP = 6;
const FLAG = {fin: 1, syn: 2, psh: 8, ack: 16} as const;
const TTL = 64;
const WINDOW = 64_000;
const DONT_FRAGMENT = 0x4000;
const HEADER_BYTES = 20;
/** Fits every tunnel. */
const SEGMENT_BYTES = 1200;

const addressBytes = (ip: string): Buffer => Buffer.from(ip.split('.').map(Number));

const ipv4 = (from: Buffer, to: Buffer, payload: Buffer): Buffer => {
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt8(0x45, 0);
  header.writeUInt16BE(HEADER_BYTES + payload.length, 2);
  header.writeUInt16BE(DONT_FRAGMENT, 6);
  header.writeUInt8(TTL, 8);
  header.writeUInt8(TCP, 9);
  from.copy(header, 12);
  to.copy(header, 16);
  header.writeUInt16BE(internetChecksum(header), 10);
  return Buffer.concat([header, payload]);
};

type Segment = {
  readonly from: Side;
  readonly seq: number;
  readonly ack: number;
  readonly flags: number;
  readonly data: Buffer;
};

const frame = (ends: Ends, {from, seq, ack, flags, data}: Segment): Buffer => {
  const other = from === 'client' ? 'server' : 'client';
  const [source, target] = [addressBytes(ends[from]), addressBytes(ends[other])];
  const segment = Buffer.alloc(HEADER_BYTES + data.length);
  segment.writeUInt16BE(from === 'client' ? ends.clientPort : ends.serverPort, 0);
  segment.writeUInt16BE(from === 'client' ? ends.serverPort : ends.clientPort, 2);
  segment.writeUInt32BE(seq, 4);
  segment.writeUInt32BE(ack, 8);
  segment.writeUInt8(0x50, 12);
  segment.writeUInt8(flags, 13);
  segment.writeUInt16BE(WINDOW, 14);
  data.copy(segment, HEADER_BYTES);
  const lengths = Buffer.from([0, TCP, segment.length >> 8, segment.length & 0xff]);
  segment.writeUInt16BE(internetChecksum(source, target, lengths, segment), 16);
  return Buffer.concat([MAC[other], MAC[from], ETHERTYPE_IPV4, ipv4(source, target, segment)]);
};

/** Handshake, what is said (each part acknowledged), and an orderly end. `isn`: the first sequence number of both sides. */
export const tcpSession = (ends: Ends, says: readonly Say[], isn: number): readonly Buffer[] => {
  const next = {client: isn, server: isn};
  const frames: Buffer[] = [];
  const send = (from: Side, flags: number, data = Buffer.alloc(0)): void => {
    const other = from === 'client' ? 'server' : 'client';
    frames.push(frame(ends, {from, seq: next[from], ack: flags & FLAG.ack ? next[other] : 0, flags, data}));
    next[from] = (next[from] + data.length + (flags & (FLAG.syn | FLAG.fin) ? 1 : 0)) >>> 0;
  };
  send('client', FLAG.syn);
  send('server', FLAG.syn | FLAG.ack);
  send('client', FLAG.ack);
  for (const {from, data} of says) {
    const bytes = Buffer.from(data, 'latin1');
    for (let at = 0; at < bytes.length; at += SEGMENT_BYTES)
      send(from, FLAG.psh | FLAG.ack, bytes.subarray(at, at + SEGMENT_BYTES));
    send(from === 'client' ? 'server' : 'client', FLAG.ack);
  }
  send('client', FLAG.fin | FLAG.ack);
  send('server', FLAG.fin | FLAG.ack);
  send('client', FLAG.ack);
  return frames;
};
