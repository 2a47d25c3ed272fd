// SPDX-License-Identifier: Apache-2.0
/** A capture file as Suricata writes it. Ref: pcap-savefile(5). */

const HEADER_BYTES = 24;
const RECORD_BYTES = 16;
const MAGIC_MICROS = 0xa1b2c3d4;
const ETHERNET = 1;
/** Ref: Suricata 7 log-pcap.c, PCAP_SNAPLEN. */
const FRAME_BYTES_MAX = 262_144;

export type PcapRecord = {readonly micros: number; readonly frame: Buffer};

/**
 * Its packets in the order of the file. It ends at a record that is not whole: Suricata is still writing it, or was killed, or the disk was
 * full. Nothing for a file that is no capture of Ethernet.
 */
export function* pcapRecords(file: Buffer): Generator<PcapRecord> {
  if (file.length < HEADER_BYTES || file.readUInt32LE(0) !== MAGIC_MICROS || file.readUInt32LE(20) !== ETHERNET) return;
  for (let at = HEADER_BYTES; at + RECORD_BYTES <= file.length; ) {
    const bytes = file.readUInt32LE(at + 8);
    const from = at + RECORD_BYTES;
    if (bytes > FRAME_BYTES_MAX || from + bytes > file.length) return;
    yield {
      micros: file.readUInt32LE(at) * 1_000_000 + file.readUInt32LE(at + 4),
      frame: file.subarray(from, from + bytes),
    };
    at = from + bytes;
  }
}
