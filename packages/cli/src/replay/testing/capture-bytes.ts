// SPDX-License-Identifier: Apache-2.0
/** Capture files for tests, in either byte order. */

export type ByteOrder = 'little' | 'big';

const u16 = (order: ByteOrder, value: number): Buffer => {
  const bytes = Buffer.alloc(2);
  if (order === 'little') bytes.writeUInt16LE(value);
  else bytes.writeUInt16BE(value);
  return bytes;
};
const u32 = (order: ByteOrder, value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  if (order === 'little') bytes.writeUInt32LE(value);
  else bytes.writeUInt32BE(value);
  return bytes;
};

type Pcap = {
  readonly order?: ByteOrder;
  readonly magic?: number;
  readonly minor?: number;
  readonly linkType?: number;
  /** Bytes of a packet's header behind its two lengths. */
  readonly moreHeaderBytes?: number;
  readonly wireBytes?: number;
};

/** A classic file of the packets. */
export const pcap = (packets: readonly Buffer[], options: Pcap = {}): Buffer => {
  const {order = 'little', magic = 0xa1b2c3d4, minor = 4, linkType = 1, moreHeaderBytes = 0, wireBytes} = options;
  const long = (value: number): Buffer => u32(order, value);
  return Buffer.concat([
    long(magic),
    u16(order, 2),
    u16(order, minor),
    ...[0, 0, 65_535, linkType].map(long),
    ...packets.flatMap(packet => [
      ...[7, 500_000, packet.length, wireBytes ?? packet.length].map(long),
      Buffer.alloc(moreHeaderBytes),
      packet,
    ]),
  ]);
};

/** Builds the blocks of pcapng in one byte order. */
export const blocks = (order: ByteOrder) => {
  const long = (value: number): Buffer => u32(order, value);
  const short = (value: number): Buffer => u16(order, value);
  const block = (type: number, ...body: readonly Buffer[]): Buffer => {
    const inside = Buffer.concat(body);
    const padded = Buffer.concat([inside, Buffer.alloc(-inside.length & 3)]);
    const size = long(padded.length + 12);
    return Buffer.concat([long(type), size, padded, size]);
  };
  return {
    block,
    section: () => block(0x0a0d0d0a, long(0x1a2b3c4d), short(1), short(0), Buffer.alloc(8, 0xff)),
    interface: (linkType = 1, snapBytes = 0) => block(1, short(linkType), short(0), long(snapBytes)),
    enhanced: (packet: Buffer, id = 0) =>
      block(6, long(id), long(0), long(0), long(packet.length), long(packet.length), packet),
    simple: (packet: Buffer, wireBytes = packet.length) => block(3, long(wireBytes), packet),
    obsolete: (packet: Buffer, id = 0) =>
      block(2, short(id), short(0), long(0), long(0), long(packet.length), long(packet.length), packet),
  };
};

/** An Ethernet frame of an empty UDP datagram. */
export const udpFrame = (last = 2): Buffer =>
  Buffer.concat([
    Buffer.from('0200000000010200000000020800', 'hex'),
    Buffer.from('4500001c00010000401100000a0101010a020200', 'hex').fill(last, 19),
    Buffer.from('1000200000080000', 'hex'),
  ]);
