// SPDX-License-Identifier: Apache-2.0
/**
 * A log file of bounded size. `DIR/audit.log` becomes `DIR/audit-2026-11-28T10-52-17.123.log` (UTC) before a write would make it
 * larger than its bound, and the oldest of these are deleted. Names as of lumberjack, which kube-apiserver rotates with.
 *
 * I1 A file holds whole lines: of a write that fails nothing stays.
 */
import {type FileHandle, open, readdir, rename, rm} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import {rotatedName, rotatedTimeMs} from './file-names.ts';

export type RotationBounds = {
  readonly bytesMax: number;
  /** Rotated files that are kept; 0: all. */
  readonly backupsMax: number;
  /** Older rotated files are deleted; 0: none. */
  readonly ageMsMax: number;
};

/** Where lines go. */
export type LineSink = {
  /** Whole lines. Rejects when they were not written. */
  append(lines: Buffer): Promise<void>;
  close(): Promise<void>;
};

const MODE = 0o600;
const NEWLINE = 0x0a;

export class RotatingFile implements LineSink {
  readonly #path: string;
  readonly #bounds: RotationBounds;
  readonly #now: () => number;
  #file: FileHandle;
  #bytes: number;

  private constructor(path: string, bounds: RotationBounds, now: () => number, file: FileHandle, bytes: number) {
    this.#path = path;
    this.#bounds = bounds;
    this.#now = now;
    this.#file = file;
    this.#bytes = bytes;
  }

  /** Rejects with the fault of the system when the file cannot be opened. */
  static async open(path: string, bounds: RotationBounds, now: () => number): Promise<RotatingFile> {
    const {file, bytes} = await openToAppend(path);
    const opened = new RotatingFile(path, bounds, now, file, bytes);
    await opened.#deleteOld();
    return opened;
  }

  async append(lines: Buffer): Promise<void> {
    if (this.#bytes > 0 && this.#bytes + lines.length > this.#bounds.bytesMax) await this.#rotate();
    try {
      for (let at = 0; at < lines.length; ) {
        const {bytesWritten} = await this.#file.write(lines, at, lines.length - at);
        at += bytesWritten;
      }
    } catch (error) {
      await this.#file.truncate(this.#bytes); // a part of a line
      throw error;
    }
    this.#bytes += lines.length;
  }

  async close(): Promise<void> {
    await this.#file.sync().catch(() => {}); // the disk was reported when it refused a write
    await this.#file.close();
  }

  async #rotate(): Promise<void> {
    await this.#file.sync();
    const taken = new Set(await readdir(dirname(this.#path)));
    let ms = this.#now();
    while (taken.has(rotatedName(this.#path, ms))) ms++;
    const rotated = join(dirname(this.#path), rotatedName(this.#path, ms));
    await rename(this.#path, rotated);
    const before = this.#file;
    try {
      const {file, bytes} = await openToAppend(this.#path);
      this.#file = file;
      this.#bytes = bytes;
    } catch (error) {
      await rename(rotated, this.#path); // the next write tries again
      throw error;
    }
    await before.close();
    await this.#deleteOld();
  }

  async #deleteOld(): Promise<void> {
    const {backupsMax, ageMsMax} = this.#bounds;
    const dir = dirname(this.#path);
    const rotated = (await readdir(dir))
      .map(name => ({name, ms: rotatedTimeMs(this.#path, name)}))
      .filter((each): each is {name: string; ms: number} => each.ms !== undefined)
      .sort((a, b) => b.ms - a.ms);
    const oldest = ageMsMax === 0 ? Number.NEGATIVE_INFINITY : this.#now() - ageMsMax;
    for (const [at, {name, ms}] of rotated.entries())
      if ((backupsMax > 0 && at >= backupsMax) || ms < oldest) await rm(join(dir, name), {force: true});
  }
}

/** A line that a crash cut is ended, so that the next one is whole. */
const openToAppend = async (path: string): Promise<{file: FileHandle; bytes: number}> => {
  const file = await open(path, 'a+', MODE);
  try {
    const {size} = await file.stat();
    if (size === 0) return {file, bytes: 0};
    const last = Buffer.alloc(1);
    await file.read(last, 0, 1, size - 1);
    if (last[0] === NEWLINE) return {file, bytes: size};
    await file.write(Buffer.from('\n'));
    return {file, bytes: size + 1};
  } catch (error) {
    await file.close();
    throw error;
  }
};
