// SPDX-License-Identifier: Apache-2.0
/** Logs of partitions stay small and go, though a reader has the files open. */
import {existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {DatabaseSync} from 'node:sqlite';
import {afterEach, beforeEach, expect, test} from 'vitest';
import {RECORD_LOG_BYTES} from '../../limits.ts';
import {batch, T0, threat} from '../../testing/record-store-contract.ts';
import {makePrivateFolder} from './files.ts';
import {Writer} from './writer.ts';

const LARGE = {bytes: 2 ** 40, ageMs: 90 * 86_400_000};
const ROLL_BYTES = 400_000;

let folder: string;
let rollBytes: number;
let writer: Writer;
const readers = new Map<string, DatabaseSync>();

const open = (): void => {
  writer = new Writer({
    folder,
    budgets: {threats: LARGE, traffic: LARGE, evidence: LARGE},
    newEpoch: () => 'history',
    missingBytes: () => 0,
    onDropped: () => {},
    rollBytes: () => rollBytes,
  });
};
beforeEach(() => {
  rollBytes = ROLL_BYTES;
  folder = join(mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'palisade-logs-')), 'records');
  makePrivateFolder(folder);
  open();
});
afterEach(() => {
  for (const reader of readers.values()) reader.close();
  readers.clear();
  writer.close();
  rmSync(join(folder, '..'), {recursive: true, force: true});
});

/** One record a commit; a reader opens each file and keeps it open. */
const trickle = (from: number, to: number): void => {
  for (let at = from; at < to; at++) {
    const one = batch({threats: [threat(at, {details: 'd'.repeat(300)})]});
    writer.commit([{batch: one, text: JSON.stringify(one)}]);
    for (const {file} of writer.partitions.all())
      if (!readers.has(file)) readers.set(file, new DatabaseSync(join(folder, file), {readOnly: true}));
    for (const reader of readers.values()) reader.prepare('SELECT count(*) FROM records').get();
  }
};
const logs = (): number[] =>
  readdirSync(folder)
    .filter(file => /^low-.*-wal$/.test(file))
    .map(file => statSync(join(folder, file)).size);
const dataBytes = (): number[] => writer.partitions.all().map(({file}) => statSync(join(folder, file)).size);

test('44-1 a file is full by its records, not by its log, which goes when the next file is begun', () => {
  trickle(0, 600);
  const entries = writer.partitions.all();
  expect(entries.length).toBeGreaterThan(1);
  for (const bytes of dataBytes().slice(0, -1)) expect(bytes).toBeGreaterThanOrEqual(ROLL_BYTES);
  expect(logs().filter(bytes => bytes > 0).length).toBeLessThanOrEqual(1);
});

test('44-1 small commits leave a small log', () => {
  rollBytes = 2 ** 30;
  trickle(0, 300);
  for (const bytes of logs()) expect(bytes).toBeLessThanOrEqual(RECORD_LOG_BYTES * 1.1);
});

test('44-1 a file that is no longer written has no log', () => {
  trickle(0, 20);
  for (let i = 0; i < 2; i++) writer.tidy(T0);
  expect(logs()).toEqual([0]);
  expect(writer.partitions.all().map(({bytes}) => bytes)).toEqual(dataBytes());
});

test('48-1 flushed records are in the files: no log is needed whose sync failed before', () => {
  trickle(0, 20);
  expect(logs()[0]).toBeGreaterThan(0);
  writer.flush();
  expect(logs()).toEqual([0]);
  expect(writer.partitions.all().map(({bytes}) => bytes)).toEqual(dataBytes());
});

test('48-1 a log that a reader keeps is written again by a flush: a sync of it may have failed unseen', () => {
  trickle(0, 20);
  const [file = ''] = readers.keys();
  const log = join(folder, `${file}-wal`);
  readers.get(file)?.exec('BEGIN');
  readers.get(file)?.prepare('SELECT count(*) FROM records').get();
  trickle(20, 21);
  const before = readFileSync(log);
  utimesSync(log, 1, 1);
  writer.flush();
  expect(readFileSync(log).equals(before)).toBe(true);
  expect(statSync(log).mtimeMs).toBeGreaterThan(1_000);
  readers.get(file)?.exec('COMMIT');
});

test('44-1 a log that a reader kept goes at a tidy, and one of a crash at the start', () => {
  trickle(0, 20);
  const [reader] = readers.values();
  reader?.exec('BEGIN');
  reader?.prepare('SELECT count(*) FROM records').get();
  trickle(20, 21);
  for (let i = 0; i < 2; i++) writer.tidy(T0);
  expect(logs()[0]).toBeGreaterThan(0);
  reader?.exec('COMMIT');
  writer.tidy(T0);
  expect(logs()).toEqual([0]);

  trickle(21, 22);
  // As after a crash: the writer is not closed.
  const crashed = writer;
  expect(logs()[0]).toBeGreaterThan(0);
  open();
  for (let i = 0; i < 2; i++) writer.tidy(T0);
  expect(logs()).toEqual([0]);
  crashed.partitions.closeAll();
  crashed.journal.close();
});
