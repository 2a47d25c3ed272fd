// SPDX-License-Identifier: Apache-2.0
import {mkdir, stat} from 'node:fs/promises';
import {dirname} from 'node:path';
import {EngineError} from '../engine-error.ts';

type Options = {readonly mode?: number};

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;

/** False: its parent is not there. */
const madeFolder = async (dir: string, options: Options): Promise<boolean> => {
  try {
    await mkdir(dir, options);
    return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    if (codeOf(error) === 'EEXIST' && (await stat(dir)).isDirectory()) return true;
    throw error;
  }
};

/** With its parents. Node's recursive mkdir tries for ever below a folder that refuses new ones with ENOENT, such as /proc. */
export const makeFolder = async (dir: string, options: Options = {}): Promise<void> => {
  if (await madeFolder(dir, options)) return;
  const parent = dirname(dir);
  if (parent !== dir) await makeFolder(parent, options);
  if (!(await madeFolder(dir, options))) throw new EngineError(`no folder can be made in ${parent}`);
};
