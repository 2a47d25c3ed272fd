// SPDX-License-Identifier: Apache-2.0
import {closeSync, fsyncSync, openSync} from 'node:fs';
import {dirname, resolve} from 'node:path';

/** SQLite gives a journal, -wal and -shm the mode of their database. */
const OWNER_ONLY = 0o600;

/** Makes an empty file that its owner alone may read, whatever the umask and the folder. One that is there is not opened, and stays as it is. */
export const makePrivateFile = (path: string): void => {
  try {
    closeSync(openSync(path, 'wx', OWNER_ONLY));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
};

/**
 * The names in a folder, and its own name, are on disk when it returns. `firstMade`: the first of its parents that was made
 * with it. A parent that may not be read is not synced.
 */
export const syncNames = (folder: string, firstMade: string = folder): void => {
  syncFolder(folder);
  const last = dirname(resolve(firstMade));
  for (let at = dirname(resolve(folder)); ; at = dirname(at)) {
    try {
      syncFolder(at);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EACCES') throw error;
    }
    if (at === last) return;
  }
};

const syncFolder = (folder: string): void => {
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
};
