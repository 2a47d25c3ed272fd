// SPDX-License-Identifier: Apache-2.0
/**
 * The files of the record store, below `DATA/records`.
 *
 *   journal.db                         what commits: the redo log, positions of sensors and readers, names of endpoints, counts
 *   CLASS-YYYYMMDD-NNNN.db             a partition: records of a class (traffic, informational, low, medium, high, critical) and a day (UTC), of all endpoints; NNNN
 *                                      counts up over all files of the store, so that no
 *                                      name comes twice
 *   evidence-YYYYMMDD-NNNN.db          events of threats as Suricata wrote them
 *
 * A commit is one transaction of the journal (synchronous=FULL): the redo entry with what every partition gets, and the position. The
 * partitions (WAL, synchronous=NORMAL) get it right after, and a redo entry goes when the partitions that it names are on disk. After a crash the entries
 * that are left are applied again: they hold whole rows, so twice is once. Dropping the oldest of a class is a file delete.
 */
import type {RecordClass} from '../evictions.ts';

export type PartitionClass = RecordClass | 'EVIDENCE';

const PARTITION = /^(traffic|informational|low|medium|high|critical|evidence)-(\d{8})-(\d{4,})\.db$/;
export type PartitionName = {readonly recordClass: PartitionClass; readonly day: string; readonly number: number};

export const partitionFile = ({recordClass, day, number}: PartitionName): string =>
  `${recordClass.toLowerCase()}-${day}-${String(number).padStart(4, '0')}.db`;

/** Undefined: another file. */
export const parsePartitionFile = (file: string): PartitionName | undefined => {
  const [, recordClass = '', day = '', number = ''] = PARTITION.exec(file) ?? [];
  return recordClass === ''
    ? undefined
    : {recordClass: recordClass.toUpperCase() as PartitionClass, day, number: Number(number)};
};

/**
 * `missed`: dropped records that a reader may not have seen, summed up by the sequence numbers of their first writing (up to `sequence`).
 * `partitions`: the files that count; another one is the rest of a file that was dropped, or of one that was being made. `summary`: what is in it (JSON,
 * see work.ts); while `written` is 1, what was in it when the redo log was last emptied. `places`: which file each part of a redo entry goes to.
 */
export const JOURNAL_SQL = `
  CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE endpoints (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, position TEXT);
  CREATE TABLE readers (name TEXT PRIMARY KEY, position TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE dropped (
    endpoint INTEGER NOT NULL,
    class TEXT NOT NULL,
    evicted INTEGER NOT NULL DEFAULT 0,
    expired INTEGER NOT NULL DEFAULT 0,
    lost INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (endpoint, class)
  ) WITHOUT ROWID;
  CREATE TABLE partitions (file TEXT PRIMARY KEY, summary TEXT NOT NULL, written INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE missed (kind TEXT NOT NULL, sequence INTEGER NOT NULL, count INTEGER NOT NULL);
  CREATE TABLE redo (sequence INTEGER PRIMARY KEY, kind TEXT NOT NULL, entry TEXT NOT NULL, places TEXT NOT NULL);
  INSERT INTO meta VALUES ('sequence', '0'), ('partitions', '0');
`;

/**
 * Rows are small and in the order of their writing; the rest of a record is in `bodies`, so that a scan reads few pages. Addresses are 16 bytes (IPv4
 * mapped into IPv6), NULL where a record has none: they compare as addresses and a CIDR block is a range.
 * `minutes` sums up what a histogram and counts ask for: `alerts` is the sum of repeat_count.
 */
export const RECORDS_SQL = `
  CREATE TABLE records (
    number INTEGER PRIMARY KEY,
    endpoint INTEGER NOT NULL,
    id TEXT NOT NULL,
    at INTEGER NOT NULL,
    written INTEGER NOT NULL,
    changed INTEGER NOT NULL,
    repeat INTEGER NOT NULL,
    threat TEXT NOT NULL,
    source BLOB,
    destination BLOB,
    source_port INTEGER NOT NULL,
    destination_port INTEGER NOT NULL,
    protocol TEXT NOT NULL,
    application TEXT NOT NULL,
    acknowledged INTEGER NOT NULL DEFAULT 0,
    escalated INTEGER NOT NULL DEFAULT 0
  );
  CREATE UNIQUE INDEX records_id ON records (id, endpoint);
  CREATE INDEX records_at ON records (at);
  CREATE INDEX records_written ON records (written);
  CREATE INDEX records_changed ON records (changed) WHERE changed > written;
  CREATE INDEX records_threat ON records (threat, at);
  CREATE INDEX records_source ON records (source, at);
  CREATE INDEX records_destination ON records (destination, at);
  CREATE TABLE bodies (number INTEGER PRIMARY KEY, body TEXT NOT NULL, triage TEXT);
  CREATE TABLE minutes (
    endpoint INTEGER NOT NULL,
    minute INTEGER NOT NULL,
    records INTEGER NOT NULL,
    alerts INTEGER NOT NULL,
    PRIMARY KEY (endpoint, minute)
  ) WITHOUT ROWID;
`;

export const EVIDENCE_SQL = `
  CREATE TABLE evidence (endpoint INTEGER NOT NULL, id TEXT NOT NULL, event TEXT NOT NULL, PRIMARY KEY (id, endpoint));
`;
