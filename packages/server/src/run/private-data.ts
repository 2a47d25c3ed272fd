// SPDX-License-Identifier: Apache-2.0
/**
 * What is in the data folder is for its owner only, also where the folder itself is open (systemd makes it so). New files are
 * made so; here are those that were there before. Below `sensors` the folder guards: Suricata is another user, and enters its own
 * place before it becomes that user.
 */
import {chmod, readdir, stat} from 'node:fs/promises';
import {join} from 'node:path';
import {CommandError} from '../cli/io.ts';
import {type DataFolder, LOCAL_FILES, OWN_FILES} from './data-folder.ts';
import type {Logger} from './logger.ts';

/** Permission bits of the group and of all others. */
const OTHERS = 0o077;

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;

const unlessAbsent = async <T>(found: Promise<T>): Promise<T | undefined> => {
  try {
    return await found;
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return undefined;
    throw error;
  }
};

/** The certificates beside the keys are for clients. */
const keysOf = async (dir: string): Promise<string[]> =>
  ((await unlessAbsent(readdir(join(dir, 'pki')))) ?? [])
    .filter(name => name.endsWith('.key'))
    .map(name => join('pki', name));

const WHY: Readonly<Record<string, string>> = {
  EPERM: 'it belongs to another user',
  EACCES: 'not permitted',
  EROFS: 'the file system is read-only',
};

/** Whether others could read or write it until now. */
const isTightened = async (path: string): Promise<boolean> => {
  const mode = (await unlessAbsent(stat(path)))?.mode ?? 0;
  if ((mode & OTHERS) === 0) return false;
  await chmod(path, mode & ~OTHERS & 0o7777);
  return true;
};

/** One warning names those that were open. Throws CommandError, with all that cannot be closed, and the way out. */
export async function tightenDataFolder({dir}: Pick<DataFolder, 'dir'>, log: Pick<Logger, 'warn'>): Promise<void> {
  const open: string[] = [];
  const faults: string[] = [];
  for (const name of [...OWN_FILES, ...LOCAL_FILES, 'sensors', ...(await keysOf(dir))]) {
    const path = join(dir, name);
    try {
      if (await isTightened(path)) open.push(path);
    } catch (error) {
      const why = WHY[codeOf(error) ?? ''] ?? (error as Error).message;
      faults.push(`--data ${dir}: ${path} cannot be closed to other users: ${why}; give it to the user of this server`);
    }
  }
  if (open.length > 0)
    log.warn(
      {files: open},
      'files of the data folder were open to other users of this machine, and are for their owner only now',
    );
  if (faults.length > 0) throw new CommandError(faults.join('\n'));
}
