// SPDX-License-Identifier: Apache-2.0
import {open} from 'node:fs/promises';
import {dirname} from 'node:path';
import {makeFolder} from './make-folder.ts';

/** The names in the folder are on disk when it resolves. */
export const syncFolder = async (folder: string): Promise<void> => {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
};

/**
 * Makes a folder with its parents; their names are on disk when it resolves. A parent that may not be read is not synced. Resolves to
 * the folders that were not there, outermost first.
 */
export const makeSyncedFolder = async (
  folder: string,
  options: {readonly mode?: number} = {},
): Promise<readonly string[]> => {
  const made = await makeFolder(folder, options);
  for (const each of made.toReversed())
    await syncFolder(dirname(each)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EACCES') throw error;
    });
  return made;
};
