// SPDX-License-Identifier: Apache-2.0
/**
 * A copy of the record store as of one commit, made file by file in the thread that writes, between its commits.
 *
 *   begin    A read transaction of the journal is opened ("pinned"): what commits from then on is not in it.
 *   change   A partition of the copy that is about to be written or dropped is pinned first. The others need no pin: they do not change.
 *   next     One file is copied out of its read transaction by SQLite's backup, page by page in the thread pool.
 *
 * So a commit waits for the opening of the files that it writes, and for nothing of the copying; descriptors are taken by the files that
 * change meanwhile, three each. The log of a pinned file cannot be folded beyond the pin: the journal is copied first, pinned partitions
 * next, and a copy whose owner reads and asks for nothing for RECORD_COPY_IDLE_MS ends.
 * A copy never costs records: it ends when the disk comes below its floor. Nothing that happens to it is a fault of a commit.
 * Ref: sqlite.org/isolation.html, sqlite.org/c3ref/backup_finish.html
 */
import {closeSync, mkdirSync, openSync, rmSync, statSync} from 'node:fs';
import {backup, DatabaseSync} from 'node:sqlite';
import {RECORD_COPY_IDLE_MS, RECORD_COPY_PINS_MAX} from '../../../limits.ts';
import {type CopiedFile, RecordStoreError} from '../../record-store.ts';
import {bytesOf, inFolder, makePrivateFolder, removeDatabase} from '../files.ts';

const NO_SPACE = 'the disk has no space for it; free space, or copy to another disk';
/** Below the folder of the records; goes with the copy, and at the next start after a crash. */
const COPY_FOLDER = 'copy';
/** Pages of one step: an aborted copy ends at the next one. */
const STEP_PAGES = 1_024;
const BUSY_MS = 5_000;

export const removeCopies = (folder: string): void =>
  rmSync(inFolder(folder, COPY_FOLDER), {recursive: true, force: true});

export type RecordCopyOptions = {
  readonly folder: string;
  /** The journal. */
  readonly first: string;
  /** Partitions that count, with all commits. */
  readonly files: readonly string[];
  /** Bytes by which the disk is short of its floor; 0 or less: it is not. */
  readonly missingBytes: () => number;
};

export class RecordCopy {
  readonly #options: RecordCopyOptions;
  readonly #remaining: Set<string>;
  readonly #pins = new Map<string, DatabaseSync>();
  #failed: RecordStoreError | undefined;
  #copying: Promise<CopiedFile> | undefined;
  #copyingFile: string | undefined;
  /** The last one that was given. */
  #given: string | undefined;
  #idle: NodeJS.Timeout | undefined;

  /** Between two commits. Throws errors of SQLite and the file system. */
  constructor(options: RecordCopyOptions) {
    this.#options = options;
    const {folder, first, files} = options;
    removeCopies(folder);
    makePrivateFolder(folder);
    mkdirSync(inFolder(folder, COPY_FOLDER), {mode: 0o700});
    this.#remaining = new Set([first, ...files]);
    this.#pin(first);
    this.#startIdle();
  }

  /** Before the content of a file changes, or the file goes. Throws nothing. */
  beforeChange(file: string): void {
    if (this.#failed !== undefined || !this.#remaining.has(file)) return;
    try {
      const {missingBytes} = this.#options;
      if (missingBytes() > 0) throw this.#error(NO_SPACE);
      if (!this.#pins.has(file) && this.#pins.size >= RECORD_COPY_PINS_MAX)
        throw this.#error(`more than ${RECORD_COPY_PINS_MAX} files changed meanwhile; copy again, faster`);
      this.#pin(file);
    } catch (error) {
      this.#fail(error instanceof RecordStoreError ? error : this.#error(`${file} could not be read`, error));
    }
  }

  /** Before records are dropped for space: it ends. Returns whether it had a file, whose space is free when its reader has closed it. */
  giveWay(): boolean {
    const file = this.#given;
    if (file === undefined) return false;
    this.#fail(this.#error(NO_SPACE));
    this.#given = undefined;
    removeDatabase(file);
    return true;
  }

  /** It ended, and nobody has asked for that. */
  get isOver(): boolean {
    return this.#failed !== undefined && this.#copying === undefined;
  }

  /** Its log cannot be folded. */
  holds(file: string): boolean {
    return this.#pins.has(file);
  }

  /** Undefined: all were given. The file of the last call goes. */
  async next(): Promise<CopiedFile | undefined> {
    clearTimeout(this.#idle);
    if (this.#given !== undefined) removeDatabase(this.#given);
    if (this.#failed !== undefined) throw this.#failed;
    const [file] = [...this.#pins.keys(), ...this.#remaining];
    if (file === undefined) return undefined;
    try {
      this.#copyingFile = file;
      this.#copying = this.#copy(file);
      return await this.#copying;
    } catch (error) {
      this.#fail(error instanceof RecordStoreError ? error : this.#error(`${file} could not be copied`, error));
      throw this.#failed;
    } finally {
      this.#copying = undefined;
      this.#copyingFile = undefined;
      this.#unpin(file);
      this.#remaining.delete(file);
      this.#startIdle();
    }
  }

  /** The file of the last call is being read. */
  isRead(): void {
    if (this.#copying !== undefined) return;
    clearTimeout(this.#idle);
    this.#startIdle();
  }

  async end(): Promise<void> {
    this.#fail(new RecordStoreError('closed', `${this.#options.folder}: the copy of the records was ended`));
    await this.#copying?.catch(() => {});
    clearTimeout(this.#idle);
    removeCopies(this.#options.folder);
  }

  async #copy(file: string): Promise<CopiedFile> {
    const {folder, missingBytes} = this.#options;
    const source = this.#pin(file);
    const bytes = bytesOf(inFolder(folder, file));
    if (missingBytes() + bytes > 0) throw this.#error(`the disk has no space for a copy of ${file} (${bytes} bytes)`);
    const path = inFolder(inFolder(folder, COPY_FOLDER), file);
    this.#given = path;
    closeSync(openSync(path, 'wx', 0o600));
    const progress = (): void => {
      if (this.#failed !== undefined) throw this.#failed;
    };
    await backup(source, path, {rate: STEP_PAGES, progress});
    progress();
    return {file, path, bytes: statSync(path).size};
  }

  #pin(file: string): DatabaseSync {
    const known = this.#pins.get(file);
    if (known !== undefined) return known;
    const database = new DatabaseSync(inFolder(this.#options.folder, file), {readOnly: true, timeout: BUSY_MS});
    try {
      database.exec('PRAGMA mmap_size = 0; PRAGMA cache_size = -256; BEGIN');
      database.prepare('SELECT count(*) FROM sqlite_schema').get(); // the transaction begins with the first read
    } catch (error) {
      database.close();
      throw error;
    }
    this.#pins.set(file, database);
    return database;
  }

  #unpin(file: string): void {
    const database = this.#pins.get(file);
    this.#pins.delete(file);
    try {
      database?.close();
    } catch {} // of a damaged file: its descriptors are closed
  }

  /** The first one counts. A file that is being copied is let go when that has ended. */
  #fail(error: RecordStoreError): void {
    this.#failed ??= error;
    for (const file of [...this.#pins.keys()]) if (file !== this.#copyingFile) this.#unpin(file);
    this.#remaining.clear();
  }

  #startIdle(): void {
    if (this.#failed !== undefined) return;
    const message = `nothing of it was read in ${RECORD_COPY_IDLE_MS / 1000} s`;
    this.#idle = setTimeout(() => {
      this.#fail(this.#error(message));
      removeCopies(this.#options.folder);
    }, RECORD_COPY_IDLE_MS);
    this.#idle.unref();
  }

  #error(what: string, cause?: unknown): RecordStoreError {
    const because = cause instanceof Error ? ` (${cause.message})` : '';
    const message = `${this.#options.folder}: the copy of the records ended: ${what}${because}`;
    return new RecordStoreError('io', message, {cause});
  }
}
