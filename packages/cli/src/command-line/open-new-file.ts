// SPDX-License-Identifier: Apache-2.0
import {type FileHandle, open} from 'node:fs/promises';
import {resolve} from 'node:path';
import {whyUnwritable} from '@palisade/engine/file-faults';
import {CommandError} from './io.ts';

/** Of a file with a secret, before that is made: a file that cannot be written would lose it. Throws CommandError; an existing file is one. */
export const openNewFile = async (file: string, cwd: string, mode = 0o600): Promise<FileHandle> => {
  try {
    return await open(resolve(cwd, file), 'wx', mode);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST')
      throw new CommandError(`--out ${file}: the file exists; remove it or choose another name`, {cause: error});
    throw new CommandError(`--out ${file}: cannot be written: ${whyUnwritable(error)}`, {cause: error});
  }
};
