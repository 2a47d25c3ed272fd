// SPDX-License-Identifier: Apache-2.0
/** A capture file of classic form with microseconds. Ref: pcap-savefile(5). */
import type {FlowFrame} from '@palisade/ids-wire';

const MAGIC = 0xa1b2c3d4;
const VERSION = [2, 4] as const;
const SNAP_BYTES = 262_144;

/** `frames`: in the order of their time. */
export const writePcap = (frames: readonly FlowFrame[], linkType: number): Buffer => {
  const header = Buffer.alloc(24);
  header.writeUInt32LE(MAGIC, 0);
  header.writeUInt16LE(VERSION[0], 4);
  header.writeUInt16LE(VERSION[1], 6);
  header.writeUInt32LE(SNAP_BYTES, 16);
  header.writeUInt32LE(linkType, 20);
  const parts: Uint8Array[] = [header];
  for (const {micros, bytes} of frames) {
    const record = Buffer.alloc(16);
    record.writeUInt32LE(Math.floor(micros / 1_000_000), 0);
    record.writeUInt32LE(micros % 1_000_000, 4);
    record.writeUInt32LE(bytes.length, 8);
    record.writeUInt32LE(bytes.length, 12);
    parts.push(record, bytes);
  }
  return Buffer.concat(parts);
};
