// SPDX-License-Identifier: Apache-2.0
/** Makes backups of a store that is in use, one at a time. */
import {setImmediate as turn} from 'node:timers/promises';
import type {Clock} from '@palisade/apiserver';
import {PROGRAM_VERSION, type Store} from '@palisade/store';
import {takeSnapshot} from '@palisade/store/backup';
import {readDataFiles} from './data-files.ts';
import {ARCHIVE_FORMAT, CONTENT_FORMATS} from './manifest.ts';
import {archiveOf, type LargeFile} from './write-archive.ts';

export type BackupParts = {
  readonly store: Store;
  /** The data folder. */
  readonly dir: string;
  readonly serverUid: string;
  /** Copies of the record files as of one commit; they are removed when the reading ends. Undefined: there is no record store. */
  readonly records: ((signal: AbortSignal) => AsyncIterable<LargeFile>) | undefined;
  readonly clock: Clock;
  /** Format of the data folder; undefined: that of this version. */
  readonly folderFormat?: number | undefined;
};

/** Another backup is being made. */
export class BackupBusyError extends Error {
  override readonly name = 'BackupBusyError';
}

export class Backups {
  readonly #parts: BackupParts;
  #running: Promise<void> | undefined;

  constructor(parts: BackupParts) {
    this.#parts = parts;
  }

  get hasRecords(): boolean {
    return this.#parts.records !== undefined;
  }

  /** Resolves when no backup is being made. */
  async idle(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  /**
   * The bytes of an archive, as of the moment at which the first are asked for. It ends when the reader returns, or with the reason of
   * `signal`. Throws BackupBusyError.
   */
  async *make(withRecords: boolean, signal: AbortSignal): AsyncGenerator<Buffer> {
    if (this.#running !== undefined)
      throw new BackupBusyError('another backup is being made; try again when it is done');
    const {promise, resolve} = Promise.withResolvers<void>();
    this.#running = promise;
    try {
      yield* this.#make(withRecords, signal);
    } finally {
      this.#running = undefined;
      resolve();
    }
  }

  async *#make(withRecords: boolean, signal: AbortSignal): AsyncGenerator<Buffer> {
    const {store, dir, serverUid, records, clock, folderFormat = CONTENT_FORMATS.folder} = this.#parts;
    const createdAt = new Date(clock.now()).toISOString();
    const pause = (): Promise<void> => turn();
    const {revision, entries, valueBytes} = await takeSnapshot(store, pause, signal);
    const manifest = {
      ...{format: ARCHIVE_FORMAT, program: PROGRAM_VERSION, formats: {...CONTENT_FORMATS, folder: folderFormat}},
      ...{createdAt, revision: String(revision), serverUid},
      ...{objects: entries.length, objectBytes: valueBytes, records: withRecords && records !== undefined},
    };
    const files = await readDataFiles(dir);
    const content = {manifest, entries, files, records: withRecords ? records?.(signal) : undefined};
    for await (const chunk of archiveOf(content, pause)) {
      signal.throwIfAborted();
      yield chunk;
    }
  }
}
