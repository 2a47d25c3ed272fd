// SPDX-License-Identifier: Apache-2.0
/**
 * What a server keeps in the data folder is for its owner only, also where the folder itself is open (systemd makes it so). New
 * files are made so; here are those that were there before. A log is left as it is: the process that opens it sets its mode. Below
 * `sensors` the folder guards: Suricata is another user, and enters its own place before it becomes that user.
 */
import {chmod, readdir, stat} from 'node:fs/promises';
import {join} from 'node:path';
import {CommandError} from '../errors.ts';
import {AUDIT_FOLDER, type DataFolder, OWN_FILES, PKI_FOLDER, RECORDS_FOLDER, SENSORS_FOLDER} from './data-folder.ts';
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

/** The certificates beside the keys are for clients. The folder itself where this user may not read it: others may not either. */
const keysOf = async (dir: string): Promise<string[]> => {
  try {
    const names = (await unlessAbsent(readdir(join(dir, PKI_FOLDER)))) ?? [];
    return names.filter(name => name.endsWith('.key')).map(name => join(PKI_FOLDER, name));
  } catch (error) {
    if (codeOf(error) === 'EACCES') return [PKI_FOLDER];
    throw error;
  }
};

const WHY: Readonly<Record<string, string>> = {EPERM: 'it belongs to another user', EACCES: 'not permitted'};

/** `open`: it stays so, because its file system refuses modes or keeps none. */
type Outcome = 'private' | 'made private' | 'open';
type SetMode = (path: string, mode: number) => Promise<void>;

/** Looks again after the change: some file systems say that it is done, and do nothing. Throws for what only another user may close. */
const tighten = async (path: string, setMode: SetMode): Promise<Outcome> => {
  const before = await unlessAbsent(stat(path));
  if (before === undefined || (before.mode & OTHERS) === 0) return 'private';
  try {
    await setMode(path, before.mode & ~OTHERS & 0o7777);
  } catch (error) {
    const isPermission = WHY[codeOf(error) ?? ''] !== undefined;
    if (isPermission && before.uid !== process.geteuid?.()) throw error;
    return 'open';
  }
  const after = await unlessAbsent(stat(path));
  return ((after?.mode ?? 0) & OTHERS) === 0 ? 'made private' : 'open';
};

const WARNINGS = {
  'made private': 'data folder was accessible to other users, access removed',
  open: 'data folder is accessible to other users and file modes cannot be changed; make the server user the owner, on a file system with file modes',
} as const;

/**
 * One warning names the files that were open, another those that stay so. Throws CommandError, with all files of the store and
 * all keys that only another user can close, and the way out.
 */
export async function tightenDataFolder(
  {dir}: Pick<DataFolder, 'dir'>,
  log: Pick<Logger, 'warn'>,
  setMode: SetMode = chmod,
): Promise<void> {
  const files: Record<Outcome, string[]> = {private: [], 'made private': [], open: []};
  const faults: string[] = [];
  for (const name of [...OWN_FILES, SENSORS_FOLDER, RECORDS_FOLDER, AUDIT_FOLDER, ...(await keysOf(dir))]) {
    const path = join(dir, name);
    try {
      files[await tighten(path, setMode)].push(path);
    } catch (error) {
      const why = WHY[codeOf(error) ?? ''] ?? (error as Error).message;
      // It holds neither the store nor keys: that of another user ends no start.
      if (name === SENSORS_FOLDER) files.open.push(path);
      else
        faults.push(
          `--data ${dir}: access of other users to ${path} cannot be removed: ${why}; make the server user its owner`,
        );
    }
  }
  for (const outcome of ['made private', 'open'] as const)
    if (files[outcome].length > 0) log.warn({files: files[outcome]}, WARNINGS[outcome]);
  if (faults.length > 0) throw new CommandError(faults.join('\n'));
}
