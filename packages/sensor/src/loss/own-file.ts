// SPDX-License-Identifier: Apache-2.0
import {constants, open} from 'node:fs/promises';

/** The first bytes of a file in a folder of Suricata's user: no link is followed, and no FIFO waited for. Undefined: it cannot be read. */
export const readOwnFile = async (path: string, bytesMax: number): Promise<string | undefined> => {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  try {
    await using file = await open(path, flags);
    const {size} = await file.stat();
    const buffer = Buffer.alloc(Math.min(size, bytesMax));
    const {bytesRead} = await file.read(buffer, 0, buffer.length, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } catch {
    return undefined;
  }
};
