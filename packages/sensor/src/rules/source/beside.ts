// SPDX-License-Identifier: Apache-2.0
/** Where the files that rules name are: next to the rule file, and never outside of its source. */
import {readFile, realpath, stat} from 'node:fs/promises';
import {dirname, isAbsolute, join, posix, relative} from 'node:path';
import {SIDE_FILE_BYTES_MAX} from '../../limits.ts';
import {messageOf, systemCode} from '../../sensor-error.ts';
import type {Unpacked} from './archive.ts';
import type {Beside} from './rule-file.ts';

const OUTSIDE = 'it is outside of the folder: put it next to the file that names it, and name it without a path';
const MISSING = 'there is no such file next to the one that names it';
const isOutside = (path: string): boolean => isAbsolute(path) || path.split('/').includes('..');

const readInside = async (root: string, path: string): Promise<Buffer | string> => {
  const real = await realpath(path);
  if (isOutside(relative(await realpath(root), real))) return OUTSIDE;
  const info = await stat(real);
  if (!info.isFile()) return 'it is not a file';
  return info.size > SIDE_FILE_BYTES_MAX ? `larger than ${SIDE_FILE_BYTES_MAX} bytes` : readFile(real);
};

/** `root`: the folder of the source. `file`: the rule file, a path in it. A name is looked up next to the file, then in the root. */
export const besideOnDisk =
  (root: string, file: string): Beside =>
  async name => {
    if (isOutside(name)) return OUTSIDE;
    for (const folder of new Set([dirname(file), root]))
      try {
        return await readInside(root, join(folder, name));
      } catch (error) {
        if (systemCode(error) !== 'ENOENT') return messageOf(error);
      }
    return MISSING;
  };

export const besideInArchive =
  (files: Unpacked, path: string): Beside =>
  async name => {
    if (isOutside(name)) return OUTSIDE;
    const found = files.get(posix.join(posix.dirname(path), name)) ?? files.get(posix.normalize(name));
    if (found === undefined) return MISSING;
    return found.length > SIDE_FILE_BYTES_MAX ? `larger than ${SIDE_FILE_BYTES_MAX} bytes` : found;
  };
