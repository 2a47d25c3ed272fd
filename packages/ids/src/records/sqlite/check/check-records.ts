// SPDX-License-Identifier: Apache-2.0
/** A check of a folder of records that no server uses. It reads everything and changes nothing. */
import {existsSync, readdirSync} from 'node:fs';
import {setImmediate} from 'node:timers/promises';
import {type FileFormat, isLocked} from '@palisade/store/sqlite';
import {RECORD_FAULTS_SHOWN_MAX} from '../../../limits.ts';
import {RecordStoreError} from '../../record-store.ts';
import {toRecordStoreError} from '../faults.ts';
import {inFolder} from '../files.ts';
import {formatOfClass, RECORD_FORMATS} from '../formats.ts';
import {type PartitionName, parsePartitionFile} from '../schema.ts';
import {JOURNAL_FILE} from '../writer.ts';
import {fileFaults, type JournalContent, type ListedFile, readJournal} from './check-journal.ts';
import {type PartitionContent, readEvidence, readRecords} from './check-partition.ts';
import {withUnchanged} from './open-unchanged.ts';

/** `file`: a name below the folder. `message`: what is wrong with it. */
export type RecordsFault = {readonly file: string; readonly message: string};
/** Numbers of files that count, and of records in them. At most RECORD_FAULTS_SHOWN_MAX faults of a file are listed. */
export type CheckedRecords = {
  readonly files: number;
  readonly records: number;
  readonly faults: readonly RecordsFault[];
};

export type CheckRecordsOptions = {
  /** Called before each file; `of` files. */
  readonly onFile?: ((file: string, at: number, of: number) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
};

/**
 * An absent or empty folder is a record store without records. Entries of the redo log need not be in their partitions yet.
 * Throws RecordStoreError `in-use` while a server has the folder; `signal.reason` when it is aborted; errors of the file system for a folder
 * that cannot be read.
 */
export const checkRecords = async (
  folder: string,
  {onFile, signal}: CheckRecordsOptions = {},
): Promise<CheckedRecords> => {
  if (!existsSync(folder)) return {files: 0, records: 0, faults: []};
  const path = inFolder(folder, JOURNAL_FILE);
  if (isLocked(path))
    throw new RecordStoreError(
      'in-use',
      `${folder}: a server is using these records; stop it, or check a copy of them`,
    );
  const there = readdirSync(folder);
  if (!there.includes(JOURNAL_FILE)) {
    const has = there.some(file => parsePartitionFile(file) !== undefined);
    return {
      files: 0,
      records: 0,
      faults: has ? [{file: JOURNAL_FILE, message: 'it is gone, and records are there'}] : [],
    };
  }
  onFile?.(JOURNAL_FILE, 0, there.length);
  const faults: RecordsFault[] = [];
  const journal = readFile(path, faults, JOURNAL_FILE, readJournal);
  if (journal === undefined) return {files: 1, records: 0, faults};
  faults.push(...shown(JOURNAL_FILE, journal.faults));
  const ids = new Map<string, Set<string>>();
  let records = 0;
  for (const [at, listed] of journal.listed.entries()) {
    signal?.throwIfAborted();
    await setImmediate();
    onFile?.(listed.file, at + 1, journal.listed.length + 1);
    records += checkFile(folder, listed, journal, ids, faults);
  }
  return {files: journal.listed.length + 1, records, faults};
};

/** Returns how many records it has. `ids`: by class and day, since a record is in one file of them. */
const checkFile = (
  folder: string,
  listed: ListedFile,
  journal: JournalContent,
  ids: Map<string, Set<string>>,
  faults: RecordsFault[],
): number => {
  const {file} = listed;
  const name = parsePartitionFile(file) as PartitionName; // readJournal lists no others
  const path = inFolder(folder, file);
  if (!existsSync(path)) {
    faults.push({file, message: 'it is gone'});
    return 0;
  }
  const content = readFile(path, faults, file, (database): PartitionContent => {
    const {recordClass} = name;
    return recordClass === 'EVIDENCE'
      ? readEvidence(database, name, listed)
      : readRecords(database, {...name, recordClass}, journal, listed);
  });
  if (content === undefined) return 0;
  const key = `${name.recordClass} ${name.day}`;
  const known = ids.get(key) ?? new Set<string>();
  const twice = content.ids.filter(id => known.has(id)).map(id => `record ${id}: it is in another file too`);
  for (const id of content.ids) known.add(id);
  ids.set(key, known);
  faults.push(...shown(file, [...content.faults, ...twice]));
  return content.ids.length;
};

const formatOf = (file: string): FileFormat => {
  const name = parsePartitionFile(file);
  return name === undefined ? RECORD_FORMATS.journal : formatOfClass(name.recordClass);
};

/** Undefined: it cannot be read, and why is among the faults. */
const readFile = <T>(
  path: string,
  faults: RecordsFault[],
  file: string,
  read: Parameters<typeof withUnchanged<T>>[1],
): T | undefined => {
  try {
    return withUnchanged(path, database => {
      const found = fileFaults(database, formatOf(file));
      faults.push(...shown(file, found));
      return found.length > 0 ? undefined : read(database);
    });
  } catch (error) {
    faults.push({file, message: toRecordStoreError(error, 'it cannot be read').message});
    return undefined;
  }
};

const shown = (file: string, messages: readonly string[]): readonly RecordsFault[] => {
  const more = messages.length - RECORD_FAULTS_SHOWN_MAX;
  const rest = more > 0 ? [{file, message: `and ${more} more faults`}] : [];
  return [...messages.slice(0, RECORD_FAULTS_SHOWN_MAX).map(message => ({file, message})), ...rest];
};
