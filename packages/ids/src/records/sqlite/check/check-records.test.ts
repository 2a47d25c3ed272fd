// SPDX-License-Identifier: Apache-2.0
import {cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {DatabaseSync} from 'node:sqlite';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {RECORD_BUDGETS_DEFAULT, RECORD_FAULTS_SHOWN_MAX} from '../../../limits.ts';
import {A, batch, flow, T0, threat} from '../../../testing/record-store-contract.ts';
import {recordIdOf} from '../../record-id.ts';
import type {RecordStore} from '../../record-store.ts';
import {openSqliteRecordStore} from '../record-store.ts';
import {checkRecords} from './check-records.ts';

const ignore = (): void => undefined;
const log = {debug: ignore, info: ignore, warn: ignore, error: ignore};
const openIn = (folder: string): RecordStore =>
  openSqliteRecordStore({folder, budgets: RECORD_BUDGETS_DEFAULT, clock: {now: () => T0 + 60_000}, log});

const parent = mkdtempSync(join(tmpdir(), 'palisade-check-'));
/** `stopped`: after a close; `killed`: as a crash leaves it, with logs and entries of the redo log. */
const [stopped, killed] = [join(parent, 'stopped'), join(parent, 'killed')];
const RECORDS = 42;

beforeAll(async () => {
  const folder = join(parent, 'live');
  const store = openIn(folder);
  const threats = Array.from({length: 40}, (_, i) => threat(i, {alert_severity: 'HIGH'}, `event ${i}`));
  await store.commit(batch({threats, traffic: [flow(1), flow(2)]}));
  const id = recordIdOf(threat(1).id, threat(1).record);
  await store.triage({endpoint: A, id}, {action: 'acknowledge', user: 'ann', timeMs: T0});
  cpSync(folder, killed, {recursive: true, filter: path => !path.endsWith('-lock')});
  await store.close();
  cpSync(folder, stopped, {recursive: true});
});
afterAll(() => rmSync(parent, {recursive: true, force: true}));

let count = 0;
const copyOf = (folder: string): string => {
  const copy = join(parent, `copy ${++count}`);
  cpSync(folder, copy, {recursive: true});
  return copy;
};
const HIGH = 'high-20260101-0001.db';
const EVIDENCE = 'evidence-20260101-0002.db';
const sql = (path: string, statement: string): void => {
  const database = new DatabaseSync(path);
  database.exec(statement);
  database.close();
};
const contentOf = (folder: string): unknown =>
  readdirSync(folder).map(file => [
    file,
    statSync(join(folder, file)).mtimeMs,
    readFileSync(join(folder, file)).toString('base64'),
  ]);

describe('48-3 a check of a folder of records', () => {
  test.each([
    ['after a stop', () => stopped],
    ['after a crash', () => killed],
  ])('reads everything and changes nothing, %s', async (_, folder) => {
    const before = contentOf(folder());
    const seen: string[] = [];
    const checked = await checkRecords(folder(), {onFile: file => seen.push(file)});
    expect(checked).toEqual({files: 4, records: RECORDS, faults: []});
    expect(seen).toEqual(['journal.db', EVIDENCE, HIGH, 'traffic-20260101-0003.db']);
    expect(contentOf(folder())).toEqual(before);
  });

  /** How it is broken, in which file, and what is reported of it. */
  const BROKEN: readonly (readonly [string, string, string | ((path: string) => void), RegExp])[] = [
    [
      'a body that is no JSON',
      HIGH,
      "UPDATE bodies SET body = '{' WHERE number = 2",
      /^record \S+: it cannot be decoded/,
    ],
    [
      'a body that is another one',
      HIGH,
      "UPDATE bodies SET body = replace(body, '1:3', '1:4')",
      /columns are not those/,
    ],
    ['a body of another class', HIGH, "UPDATE bodies SET body = replace(body, 'HIGH', 'LOW')", /file of another class/],
    ['a record without a body', HIGH, 'DELETE FROM bodies WHERE number = 3', /it has no body/],
    ['a decision that is gone', HIGH, 'UPDATE bodies SET triage = NULL', /decisions are not those/],
    [
      'a record of another day',
      HIGH,
      'UPDATE records SET at = at + 86400000000 WHERE number = 3',
      /its time is not that/,
    ],
    ['a record from the future', HIGH, 'UPDATE records SET changed = 99 WHERE number = 3', /the last commit is 2/],
    [
      'an endpoint that is not listed',
      HIGH,
      'UPDATE records SET endpoint = 9 WHERE number = 3',
      /endpoint 9 is not listed/,
    ],
    ['sums that do not fit', HIGH, 'UPDATE minutes SET records = 7', /it sums up 7 records, and has 40/],
    ['a record that is gone', HIGH, 'DELETE FROM records WHERE number = 3', /those of its summary/],
    ['evidence that is gone', EVIDENCE, 'DELETE FROM evidence WHERE rowid < 3', /those of its summary/],
    ['another format', HIGH, 'PRAGMA user_version = 99', /in format 99/],
    [
      'a page of zeros',
      HIGH,
      path => writeFileSync(path, Buffer.alloc(4096), {flag: 'r+', flush: true}),
      /not a database/,
    ],
    ['half a file', HIGH, path => truncateSync(path, 12_288), /./],
    ['a file that is gone', HIGH, path => rmSync(path), /^it is gone$/],
    ['a journal that is gone', 'journal.db', path => rmSync(path), /it is gone, and records are there/],
    ['a position that is no JSON', 'journal.db', "UPDATE endpoints SET position = '{'", /^position of projects/],
    [
      'a summary that is no JSON',
      'journal.db',
      `UPDATE partitions SET summary = '{' WHERE file = '${HIGH}'`,
      /^summary of high/,
    ],
    [
      'epochs that do not fit',
      'journal.db',
      `UPDATE meta SET value = '[{"name":"a","first":9}]' WHERE key = 'epochs'`,
      /epochs do not fit/,
    ],
    [
      'a file of another name',
      'journal.db',
      "INSERT INTO partitions VALUES ('../x', '{}', 0)",
      /no name of a partition/,
    ],
  ];

  test.each(BROKEN)('finds %s', async (_, file, how, message) => {
    const folder = copyOf(stopped);
    if (typeof how === 'string') sql(join(folder, file), how);
    else how(join(folder, file));
    const {faults} = await checkRecords(folder);
    expect(
      faults.filter(fault => fault.file === file && message.test(fault.message)).length,
      JSON.stringify(faults),
    ).toBeGreaterThan(0);
    expect(faults.length).toBeLessThanOrEqual(2 * RECORD_FAULTS_SHOWN_MAX);
  });

  test.each([
    ['no JSON', "UPDATE redo SET entry = '{' WHERE kind = 'batch'", /^redo entry 1: /],
    [
      'no place',
      `UPDATE redo SET places = '{"files":[],"of":[]}' WHERE kind = 'triage'`,
      /^redo entry 2 names no file/,
    ],
    ['another future', 'UPDATE redo SET sequence = 50 WHERE sequence = 2', /^redo entry 50 is beyond/],
  ])('finds a redo entry with %s', async (_, how, message) => {
    const folder = copyOf(killed);
    sql(join(folder, 'journal.db'), how);
    expect((await checkRecords(folder)).faults[0]).toEqual({
      file: 'journal.db',
      message: expect.stringMatching(message),
    });
  });

  test('an absent or empty folder has no records; one in use is refused; an abort ends it', async () => {
    expect(await checkRecords(join(parent, 'absent'))).toEqual({files: 0, records: 0, faults: []});
    const store = openIn(copyOf(stopped));
    await store.start();
    const folder = join(parent, `copy ${count}`);
    await expect(checkRecords(folder)).rejects.toMatchObject({code: 'in-use'});
    await store.close();
    await expect(checkRecords(folder, {signal: AbortSignal.abort(new Error('enough'))})).rejects.toThrow('enough');
  });
});
