// SPDX-License-Identifier: Apache-2.0
import {randomBytes} from 'node:crypto';
import {open, rename, rm} from 'node:fs/promises';
import {dirname} from 'node:path';
import {syncFolder} from './sync-folder.ts';

/** Writes a file in one step, on disk when it resolves: a reader, and a start after a crash, find the old text or the new. */
export const replaceFile = async (path: string, text: string, mode: number): Promise<void> => {
  const fresh = `${path}.${randomBytes(6).toString('hex')}.new`;
  try {
    const handle = await open(fresh, 'wx', mode);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(fresh, path);
  } catch (error) {
    await rm(fresh, {force: true});
    throw error;
  }
  await syncFolder(dirname(path));
};
