// SPDX-License-Identifier: Apache-2.0
/** Which partitions there are and what is in them: from when to when, and up to which sequence number. */
import {statSync} from 'node:fs';
import {join} from 'node:path';
import type {RecordKind} from '@palisade/ids-wire';
import type {Clock} from '../../../system.ts';
import {kindOfClass, type RecordClass} from '../../evictions.ts';
import {parsePartitionFile} from '../schema.ts';
import type {OpenPartitions} from './open-partitions.ts';

const DAY_MICROS = 86_400_000_000;

export type PartitionFile = {
  readonly file: string;
  readonly recordClass: RecordClass;
  /** Microseconds; its records are from `dayStart` on and before `dayEnd`. */
  readonly dayStart: number;
  readonly dayEnd: number;
};

/** Of a partition that holds records; the times of the oldest and the newest of them. */
export type Content = {
  readonly from: number;
  readonly to: number;
  readonly written: number;
  readonly changed: number;
};

type Known = {readonly stamp: string; readonly content: Content | undefined};

/** A file that was written less than that long ago may change again within the same stamp. */
const STAMP_SURE_MS = 100;

const CONTENT_SQL = `SELECT (SELECT min(at) FROM records) AS "from", (SELECT max(at) FROM records) AS "to",
  (SELECT max(written) FROM records) AS written,
  (SELECT max(changed) FROM records INDEXED BY records_changed WHERE changed > written) AS changed`;

export class PartitionFiles {
  readonly #directory: string;
  readonly #open: OpenPartitions;
  readonly #clock: Clock;
  readonly #names: () => readonly string[];
  readonly #known = new Map<string, Known>();
  /** What was found when everything up to a sequence number was in the files, which is given with it. */
  readonly #sure = new Map<string, {readonly sequence: number; readonly content: Content | undefined}>();

  /** `names`: of the files that count. `clock`: that of the file system. */
  constructor(directory: string, open: OpenPartitions, names: () => readonly string[], clock: Clock) {
    this.#directory = directory;
    this.#names = names;
    this.#open = open;
    this.#clock = clock;
  }

  /** All of a kind, oldest day first. */
  list(kind: RecordKind): PartitionFile[] {
    const names = this.#names();
    const there = new Set(names);
    this.#open.keepOnly(there);
    for (const known of [this.#known, this.#sure])
      for (const file of known.keys()) if (!there.has(file)) known.delete(file);
    return names
      .flatMap(file => partitionOf(file) ?? [])
      .filter(({recordClass}) => kindOfClass(recordClass) === kind)
      .sort((a, b) => a.dayStart - b.dayStart || (a.file < b.file ? -1 : 1));
  }

  evidence(day: string): string[] {
    return this.#names().filter(file => {
      const name = parsePartitionFile(file);
      return name?.recordClass === 'EVIDENCE' && name.day === day;
    });
  }

  /**
   * As `content`, of what the file has up to a sequence number that is in the files; what came later may be missing. Nothing is asked of the disk
   * when it was asked for that number before, as each of many readers does after a commit.
   */
  contentUntil(file: string, sequence: number): Content | undefined {
    const known = this.#sure.get(file);
    if (known !== undefined && known.sequence >= sequence) return known.content;
    const content = this.content(file);
    this.#sure.set(file, {sequence, content});
    return content;
  }

  /** Undefined: it has no records, or is gone. */
  content(file: string): Content | undefined {
    const stamp = this.#stamp(file);
    const known = this.#known.get(file);
    if (known !== undefined && stamp !== undefined && known.stamp === stamp) return known.content;
    const row = this.#open.use(file)?.get<{[K in keyof Content]: number | null}>(CONTENT_SQL);
    const {from, to, written, changed} = row ?? {from: null, to: null, written: null, changed: null};
    const content =
      from === null || to === null || written === null
        ? undefined
        : {from, to, written, changed: Math.max(written, changed ?? 0)};
    if (stamp === undefined) this.#known.delete(file);
    else this.#known.set(file, {stamp, content});
    return content;
  }

  /** Sizes and times of the file and of its log; undefined: it may change and keep them. */
  #stamp(file: string): string | undefined {
    const parts = ['', '-wal'].map(suffix => statSync(join(this.#directory, file + suffix), {throwIfNoEntry: false}));
    const sureUntil = this.#clock.now() - STAMP_SURE_MS;
    if (parts.some(part => part !== undefined && part.mtimeMs > sureUntil)) return undefined;
    return parts.map(part => (part === undefined ? '-' : `${part.size}@${part.mtimeMs}`)).join(' ');
  }
}

/** Undefined: no partition of records. */
const partitionOf = (file: string): PartitionFile | undefined => {
  const name = parsePartitionFile(file);
  if (name === undefined || name.recordClass === 'EVIDENCE') return undefined;
  const {day, recordClass} = name;
  const dayStart = Date.UTC(Number(day.slice(0, 4)), Number(day.slice(4, 6)) - 1, Number(day.slice(6))) * 1000;
  return {file, recordClass, dayStart, dayEnd: dayStart + DAY_MICROS};
};
