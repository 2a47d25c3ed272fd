// SPDX-License-Identifier: Apache-2.0
/** A first start that fails takes away the data folder that it made: the user mends the flags, perhaps also `--data`. */
import {readdir, rename, rm, rmdir} from 'node:fs/promises';
import {hasCode, type Revision, type Store} from '@palisade/store';
import {type Lock, takeLock} from '@palisade/store/sqlite';
import {
  AUDIT_FOLDER,
  type DataFolder,
  OWN_FILES,
  PKI_FOLDER,
  RECORDS_FOLDER,
  SENSORS_FOLDER,
} from '../process/data-folder.ts';

/** What a start writes. A folder that holds anything else stays. */
const OWN: ReadonlySet<string> = new Set([...OWN_FILES, SENSORS_FOLDER, PKI_FOLDER, RECORDS_FOLDER, AUDIT_FOLDER]);

export class FirstStart {
  readonly #folder: DataFolder;
  #isUnused: boolean;
  /** What the server itself had written when the first request could come. */
  #revision: Revision | undefined;

  constructor(folder: DataFolder) {
    this.#folder = folder;
    this.#isUnused = folder.made.at(-1) === folder.dir;
  }

  /** From here on others may write, and what they wrote is wanted. */
  async openToRequests(store: Store): Promise<void> {
    if (!this.#isUnused) return;
    this.#isUnused = false;
    this.#revision = await store.currentRevision();
  }

  /** Called when no request is served any longer and the store is still open. */
  async look(store: Store): Promise<void> {
    if (this.#revision !== undefined) this.#isUnused = (await store.currentRevision()) === this.#revision;
  }

  /** The server is up: all of it stays. */
  succeed(): void {
    this.#isUnused = false;
    this.#revision = undefined;
  }

  /** Called when the store is closed. A server that has begun to use the folder meanwhile keeps it. */
  async undo(): Promise<void> {
    const {dir, storeFile, made} = this.#folder;
    if (!this.#isUnused || (await readdir(dir)).some(name => !OWN.has(name))) return;
    const lock = lockOf(storeFile);
    if (lock === undefined) return;
    const aside = `${dir}.${process.pid}.removed`;
    try {
      await rename(dir, aside); // at once: nobody finds a half of it
    } finally {
      lock.release();
    }
    await rm(aside, {recursive: true, force: true});
    await removeEmpty(made.slice(0, -1));
  }
}

/** Undefined: another server has it. */
const lockOf = (storeFile: string): Lock | undefined => {
  try {
    return takeLock(storeFile);
  } catch (error) {
    if (hasCode(error, 'locked')) return undefined;
    throw error;
  }
};

/** Innermost first, as far as they are empty. */
async function removeEmpty(folders: readonly string[]): Promise<void> {
  for (const folder of folders.toReversed()) {
    try {
      await rmdir(folder);
    } catch {
      return; // somebody has put something there
    }
  }
}
