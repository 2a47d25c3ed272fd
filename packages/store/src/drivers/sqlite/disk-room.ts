// SPDX-License-Identifier: Apache-2.0
/** Whether the disk of a database takes more, and if not, why: SQLite keeps the reason of the system to itself. */
import {closeSync, fsyncSync, openSync, rmSync, statSync, writeSync} from 'node:fs';

const roomOf = (file: string): string => `${file}-room`;

/**
 * Writes, syncs and removes `bytes` beside the database, at the place where its larger file ends, so that a limit on the size
 * of files counts too. Throws the error of the system: ENOSPC, EDQUOT, EFBIG, EROFS, EIO.
 */
export function tryRoom(file: string, bytes: number): void {
  const sizes = ['', '-wal'].map(suffix => statSync(`${file}${suffix}`, {throwIfNoEntry: false})?.size ?? 0);
  const content = Buffer.alloc(bytes, 0x5a);
  const descriptor = openSync(roomOf(file), 'w', 0o600);
  try {
    let position = Math.max(...sizes);
    for (let rest = content; rest.length > 0; ) {
      const written = writeSync(descriptor, rest, 0, rest.length, position);
      position += written;
      rest = rest.subarray(written);
    }
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
    removeRoom(file);
  }
}

/** What a transaction writes beside its values, in bytes. */
const PAGES_BYTES = 64 * 1024;

/** Why a write of so many bytes failed, as the system says it; undefined: it would not fail again. */
export function refusalOf(file: string, bytes: number): unknown {
  try {
    tryRoom(file, bytes + PAGES_BYTES);
    return undefined;
  } catch (error) {
    return error;
  }
}

/** What a process left that was killed meanwhile. */
export const removeRoom = (file: string): void => rmSync(roomOf(file), {force: true});
