// SPDX-License-Identifier: Apache-2.0
/**
 * Reads classic pcap. Layout, numbers in the writer's byte order: magic (4), version (2 + 2), zone (4), accuracy (4), snap length (4),
 * link type (4); then of each packet seconds (4), fraction (4), captured bytes (4), bytes on the wire (4), in modified files 8 bytes
 * more, and the captured bytes. Ref: draft-ietf-opsawg-pcap; libpcap 1.10, sf-pcap.c.
 */
import type {ByteSource} from './byte-source.ts';
import {
  type CapturedPacket,
  CaptureFileError,
  cutOff,
  damaged,
  type Numbers,
  PACKET_BYTES_MAX,
} from './capture-packet.ts';

/** Without the magic. */
const FILE_HEADER_BYTES = 20;
/** The link type's upper bits say how many bytes of checksum end each frame; Ethernet keeps them as a trailer. */
const LINK_TYPE_BITS = 0x03ffffff;
/** Before version 2.3 the two lengths of a packet came in the other order, and in 2.3 in either. */
const LENGTHS_SETTLED_MINOR = 4;

/** Behind the magic; `packetHeaderBytes` depends on it. Throws CaptureFileError, in the generator where a packet is cut off or damaged. */
export const openPcap = async (
  source: ByteSource,
  {u16, u32}: Numbers,
  packetHeaderBytes: number,
): Promise<AsyncGenerator<CapturedPacket>> => {
  const header = await source.take(FILE_HEADER_BYTES);
  if (header.length < FILE_HEADER_BYTES) throw cutOff(source.position, 'its header');
  const [major, minor] = [u16(header, 0), u16(header, 2)];
  if (major !== 2 || minor > LENGTHS_SETTLED_MINOR)
    throw new CaptureFileError(`pcap version ${major}.${minor}: versions 2.0 to 2.4 are read`);
  const linkType = u32(header, 16) & LINK_TYPE_BITS;
  const lengthsOf = (packet: Buffer): [captured: number, wire: number] => {
    const [first, second] = [u32(packet, 8), u32(packet, 12)];
    const swapped = minor < 3 || (minor === 3 && first > second);
    return swapped ? [second, first] : [first, second];
  };
  return packets();

  async function* packets(): AsyncGenerator<CapturedPacket> {
    for (;;) {
      const at = source.position;
      const packet = await source.take(packetHeaderBytes);
      if (packet.length === 0) return;
      if (packet.length < packetHeaderBytes) throw cutOff(at, 'the header of a packet');
      const [captured, wireBytes] = lengthsOf(packet);
      if (captured > PACKET_BYTES_MAX)
        throw damaged(at, `a packet of ${captured} bytes; at most ${PACKET_BYTES_MAX} are read`);
      const bytes = await source.take(captured);
      if (bytes.length < captured) throw cutOff(at, `a packet of ${captured} bytes`);
      yield {linkType, bytes, wireBytes};
    }
  }
};
