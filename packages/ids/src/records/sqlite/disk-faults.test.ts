// SPDX-License-Identifier: Apache-2.0
/** A disk that refuses: the writer keeps what it answered, and goes on. */
import {existsSync, mkdirSync, mkdtempSync, readdirSync, rmdirSync, rmSync, symlinkSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {StatementSync} from 'node:sqlite';
import {afterEach, beforeEach, expect, test, vi} from 'vitest';
import {DAMAGED_FILES_KEPT_MAX} from '../../limits.ts';
import {batch, T0, threat} from '../../testing/record-store-contract.ts';
import type {DroppedFile, RecordFault} from './dropping.ts';
import {makePrivateFolder} from './files.ts';
import {GONE} from './partitions.ts';
import {countOfSummary} from './work.ts';
import {Writer, type WriterOptions} from './writer.ts';

const DAY_MS = 86_400_000;
const LARGE = {bytes: 2 ** 40, ageMs: 30 * DAY_MS};
const BUDGETS = {threats: LARGE, traffic: LARGE, evidence: LARGE};
const NO_SPACE = {...BUDGETS, threats: {...LARGE, bytes: 1}};

let folder: string;
let writer: Writer;
let dropped: DroppedFile[];
let faults: RecordFault[];
let missing: number;

const open = (options: Partial<WriterOptions> = {}): void => {
  dropped = [];
  faults = [];
  writer = new Writer({
    folder,
    budgets: BUDGETS,
    newEpoch: () => 'history',
    missingBytes: () => missing,
    onDropped: file => dropped.push(file),
    onFault: fault => faults.push(fault),
    ...options,
  });
};
beforeEach(() => {
  missing = 0;
  folder = join(mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'palisade-faults-')), 'records');
  makePrivateFolder(folder);
  open();
});
afterEach(() => {
  writer.close();
  rmSync(join(folder, '..'), {recursive: true, force: true});
});

/** `count` LOW threats of a day after the first. */
const commit = (day: number, count = 10, from = 0): void => {
  const one = batch({
    threats: Array.from({length: count}, (_, i) => threat(day * DAY_MS + from + i, {alert_severity: 'LOW'})),
  });
  writer.commit([{batch: one, text: JSON.stringify(one)}]);
};
const rest = (): void => {
  for (let i = 0; i < 2; i++) writer.tidy(T0);
};
const files = (): string[] => writer.partitions.all().map(({file}) => file);
const kept = (): number => writer.partitions.all().reduce((sum, {summary}) => sum + countOfSummary(summary), 0);
const counted = (why: 'evicted' | 'lost'): number => writer.journal.dropped().reduce((sum, row) => sum + row[why], 0);
/** A file that is closed cannot be opened, as on a full disk: SQLite finds no place for its -shm. */
const block = (file: string): void => symlinkSync(`${file}-shm`, join(folder, `${file}-shm`));
const refused = (): never => {
  throw Object.assign(new Error('database or disk is full'), {errcode: 13});
};

test('44-1 a file that cannot be opened is dropped, and all of it counts as missed', () => {
  commit(0);
  writer.journal.saveReader('out', {history: 'history', kinds: {threats: {sequence: writer.sequence, timeMs: 0}}});
  const at = writer.sequence;
  commit(1);
  rest();
  block(files()[0] ?? '');
  writer.setBudgets(NO_SPACE);
  writer.tidy(T0);
  expect(files()).toEqual([]);
  expect(counted('evicted')).toBe(20);
  expect(writer.journal.missed('threats', at, writer.sequence)).toBe(20);
});

test('44-1 readers that have seen everything miss nothing', () => {
  commit(0);
  writer.journal.saveReader('out', {history: 'history', kinds: {threats: {sequence: writer.sequence, timeMs: 0}}});
  rest();
  block(files()[0] ?? '');
  writer.setBudgets(NO_SPACE);
  writer.tidy(T0);
  expect(writer.journal.missed('threats', 0, writer.sequence)).toBe(0);
});

test('44-1 a drop is written down on a full disk too, with the space of the reserve, which comes back', () => {
  commit(0);
  writer.close();
  const reserve = join(folder, 'reserve');
  expect(existsSync(reserve)).toBe(true);
  const probe = (step: string): void => {
    if (step === 'drop is counted' && existsSync(reserve)) refused();
  };
  missing = 1;
  open({probe});
  expect(counted('evicted')).toBe(10);
  expect(existsSync(reserve)).toBe(false);
  missing = 0;
  writer.tidy(T0);
  expect(existsSync(reserve)).toBe(true);
});

test('44-1 a writer that cannot make room starts, says so, and makes it later', () => {
  commit(0);
  writer.close();
  missing = 1;
  let isFull = true;
  open({probe: step => step === 'drop is counted' && isFull && refused()});
  expect(faults).toMatchObject([
    {message: 'record store could not make room'},
    {message: 'record store could not make room'},
  ]);
  expect(kept()).toBe(10);
  isFull = false;
  writer.tidy(T0);
  expect(counted('evicted')).toBe(10);
});

test('44-1 room is made before a tidy writes anything, once', () => {
  for (const day of [0, 1, 2]) commit(day);
  rest();
  const steps: string[] = [];
  writer.close();
  open({probe: step => steps.push(step)});
  steps.length = 0;
  missing = 1;
  commit(3);
  steps.length = 0;
  writer.tidy(T0);
  expect(steps).toEqual(['drop is counted', 'drop is committed', 'partitions synced', 'redo log emptied']);
});

test('44-1 files that cannot be deleted: none that was dropped takes records, and they are deleted later', () => {
  commit(0);
  commit(1);
  rest();
  const [first = '', second = ''] = files();
  mkdirSync(join(folder, `${first}-shm`));
  writer.setBudgets(NO_SPACE);
  commit(2);
  expect(faults).toMatchObject([{message: 'dropped record file could not be deleted', file: first}]);
  expect(existsSync(join(folder, second))).toBe(false);
  writer.setBudgets(BUDGETS);
  commit(1, 10, 100);
  expect(kept()).toBe(10);
  writer.close();
  open();
  expect(kept()).toBe(10);
  expect(counted('evicted')).toBe(30);
  expect(faults).toMatchObject([]);
  rmdirSync(join(folder, `${first}-shm`));
  writer.tidy(T0);
  expect(readdirSync(folder).filter(file => file.startsWith(first))).toEqual([]);
});

test('44-1 a file that was deleted by hand is counted as lost at the next tidy', () => {
  commit(0);
  commit(1);
  writer.flush();
  commit(0, 5, 100);
  const [first = ''] = files();
  for (const suffix of ['', '-wal', '-shm']) rmSync(join(folder, first + suffix), {force: true});
  writer.tidy(T0);
  expect(dropped).toMatchObject([{file: first, why: 'lost', counts: [{count: 10}], error: {message: GONE}}]);
  expect(counted('lost')).toBe(10);
  expect(kept()).toBe(15); // what was in the redo log went to another file
});

test('44-1 a file that is gone before it was listed is not listed later', () => {
  let fails = true;
  writer.close();
  open({probe: step => step === 'journal commits' && fails && refused()});
  expect(() => commit(0)).toThrow('full');
  fails = false;
  const [first = ''] = files();
  rmSync(join(folder, first));
  writer.tidy(T0);
  commit(0);
  expect(writer.journal.partitions().map(({file}) => file)).toEqual(files());
  writer.close();
  open();
  expect(dropped).toEqual([]);
  expect(kept()).toBe(10);
});

test('48-1 a commit waits for a file that the disk does not give: no record is there twice', () => {
  writer.close();
  let rollBytes = 2 ** 30;
  open({rollBytes: () => rollBytes});
  commit(0);
  rollBytes = 1;
  commit(0, 1, 3_000);
  const before = kept();
  const get = StatementSync.prototype.get;
  let refuses = true;
  const spy = vi.spyOn(StatementSync.prototype, 'get').mockImplementation(function (this: StatementSync, ...args) {
    if (refuses && this.sourceSQL.startsWith('SELECT number, at, repeat'))
      throw Object.assign(new Error('disk I/O error'), {errcode: 266});
    return get.apply(this, args);
  });
  try {
    expect(() => commit(0, 1, 5)).toThrow(/\.db/);
    refuses = false;
    commit(0, 1, 5);
  } finally {
    spy.mockRestore();
  }
  expect(kept()).toBe(before);
});

const NOT_RETURNED = /the disk did not return a part of this file/;

/** Commits at these minutes, while the disk refuses reads of the file. Returns whether each was done. */
const commitsAt = (minutes: readonly number[]): boolean[] => {
  let now = 0;
  const get = StatementSync.prototype.get;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now);
  const spy = vi.spyOn(StatementSync.prototype, 'get').mockImplementation(function (this: StatementSync, ...args) {
    if (dropped.length === 0 && this.sourceSQL.startsWith('SELECT number, at, repeat'))
      throw Object.assign(new Error('disk I/O error'), {errcode: 266});
    return get.apply(this, args);
  });
  try {
    return minutes.map((minute, i) => {
      now = minute * 60_000;
      try {
        commit(0, 1, 3_000 + i);
        return true;
      } catch (error) {
        expect(String(error)).toMatch(NOT_RETURNED);
        return false;
      }
    });
  } finally {
    spy.mockRestore();
    clock.mockRestore();
  }
};

test('48-1 a file that the disk has not given for 5 minutes is set aside, and commits continue', () => {
  commit(0);
  writer.flush();
  expect(commitsAt([0, 2, 4, 5, 6])).toEqual([false, false, false, true, true]);
  expect(dropped).toMatchObject([{why: 'lost', counts: [{count: 10}]}]);
  expect(String(dropped[0]?.error)).toMatch(NOT_RETURNED);
  expect(kept()).toBe(3); // the first of those that were refused was committed, and then the last two
});

test('48-1 a file that the disk did not give twice, some time apart, is not set aside', () => {
  commit(0);
  writer.flush();
  expect(commitsAt([0, 6, 12])).toEqual([false, false, false]);
  commit(0, 1, 5_000);
  expect(dropped).toEqual([]);
  expect(kept()).toBe(12);
});

test('44-1 of damaged files the newest few are kept, whose number is named', () => {
  for (let day = 0; day < DAMAGED_FILES_KEPT_MAX + 3; day++) commit(day);
  const all = files();
  writer.close();
  for (const file of all) writeFileSync(join(folder, file), 'not a database any more');
  open();
  for (const day of all.keys()) commit(day);
  expect(dropped).toHaveLength(all.length);
  const left = readdirSync(folder).filter(file => file.endsWith('.damaged'));
  expect(left).toHaveLength(DAMAGED_FILES_KEPT_MAX);
  expect(left).toContain(`${all.at(-1)}.damaged`);
});
