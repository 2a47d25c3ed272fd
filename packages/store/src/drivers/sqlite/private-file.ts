// SPDX-License-Identifier: Apache-2.0
import {closeSync, openSync} from 'node:fs';

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
