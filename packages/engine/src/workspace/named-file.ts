// SPDX-License-Identifier: Apache-2.0
/** A file that the command line names. `said`: how the user named it, such as `--file x.yaml`. */
import {readFile, stat, writeFile} from 'node:fs/promises';
import {dirname} from 'node:path';
import {whyUnreadable, whyUnwritable} from '../backend/file-faults.ts';
import {writeDurably} from '../backend/files.ts';
import {EngineError, isMissingFile} from '../engine-error.ts';

/** Throws EngineError `<said>: cannot be read: …`. */
export async function readNamedFile(path: string, said: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw new EngineError(`${said}: cannot be read: ${whyUnreadable(cause)}`, {cause});
  }
}

/** Makes no folder. Throws EngineError `<said>: cannot be written: …`. */
export async function writeNamedFile(path: string, said: string, text: string): Promise<void> {
  try {
    await stat(dirname(path));
    // A device or a pipe is written to; it must not be replaced by a file.
    if (await isSpecial(path)) await writeFile(path, text);
    else await writeDurably(path, text);
  } catch (cause) {
    throw new EngineError(`${said}: cannot be written: ${whyUnwritable(cause)}`, {cause});
  }
}

async function isSpecial(path: string): Promise<boolean> {
  try {
    return !(await stat(path)).isFile();
  } catch (error) {
    if (isMissingFile(error)) return false;
    throw error;
  }
}
