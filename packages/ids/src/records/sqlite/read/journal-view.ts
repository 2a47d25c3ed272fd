// SPDX-License-Identifier: Apache-2.0
/** What the reader needs of the journal: the numbers of endpoints, and which files count. */
import {join} from 'node:path';
import {Partition} from './open-partitions.ts';

export class JournalView {
  readonly #directory: string;
  #journal: Partition | undefined;
  #endpoints: ReadonlyMap<number, string> = new Map();

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Full names by number; a number keeps its name. */
  endpoints(): ReadonlyMap<number, string> {
    const {count, last} = this.#open().get<{count: number; last: number | null}>(
      'SELECT count(*) AS count, max(number) AS last FROM endpoints',
    ) ?? {count: 0, last: null};
    const isSame = count === this.#endpoints.size && (last === null || this.#endpoints.has(last));
    if (!isSame)
      this.#endpoints = new Map(
        this.#open()
          .all<{number: number; name: string}>('SELECT number, name FROM endpoints')
          .map(({number, name}) => [number, name]),
      );
    return this.#endpoints;
  }

  files(): string[] {
    return this.#open()
      .all<{file: string}>('SELECT file FROM partitions')
      .map(({file}) => file);
  }

  close(): void {
    this.#journal?.close();
    this.#journal = undefined;
  }

  #open(): Partition {
    this.#journal ??= new Partition(join(this.#directory, 'journal.db'));
    return this.#journal;
  }
}
