// SPDX-License-Identifier: Apache-2.0
/**
 * Builds network traffic for tests: Ethernet frames with IPv4 or IPv6 and TCP, UDP or ICMP, right in lengths, checksums and sequence numbers,
 * and capture files of them.
 */

import {parseIp} from '@palisade/ids-wire/ip';

/** Ethernet frames in the order they were sent. */
export type Traffic = Buffer[];
export type Ends = {
  readonly client: string;
  readonly server: string;
  readonly clientPort?: number;
  readonly serverPort: number;
};
export type Say = {readonly from: 'client' | 'server'; readonly data: string | Buffer};

const MAC_CLIENT = Buffer.from('020000000001', 'hex');
const MAC_SERVER = Buffer.from('020000000002', 'hex');
const PROTOCOL = {icmp: 1, tcp: 6, udp: 17} as const;
const FLAG = {fin: 1, syn: 2, rst: 4, psh: 8, ack: 16, urg: 32} as const;
const DEFAULT_CLIENT_PORT = 40_000;
/** TCP payload of one segment. */
const SEGMENT_BYTES = 1400;
const CLIENT_ISN = 1000;
const SERVER_ISN = 5000;

const ipBytes = (ip: string): Buffer => {
  const {bytes = new Uint8Array(), v4 = false} = parseIp(ip) ?? {};
  return Buffer.from(v4 ? bytes.subarray(12) : bytes);
};

const checksum = (...parts: readonly Buffer[]): number => {
  const data = Buffer.concat(parts);
  let sum = 0;
  for (let at = 0; at < data.length; at += 2)
    sum += at + 1 < data.length ? data.readUInt16BE(at) : data.readUInt8(at) << 8;
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16);
  return ~sum & 0xffff;
};

const ipv4Header = (from: string, to: string, protocol: number, payload: Buffer): Buffer => {
  const ip = Buffer.alloc(20);
  ip.writeUInt8(0x45, 0);
  ip.writeUInt16BE(20 + payload.length, 2);
  ip.writeUInt16BE(0x4000, 6);
  ip.writeUInt8(64, 8);
  ip.writeUInt8(protocol, 9);
  ipBytes(from).copy(ip, 12);
  ipBytes(to).copy(ip, 16);
  ip.writeUInt16BE(checksum(ip), 10);
  return ip;
};

const ipv6Header = (from: string, to: string, protocol: number, payload: Buffer): Buffer => {
  const ip = Buffer.alloc(8);
  ip.writeUInt8(0x60, 0);
  ip.writeUInt16BE(payload.length, 4);
  ip.writeUInt8(protocol, 6);
  ip.writeUInt8(64, 7);
  return Buffer.concat([ip, ipBytes(from), ipBytes(to)]);
};

/** IPv4 or IPv6 in Ethernet. `toServer` chooses the hardware addresses. */
export const ipFrame = (from: string, to: string, protocol: number, payload: Buffer, toServer = true): Buffer => {
  const [type, header] = from.includes(':') ? (['86dd', ipv6Header] as const) : (['0800', ipv4Header] as const);
  const [source, target] = toServer ? [MAC_CLIENT, MAC_SERVER] : [MAC_SERVER, MAC_CLIENT];
  return Buffer.concat([target, source, Buffer.from(type, 'hex'), header(from, to, protocol, payload), payload]);
};

const pseudoHeader = (from: string, to: string, protocol: number, length: number): Buffer => {
  const tail = Buffer.alloc(4); // of IPv6 4 bytes longer, and the sum is the same
  tail.writeUInt8(protocol, 1);
  tail.writeUInt16BE(length, 2);
  return Buffer.concat([ipBytes(from), ipBytes(to), tail]);
};

type Segment = {
  readonly ends: Ends;
  readonly from: 'client' | 'server';
  readonly seq: number;
  readonly ack: number;
  readonly flags: number;
  readonly window?: number;
  readonly data?: Buffer;
};

export const tcpSegment = ({ends, from, seq, ack, flags, window = 64_000, data = Buffer.alloc(0)}: Segment): Buffer => {
  const clientPort = ends.clientPort ?? DEFAULT_CLIENT_PORT;
  const [src, dst] = from === 'client' ? [ends.client, ends.server] : [ends.server, ends.client];
  const [srcPort, dstPort] = from === 'client' ? [clientPort, ends.serverPort] : [ends.serverPort, clientPort];
  const header = Buffer.alloc(20);
  header.writeUInt16BE(srcPort, 0);
  header.writeUInt16BE(dstPort, 2);
  header.writeUInt32BE(seq >>> 0, 4);
  header.writeUInt32BE(ack >>> 0, 8);
  header.writeUInt8(0x50, 12);
  header.writeUInt8(flags, 13);
  header.writeUInt16BE(window, 14);
  header.writeUInt16BE(checksum(pseudoHeader(src, dst, PROTOCOL.tcp, 20 + data.length), header, data), 16);
  return ipFrame(src, dst, PROTOCOL.tcp, Buffer.concat([header, data]), from === 'client');
};

/** A TCP connection: handshake, what is said (each part acknowledged), and an orderly end unless `open`. */
export const tcpSession = (ends: Ends, says: readonly Say[], options: {readonly open?: boolean} = {}): Traffic => {
  const next = {client: CLIENT_ISN, server: SERVER_ISN};
  const frames: Traffic = [];
  const send = (from: 'client' | 'server', flags: number, data?: Buffer): void => {
    const other = from === 'client' ? 'server' : 'client';
    const ack = flags & FLAG.ack ? next[other] : 0;
    frames.push(tcpSegment({ends, from, seq: next[from], ack, flags, ...(data === undefined ? {} : {data})}));
    next[from] += (data?.length ?? 0) + (flags & (FLAG.syn | FLAG.fin) ? 1 : 0);
  };
  send('client', FLAG.syn);
  send('server', FLAG.syn | FLAG.ack);
  send('client', FLAG.ack);
  for (const {from, data} of says) {
    const bytes = typeof data === 'string' ? Buffer.from(data, 'latin1') : data;
    for (let at = 0; at < bytes.length; at += SEGMENT_BYTES)
      send(from, FLAG.psh | FLAG.ack, bytes.subarray(at, at + SEGMENT_BYTES));
    send(from === 'client' ? 'server' : 'client', FLAG.ack);
  }
  if (options.open === true) return frames;
  send('client', FLAG.fin | FLAG.ack);
  send('server', FLAG.fin | FLAG.ack);
  send('client', FLAG.ack);
  return frames;
};

/** A SYN that nobody answers, or that is refused. */
export const tcpSyn = (ends: Ends, options: {readonly window?: number; readonly refused?: boolean} = {}): Traffic => {
  const window = options.window ?? 64_000;
  const syn = tcpSegment({ends, from: 'client', seq: CLIENT_ISN, ack: 0, flags: FLAG.syn, window});
  const refusal = tcpSegment({
    ends,
    from: 'server',
    seq: 0,
    ack: CLIENT_ISN + 1,
    flags: FLAG.rst | FLAG.ack,
    window: 0,
  });
  return options.refused === true ? [syn, refusal] : [syn];
};

/** One packet with just these flags, out of nowhere. */
export const tcpOddFlags = (ends: Ends, flags: readonly (keyof typeof FLAG)[]): Traffic => [
  tcpSegment({ends, from: 'client', seq: CLIENT_ISN, ack: 0, flags: flags.reduce((sum, flag) => sum | FLAG[flag], 0)}),
];

export const udpDatagram = (ends: Ends, from: 'client' | 'server', data: Buffer): Buffer => {
  const clientPort = ends.clientPort ?? DEFAULT_CLIENT_PORT;
  const [src, dst] = from === 'client' ? [ends.client, ends.server] : [ends.server, ends.client];
  const header = Buffer.alloc(8);
  header.writeUInt16BE(from === 'client' ? clientPort : ends.serverPort, 0);
  header.writeUInt16BE(from === 'client' ? ends.serverPort : clientPort, 2);
  header.writeUInt16BE(8 + data.length, 4);
  header.writeUInt16BE(checksum(pseudoHeader(src, dst, PROTOCOL.udp, 8 + data.length), header, data), 6);
  return ipFrame(src, dst, PROTOCOL.udp, Buffer.concat([header, data]), from === 'client');
};

export const icmpEcho = (client: string, server: string, sequence: number): Buffer => {
  const message = Buffer.alloc(16);
  message.writeUInt8(8, 0);
  message.writeUInt16BE(7, 4);
  message.writeUInt16BE(sequence, 6);
  message.writeUInt16BE(checksum(message), 2);
  return ipFrame(client, server, PROTOCOL.icmp, message);
};

/** A query and, with `answer` (an IPv4 address), its response. */
export const dnsLookup = (ends: Omit<Ends, 'serverPort'>, name: string, answer?: string): Traffic => {
  const both = {...ends, serverPort: 53};
  const labels = Buffer.concat([
    ...name.split('.').map(label => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)])),
    Buffer.from([0]),
  ]);
  const question = Buffer.concat([labels, Buffer.from('00010001', 'hex')]);
  const header = (flags: number, answers: number): Buffer => {
    const bytes = Buffer.alloc(12);
    bytes.writeUInt16BE(0x1234, 0);
    bytes.writeUInt16BE(flags, 2);
    bytes.writeUInt16BE(1, 4);
    bytes.writeUInt16BE(answers, 6);
    return bytes;
  };
  const query = udpDatagram(both, 'client', Buffer.concat([header(0x0100, 0), question]));
  if (answer === undefined) return [query];
  const record = Buffer.concat([Buffer.from('c00c00010001000000640004', 'hex'), ipBytes(answer)]);
  return [query, udpDatagram(both, 'server', Buffer.concat([header(0x8180, 1), question, record]))];
};

export type HttpRequest = {
  readonly method?: string;
  readonly uri?: string;
  readonly host?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Body of the answer. */
  readonly answer?: string;
};

/** One request and its answer. */
export const httpExchange = (
  ends: Omit<Ends, 'serverPort'> & {readonly serverPort?: number},
  request: HttpRequest,
): Traffic => {
  const {method = 'GET', uri = '/', host = 'shop.example', body = '', answer = 'ok\n'} = request;
  const headers = {
    'User-Agent': 'Mozilla/5.0',
    Accept: '*/*',
    ...request.headers,
    ...(body === '' ? {} : {'Content-Length': String(body.length)}),
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const ask = `${method} ${uri} HTTP/1.1\r\nHost: ${host}\r\n${lines.join('')}\r\n${body}`;
  const reply = `HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: ${answer.length}\r\n\r\n${answer}`;
  return tcpSession({...ends, serverPort: ends.serverPort ?? 80}, [
    {from: 'client', data: ask},
    {from: 'server', data: reply},
  ]);
};

/** A capture file (pcap, µs, Ethernet), frames `gapMs` apart. */
export const toPcap = (frames: Traffic, startMs: number, gapMs = 1): Buffer => {
  const header = Buffer.alloc(24);
  header.writeUInt32LE(0xa1b2c3d4, 0);
  header.writeUInt16LE(2, 4);
  header.writeUInt16LE(4, 6);
  header.writeUInt32LE(65_539, 16);
  header.writeUInt32LE(1, 20);
  const records = frames.flatMap((frame, index) => {
    const record = Buffer.alloc(16);
    const ms = startMs + index * gapMs;
    record.writeUInt32LE(Math.floor(ms / 1000), 0);
    record.writeUInt32LE(Math.floor((ms % 1000) * 1000), 4);
    record.writeUInt32LE(frame.length, 8);
    record.writeUInt32LE(frame.length, 12);
    return [record, frame];
  });
  return Buffer.concat([header, ...records]);
};
