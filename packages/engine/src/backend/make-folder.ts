// SPDX-License-Identifier: Apache-2.0
import {mkdir, stat} from 'node:fs/promises';
import {dirname} from 'node:path';
import {EngineError} from '../engine-error.ts';

type Options = {readonly mode?: number};

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;

const madeFolder = async (dir: string, options: Options): Promise<'made' | 'was there' | 'no parent'> => {
  try {
    await mkdir(dir, options);
    return 'made';
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return 'no parent';
    if (codeOf(error) === 'EEXIST' && (await stat(dir)).isDirectory()) return 'was there';
    throw error;
  }
};

/**
 * With its parents. Resolves to the folders that were not there, outermost first. Node's recursive mkdir tries for ever below a
 * folder that refuses new ones with ENOENT, such as /proc.
 */
export const makeFolder = async (dir: string, options: Options = {}): Promise<readonly string[]> => {
  const first = await madeFolder(dir, options);
  if (first !== 'no parent') return first === 'made' ? [dir] : [];
  const parent = dirname(dir);
  const above = parent === dir ? [] : await makeFolder(parent, options);
  const second = await madeFolder(dir, options);
  if (second === 'no parent') throw new EngineError(`no folder can be made in ${parent}`);
  return second === 'made' ? [...above, dir] : above;
};
