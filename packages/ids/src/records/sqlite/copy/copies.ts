// SPDX-License-Identifier: Apache-2.0
/** The copy that the thread that writes makes, one at a time. */
import {type CopiedFile, RecordStoreError} from '../../record-store.ts';
import {JOURNAL_FILE, type Writer} from '../writer.ts';
import {RecordCopy} from './record-copy.ts';

type Current = {readonly id: number; readonly copy: RecordCopy; readonly writer: Writer};

export class Copies {
  #current: Current | undefined;
  #ids = 0;

  /** Its number. Throws RecordStoreError `in-use`, and errors of SQLite and the file system. */
  begin(writer: Writer, folder: string, missingBytes: () => number): number {
    if (this.#current?.copy.isOver === false)
      throw new RecordStoreError(
        'in-use',
        `${folder}: the records are being copied already; try again when that is done`,
      );
    const copy = new RecordCopy({folder, first: JOURNAL_FILE, files: writer.settled(), missingBytes});
    this.#current = {id: ++this.#ids, copy, writer};
    writer.partitions.copy = copy;
    return this.#current.id;
  }

  async next(id: number): Promise<CopiedFile | undefined> {
    if (this.#current?.id !== id) throw new RecordStoreError('closed', 'the copy of the records was ended');
    return this.#current.copy.next();
  }

  isRead(id: number): undefined {
    if (this.#current?.id === id) this.#current.copy.isRead();
  }

  /** `id` undefined: whichever there is. */
  async end(id: number | undefined): Promise<undefined> {
    const current = this.#current;
    if (current === undefined || (id !== undefined && current.id !== id)) return;
    await current.copy.end();
    current.writer.partitions.copy = undefined;
    if (this.#current === current) this.#current = undefined;
  }
}
