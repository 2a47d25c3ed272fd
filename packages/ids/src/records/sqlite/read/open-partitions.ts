// SPDX-License-Identifier: Apache-2.0
/**
 * Connections to partitions, read-only, at most PARTITIONS_OPEN_MAX: the one that was not used for the longest makes room. Every statement is run to its
 * end in one turn, so no snapshot outlives a turn and each statement sees all that was written before it.
 */
import {existsSync} from 'node:fs';
import {basename, join} from 'node:path';
import {DatabaseSync, type SQLInputValue, type StatementSync} from 'node:sqlite';
import {PARTITION_CACHE_KIB, PARTITION_STATEMENTS_MAX, PARTITIONS_OPEN_MAX} from '../../../limits.ts';

import {DamagedFileError, isDamage} from '../faults.ts';

export type Row = Readonly<Record<string, unknown>>;

/** One open file. Throws DamagedFileError where it is damaged. */
export class Partition {
  readonly #path: string;
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(path: string) {
    this.#path = path;
    this.#database = new DatabaseSync(path, {readOnly: true, timeout: BUSY_MS});
    this.#tried(() =>
      this.#database.exec(`PRAGMA cache_size = -${PARTITION_CACHE_KIB}; PRAGMA mmap_size = 0; PRAGMA temp_store = 1;`),
    );
  }

  all<T = Row>(sql: string, params: readonly SQLInputValue[] = []): T[] {
    return this.#tried(() => this.#prepare(sql).all(...params)) as T[];
  }

  /** One row after the other, for many; the loop must not pause. */
  *each<T = Row>(sql: string, params: readonly SQLInputValue[] = []): Iterable<T> {
    try {
      yield* this.#prepare(sql).iterate(...params) as Iterable<T>;
    } catch (error) {
      throw this.#toError(error);
    }
  }

  get<T = Row>(sql: string, params: readonly SQLInputValue[] = []): T | undefined {
    return this.#tried(() => this.#prepare(sql).get(...params)) as T | undefined;
  }

  close(): void {
    this.#database.close();
  }

  #tried<T>(action: () => T): T {
    try {
      return action();
    } catch (error) {
      throw this.#toError(error);
    }
  }

  #toError(error: unknown): unknown {
    if (!isDamage(error)) return error;
    const [path, text] = [this.#path, error instanceof Error ? error.message : String(error)];
    const message = `${path}: the file is damaged (${text}); stop the server and move this file away, its records are lost`;
    return new DamagedFileError(basename(path), message, {cause: error});
  }

  #prepare(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    if (this.#statements.size >= PARTITION_STATEMENTS_MAX) this.#statements.clear();
    const statement = this.#database.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }
}

const BUSY_MS = 5_000;

export class OpenPartitions {
  readonly #directory: string;
  /** Last used last. */
  readonly #open = new Map<string, Partition>();

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Undefined: the file is gone. */
  use(file: string): Partition | undefined {
    const known = this.#open.get(file);
    if (known !== undefined) {
      this.#open.delete(file);
      this.#open.set(file, known);
      return known;
    }
    const path = join(this.#directory, file);
    try {
      const partition = new Partition(path);
      for (const oldest of this.#open.keys()) {
        if (this.#open.size < PARTITIONS_OPEN_MAX) break;
        this.close(oldest);
      }
      this.#open.set(file, partition);
      return partition;
    } catch (error) {
      if (existsSync(path)) throw error;
      return undefined;
    }
  }

  close(file: string): void {
    this.#open.get(file)?.close();
    this.#open.delete(file);
  }

  /** Closes those that are not among `files`, so that the disk gets back the room of what was deleted. */
  keepOnly(files: ReadonlySet<string>): void {
    for (const file of this.#open.keys()) if (!files.has(file)) this.close(file);
  }

  closeAll(): void {
    this.keepOnly(new Set());
  }
}
