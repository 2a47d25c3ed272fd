// SPDX-License-Identifier: Apache-2.0
/**
 * Formats of the record store: one number for a folder, for the journal and all partitions (store/format/file-format.ts, docs/reference/formats.md).
 *
 * F1 the journal goes first: from then on older programs refuse the folder.
 * F2 then each partition, one transaction each; `partitionFormat` in the journal says that all of them have got there, so that a start looks
 *    into the files only after a migration, also after one that was cut short.
 */
import {existsSync} from 'node:fs';
import {join} from 'node:path';
import {DatabaseSync} from 'node:sqlite';
import {type FileFormat, migrate, newestOf} from '@palisade/store/sqlite';
import {whyDamaged} from './damage.ts';
import {isDamage} from './faults.ts';
import {EVIDENCE_SQL, JOURNAL_SQL, type PartitionClass, parsePartitionFile, RECORDS_SQL} from './schema.ts';

/** What leads from the format before `to` there, for each kind of file; empty: nothing changes. */
export type RecordMigration = {
  readonly to: number;
  readonly since: string;
  readonly journal: string;
  readonly records: string;
  readonly evidence: string;
};

/** 1: 0.1.0, the first that is frozen. */
const MIGRATIONS: readonly RecordMigration[] = [
  {to: 1, since: '0.1.0', journal: JOURNAL_SQL, records: RECORDS_SQL, evidence: EVIDENCE_SQL},
];

export type RecordFormats = {readonly journal: FileFormat; readonly records: FileFormat; readonly evidence: FileFormat};

/** "PLSJ", "PLSR", "PLSE". Before 0.1.0 the files had no application_id. */
const IDS = {journal: 0x504c534a, records: 0x504c5352, evidence: 0x504c5345} as const;

export const recordFormats = (migrations: readonly RecordMigration[]): RecordFormats => {
  const of = (name: keyof RecordFormats): FileFormat => ({
    applicationId: IDS[name],
    earlierIds: [0],
    migrations: migrations.map(migration => ({to: migration.to, since: migration.since, sql: migration[name]})),
  });
  return {journal: of('journal'), records: of('records'), evidence: of('evidence')};
};

export const RECORD_FORMATS = recordFormats(MIGRATIONS);

export const formatOfClass = (partitionClass: PartitionClass, formats: RecordFormats = RECORD_FORMATS): FileFormat =>
  partitionClass === 'EVIDENCE' ? formats.evidence : formats.records;

/** What of the journal a migration of the partitions needs. */
type Listing = {partitionFormat: number; partitions(): readonly {readonly file: string}[]};

/** Nothing is opened where they have the format already. Throws errors of SQLite other than damage. */
export function migratePartitions(folder: string, journal: Listing, formats: RecordFormats): void {
  const newest = newestOf(formats.journal);
  if (journal.partitionFormat === newest) return;
  for (const {file} of journal.partitions()) {
    const name = parsePartitionFile(file);
    const path = join(folder, file);
    if (name !== undefined && existsSync(path)) migratePartition(path, formatOfClass(name.recordClass, formats));
  }
  journal.partitionFormat = newest;
}

/** A damaged file stays as it is: what reads it next sets it aside. One that the disk does not give is not damaged. */
function migratePartition(path: string, format: FileFormat): void {
  try {
    migrateFile(path, format);
  } catch (error) {
    const found = isDamage(error) ? whyDamaged(path) : error;
    if (found === undefined) migrateFile(path, format);
    else if (!isDamage(found)) throw found;
  }
}

function migrateFile(path: string, format: FileFormat): void {
  const database = new DatabaseSync(path);
  try {
    if (database.prepare('PRAGMA user_version').get()?.['user_version'] === newestOf(format)) return;
    database.exec('PRAGMA synchronous = FULL');
    migrate(database, format);
  } finally {
    database.close();
  }
}
