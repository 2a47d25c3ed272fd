// SPDX-License-Identifier: Apache-2.0
import {readFile} from 'node:fs/promises';

/** The text of a file; undefined: there is no such file. Throws the error of the system for one that cannot be read. */
export const readIfPresent = async (path: string): Promise<string | undefined> => {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
};
