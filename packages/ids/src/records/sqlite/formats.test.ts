// SPDX-License-Identifier: Apache-2.0
/** Which record folders are taken, which are refused and left as they are, and how one gets to a newer format. */
import {mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {DatabaseSync} from 'node:sqlite';
import {afterEach, beforeEach, expect, test, vi} from 'vitest';
import {A, batch, threat} from '../../testing/record-store-contract.ts';
import {migratePartitions, RECORD_FORMATS, recordFormats} from './formats.ts';
import {Journal} from './journal.ts';
import {EVIDENCE_SQL, JOURNAL_SQL, parsePartitionFile, RECORDS_SQL} from './schema.ts';
import {Writer} from './writer.ts';

const BUDGET = {bytes: 2 ** 40, ageMs: 2 ** 45};

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'palisade-record-formats-'));
});
afterEach(() => rmSync(folder, {recursive: true}));

const open = (): Writer =>
  new Writer({
    folder,
    budgets: {threats: BUDGET, traffic: BUDGET, evidence: BUDGET},
    newEpoch: () => 'epoch',
    missingBytes: () => 0,
    onDropped: () => undefined,
  });
const fill = (): void => {
  const writer = open();
  const written = batch({endpoint: A, threats: [threat(0, {endpoint: A}, 'an event')]});
  writer.commit([{batch: written, text: JSON.stringify(written)}]);
  writer.close();
};
const edit = (file: string, sql: string): void => {
  const db = new DatabaseSync(join(folder, file));
  db.exec(sql);
  db.close();
};
const content = (): Record<string, string> =>
  Object.fromEntries(readdirSync(folder).map(name => [name, readFileSync(join(folder, name), 'base64')]));

test.each([
  ['newer', "PRAGMA user_version = 3; INSERT INTO formats VALUES (3, '0.4.0')", 'format', 'written by palisade 0.4.0 in format 3; this is palisade 0.1.0, which reads up to 1; run palisade 0.4.0 or newer'],
  ['from before 0.1.0', 'PRAGMA application_id = 0', 'format', 'written by a version before 0.1.0'],
  ['foreign', 'PRAGMA application_id = 7', 'format', 'a database of another program'],
  ['emptied', 'DROP TABLE meta; PRAGMA application_id = 0; PRAGMA user_version = 0', 'damaged', 'move it away to start empty'],
])('48-4 a folder whose journal is %s is refused and left as it is', (_name, sql, code, words) => {
  fill();
  edit('journal.db', sql);
  const before = content();
  expect(open).toThrow(expect.objectContaining({code, message: expect.stringContaining(words)}));
  expect(content()).toEqual(before);
}); // biome-ignore format: a table

test('48-4 a journal that is no database is damaged, not new', () => {
  fill();
  for (const text of ['', 'a letter '.repeat(50)]) {
    writeFileSync(join(folder, 'journal.db'), text);
    const before = content();
    expect(open).toThrow();
    expect(content()).toEqual(before);
  }
});

test('48-4 a newer partition is set aside, under another name and with its records counted as lost', () => {
  fill();
  const file = readdirSync(folder).find(name => /^(low|medium|high|critical)-/.test(name)) ?? '';
  edit(file, 'PRAGMA user_version = 9');
  const before = content()[file];
  const writer = open();
  const works = batch({endpoint: A, threats: [threat(1, {endpoint: A}, 'another')]});
  writer.commit([{batch: works, text: JSON.stringify(works)}]);
  writer.close();
  expect(content()[`${file}.damaged`]).toBe(before);
});

const LATER = recordFormats([
  {to: 1, since: '0.1.0', journal: JOURNAL_SQL, records: RECORDS_SQL, evidence: EVIDENCE_SQL},
  {
    to: 2,
    since: '0.2.0',
    journal: "INSERT INTO meta VALUES ('second', '1')",
    records: 'ALTER TABLE records ADD COLUMN second INTEGER NOT NULL DEFAULT 2',
    evidence: '',
  },
]);

test('48-1 a migration does not skip a partition that the disk did not give for a moment', () => {
  fill();
  const journal = new Journal(join(folder, 'journal.db'), LATER.journal);
  const exec = DatabaseSync.prototype.exec;
  let reads = 0;
  const spy = vi.spyOn(DatabaseSync.prototype, 'exec').mockImplementation(function (this: DatabaseSync, sql) {
    if (sql === 'PRAGMA synchronous = FULL' && reads++ === 0)
      throw Object.assign(new Error('database disk image is malformed'), {errcode: 11}); // as SQLite calls EIO
    exec.call(this, sql);
  });
  try {
    migratePartitions(folder, journal, LATER);
  } finally {
    spy.mockRestore();
  }
  const numbers = journal.partitions().map(({file}) => {
    const db = new DatabaseSync(join(folder, file), {readOnly: true});
    const number = db.prepare('PRAGMA user_version').get()?.['user_version'];
    db.close();
    return number;
  });
  journal.close();
  expect(numbers).toEqual([2, 2]);
});

test('48-4 a migration brings the journal, then each partition to the new format, and continues where it was cut short', () => {
  fill();
  const partitions = readdirSync(folder).filter(name => parsePartitionFile(name) !== undefined);
  const stateOf = (file: string): unknown => {
    const db = new DatabaseSync(join(folder, file), {readOnly: true});
    const formats = db.prepare("SELECT group_concat(number || ' ' || written_by) AS all_of FROM formats").get();
    const number = db.prepare('PRAGMA user_version').get()?.['user_version'];
    db.close();
    return [number, formats?.['all_of']];
  };
  expect(partitions.map(stateOf)).toEqual([
    [1, '1 0.1.0'],
    [1, '1 0.1.0'],
  ]);
  let journal = new Journal(join(folder, 'journal.db'), LATER.journal);
  const first = {partitionFormat: journal.partitionFormat, partitions: () => journal.partitions().slice(0, 1)};
  migratePartitions(folder, first, LATER); // cut short: the journal does not say that all are done
  journal.close();
  expect(() => new Journal(join(folder, 'journal.db'))).toThrow('written by palisade 0.2.0 in format 2');

  journal = new Journal(join(folder, 'journal.db'), LATER.journal);
  expect(journal.partitionFormat).toBe(1);
  migratePartitions(folder, journal, LATER);
  expect(journal.partitionFormat).toBe(2);
  journal.close();
  for (const file of [...partitions, 'journal.db']) expect(stateOf(file)).toEqual([2, '1 0.1.0,2 0.2.0']);
  expect(RECORD_FORMATS.journal.migrations).toHaveLength(1);
});
