// SPDX-License-Identifier: Apache-2.0
/**
 * The end of a backup file: a skippable frame of zstd with the SHA-256 of all bytes before it. Programs for zstd ignore it. It shows
 * a cut at any place: Node's decompressor does not notice when the last bytes of a frame are missing. Ref: RFC 8878 section 3.1.2.
 */
import {open} from 'node:fs/promises';
import {ArchiveError} from './archive-error.ts';

/** Of a skippable frame; the last hexadecimal digit is free, and says that it is ours. */
const MAGIC = 0x184d2a5b;
const SUM_BYTES = 32;
export const TRAILER_BYTES = 8 + SUM_BYTES;

export const trailerOf = (sum: Buffer): Buffer => {
  const head = Buffer.alloc(8);
  head.writeUInt32LE(MAGIC, 0);
  head.writeUInt32LE(SUM_BYTES, 4);
  return Buffer.concat([head, sum]);
};

/** The checksum in the last bytes of a file; undefined: they are no trailer. */
export const sumIn = (end: Buffer): Buffer | undefined => {
  const isOurs = end.length === TRAILER_BYTES && end.readUInt32LE(0) === MAGIC && end.readUInt32LE(4) === SUM_BYTES;
  return isOurs ? end.subarray(8) : undefined;
};

/** Of a file of so many bytes without a trailer. */
export const noEnd = (bytes: number): ArchiveError =>
  new ArchiveError(`cut off after ${bytes} bytes, or not a backup: the checksum at the end of the file is missing`);

/** `bytes`: all of the file. Throws ArchiveError for a file that does not end with a trailer. */
export const readTrailer = async (file: string): Promise<{readonly bytes: number}> => {
  const handle = await open(file);
  try {
    const {size} = await handle.stat();
    const from = Math.max(0, size - TRAILER_BYTES);
    const {buffer} = await handle.read(Buffer.alloc(TRAILER_BYTES), 0, TRAILER_BYTES, from);
    if (from === 0 || sumIn(buffer) === undefined) throw noEnd(size);
    return {bytes: size};
  } finally {
    await handle.close();
  }
};
