// SPDX-License-Identifier: Apache-2.0
/** A file that the command line names. */
import {readFile} from 'node:fs/promises';
import {resolve} from 'node:path';
import {CommandError} from '../cli/io.ts';

/** In words of the user instead of those of the system call. */
const WHY: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file: check the path',
  ENOTDIR: 'there is no such file: check the path',
  EISDIR: 'it is a folder: name a file',
  EACCES: 'you may not read it: check its permissions',
};

/** `said`: how the user named it, such as `--file x.yaml`. Throws CommandError `<said>: cannot be read: …`. */
export const readNamedFile = async (path: string, cwd: string, said: string): Promise<Buffer> => {
  try {
    return await readFile(resolve(cwd, path));
  } catch (error) {
    const {code = '', message} = error as NodeJS.ErrnoException;
    throw new CommandError(`${said}: cannot be read: ${WHY[code] ?? message}`, {cause: error});
  }
};
