// SPDX-License-Identifier: Apache-2.0
/** A file that the command line names. */
import {readFile} from 'node:fs/promises';
import {resolve} from 'node:path';
import {whyUnreadable} from '@palisade/engine/file-faults';
import {CommandError} from '../command-line/io.ts';

/** `said`: how the user named it, such as `--file x.yaml`. Throws CommandError `<said>: cannot be read: …`. */
export const readNamedFile = async (path: string, cwd: string, said: string): Promise<Buffer> => {
  try {
    return await readFile(resolve(cwd, path));
  } catch (error) {
    throw new CommandError(`${said}: cannot be read: ${whyUnreadable(error)}`, {cause: error});
  }
};
