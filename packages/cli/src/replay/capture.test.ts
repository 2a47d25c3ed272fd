// SPDX-License-Identifier: Apache-2.0
import {createReadStream} from 'node:fs';
import {Readable} from 'node:stream';
import {describe, expect, test} from 'vitest';
import {ByteSource} from './byte-source.ts';
import {openCapture} from './capture.ts';
import {CaptureFrames} from './capture-frames.ts';
import {encapsulate, GENEVE, VXLAN} from './frame-sender.ts';
import {type ByteOrder, blocks, pcap, udpFrame} from './testing/capture-bytes.ts';

/** In pieces of three bytes, so that each number and each packet is spread over several. */
const inPieces = (file: Buffer): AsyncIterable<Buffer> =>
  Readable.from(Array.from({length: Math.ceil(file.length / 3)}, (_, i) => file.subarray(i * 3, i * 3 + 3)));

const readFrom = async (pieces: AsyncIterable<Uint8Array>) => {
  const capture = new CaptureFrames(await openCapture(new ByteSource(pieces)));
  const frames: Buffer[] = [];
  for await (const frame of capture) frames.push(frame);
  const {read, skipped, shortened, damage} = capture;
  return {frames, read, skipped, shortened, damage};
};
const read = (file: Buffer) => readFrom(inPieces(file));

const [A, B, C] = [udpFrame(2), udpFrame(3), udpFrame(4)];
const IPV4 = A.subarray(14);
const whole = (...frames: readonly Buffer[]) => ({
  frames,
  read: frames.length,
  skipped: [],
  shortened: 0,
  damage: undefined,
});
const file = (...parts: readonly Buffer[]): Buffer => Buffer.concat(parts);
const [little, big] = [blocks('little'), blocks('big')];

describe('classic pcap', () => {
  test.each([
    ['microseconds', {magic: 0xa1b2c3d4}],
    ['nanoseconds', {magic: 0xa1b23c4d}],
    ['F-15 modified, with longer headers of packets', {magic: 0xa1b2cd34, moreHeaderBytes: 8}],
    ['F-15 link type with the length of a checksum in its upper bits', {linkType: 0x54000001}],
  ])('%s, in both byte orders', async (_, options) => {
    for (const order of ['little', 'big'] satisfies ByteOrder[])
      expect(await read(pcap([A, B], {...options, order}))).toEqual(whole(A, B));
  });

  test('F-15 before version 2.3 the lengths of a packet come in the other order', async () => {
    const cut = A.subarray(0, 30);
    const swapped = pcap([cut], {minor: 2, wireBytes: A.length});
    swapped.writeUInt32LE(A.length, 32);
    swapped.writeUInt32LE(cut.length, 36);
    expect(await read(swapped)).toMatchObject({frames: [cut], shortened: 1});
  });

  test('F-15 of a file cut in its last packet the whole ones are read', async () => {
    const cut = pcap([A, B, C]);
    expect(await read(cut.subarray(0, -1))).toEqual({
      ...whole(A, B),
      damage: 'cut off in a packet of 42 bytes at byte 140',
    });
    expect(await read(cut.subarray(0, 150))).toEqual({
      ...whole(A, B),
      damage: 'cut off in the header of a packet at byte 140',
    });
  });

  test('F-15 of a file with a packet that is longer than any the ones before are read', async () => {
    const long = pcap([A, B]);
    long.writeUInt32LE(300_000, 24 + 16 + A.length + 8);
    expect(await read(long)).toEqual({
      ...whole(A),
      damage: 'damaged at byte 82: a packet of 300000 bytes; at most 262144 are read',
    });
  });

  test('F-15 frames of which only the start was captured are sent, and counted', async () => {
    expect(await read(pcap([A], {wireBytes: 1_500}))).toEqual({...whole(A), shortened: 1});
  });
});

describe('pcapng', () => {
  test.each([
    ['enhanced', 'enhanced'],
    ['F-15 simple', 'simple'],
    ['F-15 obsolete', 'obsolete'],
  ] as const)('%s packet blocks, in both byte orders', async (_, kind) => {
    for (const of of [little, big])
      expect(await read(file(of.section(), of.interface(), of[kind](A), of[kind](B)))).toEqual(whole(A, B));
  });

  test('F-15 each section has its own byte order and its own interfaces', async () => {
    const sections = file(
      ...[little.section(), little.interface(), little.enhanced(A)],
      ...[big.section(), big.interface(101), big.interface(1), big.enhanced(B, 1)],
      ...[little.section(), little.interface(), little.simple(C)],
    );
    expect(await read(sections)).toEqual(whole(A, B, C));
    expect((await read(file(little.section(), little.interface(), big.section(), big.enhanced(A)))).skipped).toEqual([
      {reason: 'of interface 0, which its section does not describe', frames: 1},
    ]);
  });

  test('F-15 a simple packet block has as many bytes as the snap length of the interface lets it', async () => {
    const short = A.subarray(0, 30);
    const capture = file(little.section(), little.interface(1, 30), little.simple(short, A.length));
    expect(await read(capture)).toEqual({...whole(short), shortened: 1});
  });

  test('F-15 the link type counts for each packet: an unused interface refuses nothing', async () => {
    const interfaces = file(little.section(), little.interface(9), little.interface(1), little.interface(9));
    expect(await read(file(interfaces, little.enhanced(A, 1)))).toEqual(whole(A));
    expect(await read(file(interfaces, little.enhanced(B, 0), little.enhanced(A, 1), little.obsolete(B, 2)))).toEqual({
      ...whole(A),
      read: 3,
      skipped: [{reason: 'link type 9 (PPP)', frames: 2}],
    });
  });

  test('blocks without packets are ignored: names, statistics, secrets, those of others', async () => {
    const others = [4, 5, 10, 0xbad, 0x40000bad, 0x7fff].map(type => little.block(type, Buffer.alloc(20)));
    expect(await read(file(little.section(), little.interface(), ...others, little.enhanced(A)))).toEqual(whole(A));
  });

  test('F-15 a packet longer than its block is skipped, the next one is read', async () => {
    const broken = little.enhanced(A);
    broken.writeUInt32LE(5_000, 20);
    expect(await read(file(little.section(), little.interface(), broken, little.enhanced(B)))).toEqual({
      ...whole(B),
      read: 2,
      skipped: [{reason: 'longer than the block that holds it', frames: 1}],
    });
  });

  test('F-15 what comes before a cut or a damaged block is read', async () => {
    const start = file(little.section(), little.interface(), little.enhanced(A));
    const next = little.enhanced(B);
    expect(await read(file(start, next.subarray(0, 40)))).toEqual({
      ...whole(A),
      damage: 'cut off in a block of 76 bytes at byte 124',
    });
    expect(await read(file(start, next.subarray(0, 6)))).toMatchObject({
      damage: 'cut off in the header of a block at byte 124',
    });
    next.writeUInt32LE(80, next.length - 4);
    expect(await read(file(start, next))).toEqual({
      ...whole(A),
      damage: 'damaged at byte 124: a block has 76 bytes by its header and 80 by its end',
    });
    next.writeUInt32LE(7, 4);
    expect(await read(file(start, next))).toMatchObject({damage: 'damaged at byte 124: a block cannot have 7 bytes'});
  });
});

describe('link layers', () => {
  const framed = async (linkType: number, ...parts: readonly (Buffer | readonly number[])[]) =>
    read(pcap([Buffer.concat(parts.map(part => Buffer.from(part)))], {linkType}));
  const madeUp = (type: number, payload: Buffer): Buffer =>
    Buffer.concat([Buffer.from([2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, type >> 8, type & 0xff]), payload]);
  const ipv6 = Buffer.concat([Buffer.from([0x60]), Buffer.alloc(39)]);
  const eight = Buffer.alloc(8);
  const sll = (device: number, protocol: number) => [
    0,
    0,
    device >> 8,
    device & 0xff,
    0,
    6,
    ...eight,
    protocol >> 8,
    protocol & 0xff,
  ];
  const sll2 = (device: number, protocol: number) => [
    protocol >> 8,
    protocol & 0xff,
    0,
    0,
    0,
    0,
    0,
    1,
    device >> 8,
    device & 0xff,
    0,
    6,
    ...eight,
  ];

  test.each([101, 12, 14, 228])('F-15 raw IP, link type %i', async linkType => {
    expect(await framed(linkType, IPV4)).toEqual(whole(madeUp(0x0800, IPV4)));
  });

  test.each([101, 229])('F-15 raw IPv6, link type %i', async linkType => {
    expect(await framed(linkType, ipv6)).toEqual(whole(madeUp(0x86dd, ipv6)));
  });

  test.each([
    ['BSD loopback, little endian', 0, [2, 0, 0, 0], IPV4, 0x0800],
    ['BSD loopback, big endian', 0, [0, 0, 0, 2], IPV4, 0x0800],
    ['BSD loopback, IPv6 of macOS', 0, [30, 0, 0, 0], ipv6, 0x86dd],
    ['OpenBSD loopback', 108, [0, 0, 0, 24], ipv6, 0x86dd],
    ['Linux cooked', 113, sll(1, 0x0800), IPV4, 0x0800],
    ['Linux cooked, a VLAN tag', 113, sll(1, 0x8100), IPV4, 0x8100],
    ['Linux cooked, a frame with its length', 113, sll(1, 4), eight, 8],
    ['Linux cooked, version 2', 276, sll2(1, 0x86dd), ipv6, 0x86dd],
  ] as const)('F-15 %s', async (_, linkType, header, payload, type) => {
    expect(await framed(linkType, header, payload)).toEqual(whole(madeUp(type, payload)));
  });

  test.each([
    ['link type 105 (IEEE 802.11)', 105, A],
    ['link type 147', 147, A],
    ['raw IP of neither version 4 nor 6', 101, A],
    ['loopback packet that is not IP', 0, Buffer.from([7, 0, 0, 0, 0x45])],
    ['shorter than a loopback header', 0, Buffer.from([2, 0])],
    ['Linux cooked packet without an EtherType', 113, Buffer.from([...sll(824, 0x0800), 1])],
    ['Linux cooked packet without an EtherType', 276, Buffer.from([...sll2(1, 0x000c), 1])],
    ['shorter than a Linux cooked header', 276, Buffer.from(sll2(1, 0x0800)).subarray(1)],
    ['shorter than an Ethernet header', 1, A.subarray(0, 13)],
    ['longer than 65499 bytes, the most that fits in one UDP packet of a mirror', 1, Buffer.alloc(65_500)],
  ])('F-15 skipped and counted: %s', async (reason, linkType, packet) => {
    const {frames, read: count, skipped} = await framed(linkType, packet);
    expect({frames, count, skipped}).toEqual({frames: [], count: 1, skipped: [{reason, frames: 1}]});
  });
});

test.each([
  ['the file is empty', ''],
  ['not a pcap or pcapng file', 'abc'],
  ['not a pcap or pcapng file', '\0'.repeat(30)],
  ['not a pcap or pcapng file; it is compressed: decompress it with gunzip first', '\x1f\x8b\x08\x00'],
  ['not a pcap or pcapng file; it is a capture of snoop: convert it with "editcap -F pcap"', 'snoop\0\0\0'],
  ['cut off in its header at byte 10', pcap([]).subarray(0, 10)],
  ['pcap version 2.9: versions 2.0 to 2.4 are read', pcap([], {minor: 9})],
  [
    'damaged at byte 0: a section of an unknown byte order',
    Buffer.concat([little.section().subarray(0, 8), Buffer.alloc(16)]),
  ],
])('F-15 refused: %s', async (message, content) => {
  await expect(read(Buffer.from(content as string, 'latin1'))).rejects.toThrow(
    new RegExp(`^${message.replaceAll('.', '\\.')}$`),
  );
});

test('the capture of the example holds whole Ethernet frames of the shop', async () => {
  const example = new URL('../../../../examples/shop/traffic/attack.pcap', import.meta.url);
  const {frames, read: count, skipped, damage} = await readFrom(createReadStream(example));
  expect(frames.length).toBeGreaterThan(100);
  expect({count, skipped, damage}).toEqual({count: frames.length, skipped: [], damage: undefined});
});

test('encapsulate writes the VXLAN header of RFC 7348', () => {
  expect([...encapsulate(VXLAN, 0x123456, Buffer.from([0xff]))]).toEqual([8, 0, 0, 0, 0x12, 0x34, 0x56, 0, 0xff]);
  expect([...encapsulate(VXLAN, 0xffffff, Buffer.alloc(0))]).toEqual([8, 0, 0, 0, 0xff, 0xff, 0xff, 0]);
});

test('43-1 encapsulate writes the GENEVE header of RFC 8926: version 0, no options, an Ethernet frame', () => {
  expect([...encapsulate(GENEVE, 0x123456, Buffer.from([0xff]))]).toEqual([
    0, 0, 0x65, 0x58, 0x12, 0x34, 0x56, 0, 0xff,
  ]);
});
