// SPDX-License-Identifier: Apache-2.0
/**
 * A file that grows by whole lines, while others read, rotate, cut or move it.
 *
 * I1: `append` resolves when its lines are on disk.
 * I2: every line is whole: what a crash or a full disk tore gets its end before the next line.
 * I3: lines go into the file that has the path now: one that was renamed or deleted (logrotate) is not written to again; one that was
 *     cut (copytruncate) is written at its end.
 * I4: before it would grow above `maxBytes` it becomes PATH.1, PATH.1 becomes PATH.2, …; the oldest of `keptMax` goes. A crash between
 *     the renames leaves a gap, which the next rotation closes: no file is overwritten that is not the oldest.
 */
import {type BigIntStats, constants} from 'node:fs';
import {type FileHandle, lstat, open, rename, rm} from 'node:fs/promises';
import {dirname} from 'node:path';

export type AppendFileOptions = {
  /** Absolute. */
  readonly path: string;
  readonly maxBytes: number;
  /** Rotated files that are kept. */
  readonly keptMax: number;
  /** Of a new file. */
  readonly mode: number;
};

export type AppendFile = {
  append(lines: Buffer): Promise<void>;
  close(): Promise<void>;
};

/** No symbolic link is followed: another user of its folder could lead the lines elsewhere. */
const OPEN = constants.O_RDWR | constants.O_APPEND | constants.O_NOFOLLOW;
const CREATE = OPEN | constants.O_CREAT | constants.O_EXCL;
const NEWLINE = Buffer.from('\n');

type Opened = {readonly handle: FileHandle; readonly dev: bigint; readonly ino: bigint};

const isAbsent = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

const statOf = async (path: string): Promise<BigIntStats | undefined> => {
  try {
    return await lstat(path, {bigint: true});
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
};

/** Names of files are on disk when their folder is. */
const syncFolder = async (path: string): Promise<void> => {
  await using folder = await open(dirname(path), 'r');
  await folder.sync();
};

/** The mode of a file that is there stays as it is. */
const openAt = async ({path, mode}: AppendFileOptions, isNew: boolean): Promise<Opened> => {
  const handle = await open(path, isNew ? CREATE : OPEN, mode);
  try {
    if (isNew) await handle.chmod(mode); // whatever the umask is
    const stats = await handle.stat({bigint: true});
    if (!stats.isFile()) throw new Error(`${path} is not a regular file; name one that may grow`);
    const {size, dev, ino} = stats;
    if (size === 0n) await syncFolder(path);
    else if (!(await endsWithNewline(handle, Number(size)))) await handle.appendFile(NEWLINE);
    return {handle, dev, ino};
  } catch (error) {
    await handle.close();
    throw error;
  }
};

const endsWithNewline = async (handle: FileHandle, size: number): Promise<boolean> => {
  const {buffer} = await handle.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer[0] === NEWLINE[0];
};

const numbered = (path: string, number: number): string => `${path}.${number}`;

const rotate = async ({path, keptMax}: AppendFileOptions): Promise<void> => {
  let free = 1;
  while (free <= keptMax && (await statOf(numbered(path, free))) !== undefined) free++;
  if (free > keptMax) await rm(numbered(path, --free));
  for (let to = free; to > 1; to--) await rename(numbered(path, to - 1), numbered(path, to));
  await rename(path, numbered(path, 1));
  await syncFolder(path);
};

export function openAppendFile(options: AppendFileOptions): AppendFile {
  const {path, maxBytes} = options;
  let opened: Opened | undefined;

  const close = async (): Promise<void> => {
    const before = opened;
    opened = undefined;
    await before?.handle.close();
  };

  /** I3. The size of the file that has the path. */
  const reopen = async (): Promise<number> => {
    const now = await statOf(path);
    if (now === undefined || now.dev !== opened?.dev || now.ino !== opened.ino) {
      await close();
      opened = await openAt(options, now === undefined);
    }
    return Number(now?.size ?? 0n);
  };

  const append = async (lines: Buffer): Promise<void> => {
    try {
      const size = await reopen();
      if (size > 0 && size + lines.length > maxBytes) {
        await close();
        await rotate(options);
        await reopen();
      }
      await opened?.handle.appendFile(lines);
      await opened?.handle.datasync();
    } catch (error) {
      await close(); // I2: what was written of it is looked at when it is opened again
      throw error;
    }
  };

  return {append, close};
}
