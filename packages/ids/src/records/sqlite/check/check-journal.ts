// SPDX-License-Identifier: Apache-2.0
/** The journal as it is: the files that it names, and its faults. */
import type {DatabaseSync} from 'node:sqlite';
import {databaseRefusal, type FileFormat, newestOf} from '@palisade/store/sqlite';
import type {Epoch} from '../../epochs.ts';
import {fromRow} from '../entries.ts';
import type {RedoRow} from '../journal.ts';
import {parsePartitionFile} from '../schema.ts';
import type {Summary} from '../work.ts';

export type ListedFile = {readonly file: string; readonly summary: Summary; readonly isWritten: boolean};

export type JournalContent = {
  readonly sequence: number;
  readonly endpoints: ReadonlySet<number>;
  readonly listed: readonly ListedFile[];
  readonly faults: readonly string[];
};

type Row = Readonly<Record<string, unknown>>;

/** What SQLite finds wrong with the file itself, or its format; nothing else of it can be read then. */
export const fileFaults = (database: DatabaseSync, format: FileFormat): readonly string[] => {
  const found = database.prepare('PRAGMA integrity_check(5)').all() as {integrity_check: string}[];
  const faults = found.map(row => row.integrity_check).filter(text => text !== 'ok');
  const refusal = databaseRefusal(database, format);
  const number = database.prepare('PRAGMA user_version').get()?.['user_version'];
  if (refusal !== undefined) faults.push(refusal.text);
  else if (number !== newestOf(format)) faults.push(`its format is ${number}, and ${newestOf(format)} was expected`);
  return faults;
};

const attempt = (faults: string[], where: string, action: () => void): void => {
  try {
    action();
  } catch (error) {
    faults.push(`${where}: ${error instanceof Error ? error.message : String(error)}`);
  }
};

const epochFaults = (text: string, sequence: number): readonly string[] => {
  const epochs = JSON.parse(text) as readonly Epoch[];
  const isInOrder = epochs.every(
    ({name, first}, i) => typeof name === 'string' && first >= (epochs[i - 1]?.first ?? 1) && first <= sequence + 1,
  );
  return isInOrder ? [] : [`its epochs do not fit its last sequence number ${sequence}`];
};

export const readJournal = (database: DatabaseSync): JournalContent => {
  const all = (sql: string): readonly Row[] => database.prepare(sql).all();
  const faults: string[] = [];
  const meta = new Map(all('SELECT key, value FROM meta').map(({key, value}) => [String(key), String(value)]));
  const sequence = Number(meta.get('sequence') ?? Number.NaN);
  if (!Number.isSafeInteger(sequence)) faults.push('it has no sequence number');
  attempt(faults, 'epochs', () => faults.push(...epochFaults(meta.get('epochs') ?? '[]', sequence)));
  const numbers = new Map<string, number>();
  for (const {number, name, position} of all('SELECT * FROM endpoints')) {
    numbers.set(String(name), Number(number));
    if (position !== null) attempt(faults, `position of ${name}`, () => JSON.parse(String(position)));
  }
  for (const {name, position} of all('SELECT * FROM readers'))
    attempt(faults, `position of the reader ${name}`, () => JSON.parse(String(position)));
  const listed: ListedFile[] = [];
  for (const {file, summary, written} of all('SELECT * FROM partitions'))
    attempt(faults, `summary of ${file}`, () => {
      if (parsePartitionFile(String(file)) === undefined)
        faults.push(`it lists ${file}, which is no name of a partition`);
      else listed.push({file: String(file), summary: JSON.parse(String(summary)) as Summary, isWritten: written === 1});
    });
  for (const row of database.prepare('SELECT * FROM redo ORDER BY sequence').iterate() as Iterable<RedoRow>)
    attempt(faults, `redo entry ${row.sequence}`, () => faults.push(...redoFaults(row, sequence, numbers)));
  return {sequence, endpoints: new Set(numbers.values()), listed, faults};
};

const redoFaults = (row: RedoRow, sequence: number, numbers: ReadonlyMap<string, number>): readonly string[] => {
  const faults: string[] = [];
  if (row.sequence > sequence) faults.push(`redo entry ${row.sequence} is beyond the last sequence number ${sequence}`);
  const known = new Set(numbers.values());
  for (const {file, work} of fromRow(row, name => numbers.get(name) ?? 0).parts) {
    if (parsePartitionFile(file) === undefined) faults.push(`redo entry ${row.sequence} names no file for ${work.id}`);
    if (!known.has(work.endpoint)) faults.push(`redo entry ${row.sequence} names an endpoint that is not listed`);
  }
  return faults;
};
