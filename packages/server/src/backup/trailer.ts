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

/** `bytes`: where the trailer begins. Throws ArchiveError for a file that does not end with one. */
export const readTrailer = async (file: string): Promise<{readonly bytes: number; readonly sum: Buffer}> => {
  const handle = await open(file);
  try {
    const {size} = await handle.stat();
    const bytes = size - TRAILER_BYTES;
    const {buffer} = await handle.read(Buffer.alloc(TRAILER_BYTES), 0, TRAILER_BYTES, Math.max(0, bytes));
    const isOurs = bytes > 0 && buffer.readUInt32LE(0) === MAGIC && buffer.readUInt32LE(4) === SUM_BYTES;
    if (!isOurs)
      throw new ArchiveError(
        `cut off after ${size} bytes, or not a backup: the checksum at the end of the file is missing`,
      );
    return {bytes, sum: buffer.subarray(8)};
  } finally {
    await handle.close();
  }
};
