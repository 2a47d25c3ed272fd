// SPDX-License-Identifier: Apache-2.0
/**
 * Reads pcapng: blocks of type (4), total length (4), body, total length (4). A section header sets the byte order of what follows it
 * and ends the list of interfaces; packets are in enhanced (6), simple (3) and obsolete (2) packet blocks. Other blocks hold no
 * packets. Ref: draft-ietf-opsawg-pcapng; libpcap 1.10, sf-pcapng.c.
 */
import type {ByteSource} from './byte-source.ts';
import {
  BIG,
  type CaptureEntry,
  CaptureFileError,
  cutOff,
  damaged,
  LITTLE,
  type Numbers,
  PACKET_BYTES_MAX,
} from './capture-packet.ts';

export const SECTION_MAGIC = 0x0a0d0d0a;
const BYTE_ORDER_MAGIC = 0x1a2b3c4d;
const HEAD_BYTES = 8;
const TRAILER_BYTES = 4;

type Interface = {readonly linkType: number; readonly snapBytes: number};
type Section = Numbers & {readonly interfaces: Interface[]};
type Found = {
  readonly on: Interface | undefined;
  readonly id: number;
  readonly captured: number;
  readonly wireBytes: number;
};

const INTERFACE_BLOCK = {type: 1, fixedBytes: 8} as const;

type PacketBlock = {
  /** Of the body, in front of the packet. */
  readonly fixedBytes: number;
  readonly find: (fixed: Buffer, section: Section) => Found;
};

/** Of enhanced and obsolete packet blocks: interface (4, or 2 and 2 of drops), time (8), captured (4), on the wire (4). */
const withInterface = (fixed: Buffer, {u32, interfaces}: Section, id: number): Found => ({
  on: interfaces[id],
  id,
  captured: u32(fixed, 12),
  wireBytes: u32(fixed, 16),
});

const PACKET_BLOCKS: Readonly<Record<number, PacketBlock>> = {
  2: {fixedBytes: 20, find: (fixed, section) => withInterface(fixed, section, section.u16(fixed, 0))},
  3: {
    fixedBytes: 4,
    find: (fixed, {u32, interfaces: [on]}) => {
      const wireBytes = u32(fixed, 0);
      return {on, id: 0, captured: Math.min(wireBytes, on?.snapBytes || wireBytes), wireBytes}; // a snap length of 0 is none
    },
  },
  6: {fixedBytes: 20, find: (fixed, section) => withInterface(fixed, section, section.u32(fixed, 0))},
};

/** Behind the magic. Throws CaptureFileError, in the generator where a block is cut off or damaged. */
export const openPcapng = async (source: ByteSource): Promise<AsyncGenerator<CaptureEntry>> => {
  const first = await readSection(source, source.position - 4);
  return entries(source, first);
};

async function* entries(source: ByteSource, first: Section): AsyncGenerator<CaptureEntry> {
  let section = first;
  for (;;) {
    const at = source.position;
    const kind = await source.take(4);
    if (kind.length === 0) return;
    if (kind.length < 4) throw cutOff(at, 'the header of a block');
    if (kind.readUInt32BE(0) === SECTION_MAGIC) {
      section = await readSection(source, at);
      continue;
    }
    const length = await source.take(4);
    if (length.length < 4) throw cutOff(at, 'the header of a block');
    const entry = await readBlock(source, section, {at, type: section.u32(kind, 0), size: section.u32(length, 0)});
    if (entry !== undefined) yield entry;
  }
}

const readSection = async (source: ByteSource, at: number): Promise<Section> => {
  const head = await source.take(12);
  if (head.length < 12) throw cutOff(at, 'the header of a section');
  const numbers = [LITTLE, BIG].find(({u32}) => u32(head, 4) === BYTE_ORDER_MAGIC);
  if (numbers === undefined) throw damaged(at, 'a section of an unknown byte order');
  const major = numbers.u16(head, 8);
  if (major !== 1)
    throw new CaptureFileError(`pcapng version ${major}.${numbers.u16(head, 10)} at byte ${at}: version 1 is read`);
  const size = sizeOf({at, size: numbers.u32(head, 0)}, 28);
  await endBlock(source, numbers, {at, size, read: 16});
  return {...numbers, interfaces: []};
};

type Block = {readonly at: number; readonly type: number; readonly size: number};

/** Undefined: a block that holds no packet. */
const readBlock = async (source: ByteSource, section: Section, block: Block): Promise<CaptureEntry | undefined> => {
  const {at, type} = block;
  const packetBlock = PACKET_BLOCKS[type];
  const fixedBytes = type === INTERFACE_BLOCK.type ? INTERFACE_BLOCK.fixedBytes : (packetBlock?.fixedBytes ?? 0);
  const size = sizeOf(block, HEAD_BYTES + fixedBytes + TRAILER_BYTES);
  const fixed = await source.take(fixedBytes);
  if (fixed.length < fixedBytes) throw cutOff(at, `a block of ${size} bytes`);
  const read = HEAD_BYTES + fixedBytes;
  if (packetBlock !== undefined) return readPacket(source, section, packetBlock.find(fixed, section), {at, size, read});
  if (type === INTERFACE_BLOCK.type)
    section.interfaces.push({linkType: section.u16(fixed, 0), snapBytes: section.u32(fixed, 4)});
  await endBlock(source, section, {at, size, read});
  return undefined;
};

const readPacket = async (
  source: ByteSource,
  section: Section,
  {on, id, captured, wireBytes}: Found,
  block: BlockRest,
): Promise<CaptureEntry> => {
  const room = block.size - block.read - TRAILER_BYTES;
  const fault =
    on === undefined
      ? `of interface ${id}, which its section does not describe`
      : captured > room
        ? 'longer than the block that holds it'
        : captured > PACKET_BYTES_MAX
          ? `longer than ${PACKET_BYTES_MAX} bytes`
          : undefined;
  const bytes = await source.take(fault === undefined ? captured : 0);
  await endBlock(source, section, {...block, read: block.read + bytes.length});
  return on === undefined || fault !== undefined ? {fault: fault ?? ''} : {linkType: on.linkType, bytes, wireBytes};
};

const sizeOf = ({at, size}: Pick<Block, 'at' | 'size'>, least: number): number => {
  if (size < least || size % 4 !== 0) throw damaged(at, `a block cannot have ${size} bytes`);
  return size;
};

/** A block of `size` bytes at `at`, of which `read` are taken. */
type BlockRest = {readonly at: number; readonly size: number; readonly read: number};

const endBlock = async (source: ByteSource, {u32}: Numbers, {at, size, read}: BlockRest): Promise<void> => {
  const rest = await source.skip(size - TRAILER_BYTES - read);
  const trailer = await source.take(TRAILER_BYTES);
  if (!rest || trailer.length < TRAILER_BYTES) throw cutOff(at, `a block of ${size} bytes`);
  const again = u32(trailer, 0);
  if (again !== size) throw damaged(at, `a block has ${size} bytes by its header and ${again} by its end`);
};
