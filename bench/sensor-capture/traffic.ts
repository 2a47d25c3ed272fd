// SPDX-License-Identifier: Apache-2.0
/** The traffic of the comparison: many short flows of the usual protocols, as frames and as a VXLAN mirror sends them. */
import {closeSync, openSync, readFileSync, writeSync} from 'node:fs';
import {dnsLookup, httpExchange, type Traffic, tcpSession, toPcap, udpDatagram} from '@palisade/sensor/testing';

const OUTER_BYTES = 50;
const VXLAN_PORT = 4789;
const PCAP_HEADER_BYTES = 24;
const RECORD_HEADER_BYTES = 16;
const FRAMES_AT_ONCE = 5000;

/** The same numbers each time. */
const numbers = (): ((below: number) => number) => {
  let state = 7;
  return below => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
};

const flow = (index: number, next: (below: number) => number): Traffic => {
  const client = `10.${20 + (index >> 16)}.${(index >> 8) & 255}.${index & 255}`;
  const server = `10.200.${next(4)}.${1 + next(250)}`;
  const clientPort = 1024 + next(60_000);
  const ends = {client, server, clientPort};
  const kind = next(100);
  if (kind < 40)
    return httpExchange(ends, {uri: `/shop/item?id=${index}`, host: 'shop.example', answer: 'x'.repeat(next(7000))});
  if (kind < 65) return dnsLookup(ends, `host${next(5000)}.example.org`, '192.0.2.7');
  if (kind < 90) {
    const data = Buffer.alloc(200 + next(6000), index & 255);
    return tcpSession({...ends, serverPort: 8443}, [
      {from: 'client', data: data.subarray(0, 180)},
      {from: 'server', data},
    ]);
  }
  return Array.from({length: 4}, () =>
    udpDatagram({...ends, serverPort: 5004}, 'client', Buffer.alloc(200 + next(1000), index & 255)),
  );
};

const IP_TYPES: ReadonlySet<number> = new Set([0x0800, 0x86dd]);
/** IP frames of a capture file (pcap, little endian, Ethernet): those that every Suricata counts alike. */
export const framesOf = (path: string): Traffic => {
  const file = readFileSync(path);
  const frames: Traffic = [];
  for (let at = PCAP_HEADER_BYTES; at + RECORD_HEADER_BYTES <= file.length; ) {
    const length = file.readUInt32LE(at + 8);
    const frame = file.subarray(at + RECORD_HEADER_BYTES, at + RECORD_HEADER_BYTES + length);
    if (IP_TYPES.has(frame.readUInt16BE(12))) frames.push(frame);
    at += RECORD_HEADER_BYTES + length;
  }
  return frames;
};

/** At least `count` frames, first those in `also`. */
export const mix = (count: number, also: Traffic): Traffic => {
  const next = numbers();
  const frames = [...also];
  for (let index = 0; frames.length < count; index++) frames.push(...flow(index, next));
  return frames.slice(0, count);
};

export type Mirror = {
  readonly fromMac: string;
  readonly toMac: string;
  readonly fromIp: string;
  readonly toIp: string;
  readonly vni: number;
};

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(':', ''), 'hex');
const ip4 = (text: string): Buffer => Buffer.from(text.split('.').map(Number));

const ipChecksum = (header: Buffer): number => {
  let sum = 0;
  for (let at = 0; at < header.length; at += 2) sum += header.readUInt16BE(at);
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16);
  return ~sum & 0xffff;
};

/** The frame as it leaves the mirroring host. Ref: RFC 7348, section 5. */
const encapsulated = (frame: Buffer, index: number, {fromMac, toMac, fromIp, toIp, vni}: Mirror): Buffer => {
  const outer = Buffer.alloc(OUTER_BYTES);
  hex(toMac).copy(outer, 0);
  hex(fromMac).copy(outer, 6);
  outer.writeUInt16BE(0x0800, 12);
  const ip = outer.subarray(14, 34);
  ip.writeUInt8(0x45, 0);
  ip.writeUInt16BE(OUTER_BYTES - 14 + frame.length, 2);
  ip.writeUInt16BE(0x4000, 6);
  ip.writeUInt8(64, 8);
  ip.writeUInt8(17, 9);
  ip4(fromIp).copy(ip, 12);
  ip4(toIp).copy(ip, 16);
  ip.writeUInt16BE(ipChecksum(ip), 10);
  outer.writeUInt16BE(0xc000 | (index & 0x3fff), 34);
  outer.writeUInt16BE(VXLAN_PORT, 36);
  outer.writeUInt16BE(OUTER_BYTES - 34 + frame.length, 38); // no checksum: 0
  outer.writeUInt8(0x08, 42);
  outer.writeUInt32BE(vni * 256, 46);
  return Buffer.concat([outer, frame]);
};

/** A capture file of the frames; `mirror`: as it sends them. */
export const writeCapture = (path: string, frames: Traffic, mirror?: Mirror): void => {
  const file = openSync(path, 'w');
  try {
    for (let at = 0; at < frames.length; at += FRAMES_AT_ONCE) {
      const some = frames.slice(at, at + FRAMES_AT_ONCE);
      const sent = mirror === undefined ? some : some.map((frame, i) => encapsulated(frame, at + i, mirror));
      writeSync(file, toPcap(sent, 0).subarray(at === 0 ? 0 : PCAP_HEADER_BYTES));
    }
  } finally {
    closeSync(file);
  }
};

export const meanBytes = (frames: Traffic): number =>
  Math.round(frames.reduce((sum, frame) => sum + frame.length, 0) / frames.length);
