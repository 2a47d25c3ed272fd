// SPDX-License-Identifier: Apache-2.0
/**
 * Rows of many partitions in time order, either way, merged. A partition is opened when its turn comes: its day says from when on that can be,
 * then the times of what it holds. Rows come in groups of one instant (or second), in the order of their names within, without
 * their bodies: a group may be far larger than a page.
 */
import type {SQLInputValue} from 'node:sqlite';
import type {PartitionFile} from './partition-files.ts';
import {type Direction, Rows} from './rows.ts';
import {contentIn, type Reading, type RecordRow, type Scope} from './scope.ts';

export type NamedRow = Pick<RecordRow, 'number' | 'endpoint' | 'id' | 'at'> & {
  readonly file: string;
  /** As in a position: id and endpoint. */
  readonly name: string;
};

type Entry = {
  /** No row of it comes before. */
  key: number;
  readonly file: PartitionFile;
  /** Undefined: not opened. */
  rows: Rows | undefined;
  step: readonly RecordRow[];
  at: number;
};

export type WalkOptions = {
  readonly direction: Direction;
  /** Microseconds whose rows are one group. */
  readonly unit: number;
  /** Of a group the first are wanted alone. */
  readonly count: number;
  /** `row`: without its body where `isExact`, and then it is of the scope. */
  readonly isWanted: (row: RecordRow, name: string, isExact: boolean) => boolean;
  readonly more?: {readonly sql: string; readonly params: readonly SQLInputValue[]} | undefined;
};

/** So that a group is not sorted for each of its rows. */
const SORT_MIN = 1_000;

const keepFirst = (group: NamedRow[], count: number): void => {
  if (group.length > 1) group.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  if (group.length > count) group.length = count;
};

export class TimeWalk {
  readonly #reading: Reading;
  readonly #scope: Scope;
  readonly #options: WalkOptions;
  readonly #entries: Entry[];

  constructor(reading: Reading, scope: Scope, files: readonly PartitionFile[], options: WalkOptions) {
    this.#reading = reading;
    this.#scope = scope;
    this.#options = options;
    this.#entries = files.map(file => ({
      key: this.#key(options.direction === 'asc' ? file.dayStart : file.dayEnd - 1),
      file,
      rows: undefined,
      step: [],
      at: 0,
    }));
  }

  /** Undefined at the end. */
  async nextGroup(): Promise<readonly NamedRow[] | undefined> {
    const {count, isWanted} = this.#options;
    const group: NamedRow[] = [];
    let instant: number | undefined;
    for (;;) {
      const entry = this.#first();
      if (entry === undefined) break;
      if (instant !== undefined && entry.key > instant) break;
      const row = entry.step[entry.at];
      if (row === undefined) {
        await this.#advance(entry);
        continue;
      }
      instant = entry.key;
      entry.at++;
      const {number, endpoint, id, at} = row;
      const name = `${id} ${this.#scope.endpoints.get(endpoint) ?? ''}`;
      if (isWanted(row, name, entry.rows?.isExact ?? false))
        group.push({number, endpoint, id, at, file: entry.file.file, name});
      if (group.length >= 2 * count + SORT_MIN) keepFirst(group, count);
      const next = entry.step[entry.at];
      if (next !== undefined) entry.key = this.#key(next.at);
    }
    keepFirst(group, count);
    return instant === undefined ? undefined : group;
  }

  /** Smaller comes first. */
  #key(at: number): number {
    const group = Math.floor(at / this.#options.unit);
    return this.#options.direction === 'asc' ? group : -group;
  }

  #first(): Entry | undefined {
    let first: Entry | undefined;
    for (const entry of this.#entries) if (first === undefined || entry.key < first.key) first = entry;
    return first;
  }

  /** Opens the partition, or takes its next rows; without any it is done. */
  async #advance(entry: Entry): Promise<void> {
    await this.#reading.turn();
    const {direction, more} = this.#options;
    if (entry.rows === undefined) {
      const content = contentIn(this.#reading, this.#scope, entry.file);
      if (content === undefined) return this.#drop(entry);
      entry.rows = new Rows(this.#reading, this.#scope, entry.file, content, {
        order: direction,
        hasBodies: false,
        more,
      });
      entry.key = Math.max(entry.key, this.#key(direction === 'asc' ? content.from : content.to));
      return;
    }
    entry.step = entry.rows.next();
    entry.at = 0;
    const [row] = entry.step;
    if (row === undefined) this.#drop(entry);
    else entry.key = this.#key(row.at);
  }

  #drop(entry: Entry): void {
    this.#entries.splice(this.#entries.indexOf(entry), 1);
  }
}
