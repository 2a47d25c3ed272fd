// SPDX-License-Identifier: Apache-2.0
/** What goes when there is too much, in which order, and that it is counted. */
import {existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import type {Severity} from '@palisade/ids-wire';
import {afterEach, beforeEach, expect, test} from 'vitest';
import {A, B, batch, flow, T0, threat} from '../../testing/record-store-contract.ts';
import type {RecordBatch} from '../record-sink.ts';
import type {DroppedFile} from './dropping.ts';
import {makePrivateFolder} from './files.ts';
import {countOfSummary} from './work.ts';
import {Writer, type WriterOptions} from './writer.ts';

const DAY_MS = 86_400_000;
const LARGE = {bytes: 2 ** 40, ageMs: 30 * DAY_MS};
/** Full after about 40 records of these tests. */
const ROLL_BYTES = 150_000;
const TEXT = 'd'.repeat(2_000);

let folder: string;
let writer: Writer;
let dropped: DroppedFile[];
let missing: number;

const open = (options: Partial<WriterOptions> = {}): void => {
  dropped = [];
  writer = new Writer({
    folder,
    budgets: {threats: LARGE, traffic: LARGE, evidence: LARGE},
    newEpoch: () => 'history',
    missingBytes: () => missing,
    onDropped: file => dropped.push(file),
    rollBytes: () => ROLL_BYTES,
    ...options,
  });
};
beforeEach(() => {
  missing = 0;
  folder = join(mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'palisade-evict-')), 'records');
  makePrivateFolder(folder);
  open();
});
afterEach(() => {
  writer.close();
  rmSync(join(folder, '..'), {recursive: true, force: true});
});

const commit = (more: Partial<RecordBatch>): void => {
  const one = batch(more);
  writer.commit([{batch: one, text: JSON.stringify(one)}]);
};
/** Numbers `from` to before `to`, in batches of 10; `i` milliseconds after `startMs`. */
const flood = (severity: Severity, from: number, to: number, {endpoint = A, startMs = 0, evidence = ''} = {}): void => {
  for (let at = from; at < to; at += 10)
    commit({
      endpoint,
      threats: Array.from({length: Math.min(10, to - at)}, (_, i) =>
        threat(startMs + at + i, {endpoint, alert_severity: severity, details: TEXT}, evidence || undefined),
      ),
    });
};
const flows = (from: number, to: number): void => {
  for (let at = from; at < to; at += 10)
    commit({traffic: Array.from({length: 10}, (_, i) => flow(at + i, {network: TEXT}))});
};
const kept = (): Record<string, number> => {
  const sums: Record<string, number> = {};
  for (const {recordClass, summary} of writer.partitions.all())
    sums[recordClass] = (sums[recordClass] ?? 0) + countOfSummary(summary);
  return sums;
};
const counted = (why: 'evicted' | 'expired' | 'lost'): Record<string, number> => {
  const sums: Record<string, number> = {};
  for (const row of writer.journal.dropped()) if (row[why] > 0) sums[row.class] = (sums[row.class] ?? 0) + row[why];
  return sums;
};
const usedBytes = (): number => writer.partitions.all().reduce((sum, {bytes}) => sum + bytes, 0);
const threatsOf = (bytes: number) => ({threats: {...LARGE, bytes}, traffic: LARGE, evidence: LARGE});
/** Room for about 400 records. */
const SMALL = 2_000_000;

test('44-1 a flood of LOW alerts in one day evicts LOW ones, oldest first, and no CRITICAL one', () => {
  writer.setBudgets(threatsOf(SMALL));
  flood('CRITICAL', 0, 100);
  flood('LOW', 100, 1_500);
  const {CRITICAL, LOW = 0} = kept();
  expect(CRITICAL).toBe(100);
  expect(LOW).toBeGreaterThan(50);
  expect(counted('evicted')).toEqual({LOW: 1_400 - LOW});
  const oldest = Math.min(
    ...writer.partitions
      .all()
      .map(({recordClass, summary}) => (recordClass === 'LOW' ? (summary.oldest ?? 0) : 2 ** 60)),
  );
  expect(oldest).toBe((T0 + 1_500 - LOW) * 1_000);
  expect(usedBytes()).toBeLessThanOrEqual(SMALL);
});

test('44-1 lower severities go before higher ones, CRITICAL last, and traffic records have a budget of their own', () => {
  flows(0, 50);
  const order: readonly Severity[] = ['HIGH', 'INFORMATIONAL', 'MEDIUM', 'LOW', 'CRITICAL'];
  for (const [i, severity] of order.entries()) flood(severity, i * 100, i * 100 + 100);
  const lost: string[] = [];
  for (let bytes = usedBytes(); bytes > 0; bytes -= ROLL_BYTES) {
    writer.setBudgets(threatsOf(bytes));
    writer.tidy(T0);
    lost.push(...dropped.splice(0).map(({partitionClass}) => partitionClass));
  }
  expect([...new Set(lost)]).toEqual(['INFORMATIONAL', 'LOW', 'MEDIUM', 'HIGH', 'CRITICAL']);
  expect(lost).toEqual(lost.toSorted((a, b) => order5.indexOf(a) - order5.indexOf(b)));
  expect(kept()).toMatchObject({TRAFFIC: 50});
});
const order5 = ['INFORMATIONAL', 'LOW', 'MEDIUM', 'HIGH', 'CRITICAL'];

test('44-1 when the disk is short of space, traffic goes first, then evidence, then the lowest severity', () => {
  flows(0, 50);
  flood('CRITICAL', 100, 150, {evidence: TEXT});
  flood('LOW', 200, 250);
  missing = 1;
  const order: string[] = [];
  while (writer.partitions.all().length > 0) {
    writer.tidy(T0);
    order.push(...dropped.splice(0).map(({partitionClass}) => partitionClass));
  }
  expect([...new Set(order)]).toEqual(['TRAFFIC', 'EVIDENCE', 'LOW', 'CRITICAL']);
  expect(counted('evicted')).toEqual({TRAFFIC: 50, EVIDENCE: 50, LOW: 50, CRITICAL: 50});
});

test('44-1 evidence has a budget of its own, oldest first, and its threats stay', () => {
  writer.setBudgets({threats: LARGE, traffic: LARGE, evidence: {...LARGE, bytes: 500_000}});
  flood('LOW', 0, 600, {evidence: TEXT});
  const {LOW, EVIDENCE = 0} = kept();
  expect(LOW).toBe(600);
  expect(EVIDENCE).toBeGreaterThan(50);
  expect(counted('evicted')).toEqual({EVIDENCE: 600 - EVIDENCE});
});

test('44-1 files in which everything is too old go, whatever their severity, and are counted by endpoint', () => {
  flood('CRITICAL', 0, 20);
  flood('LOW', 0, 30, {endpoint: B, startMs: 5 * DAY_MS});
  writer.tidy(T0 + 31 * DAY_MS);
  expect(kept()).toEqual({LOW: 30});
  expect(dropped).toMatchObject([{why: 'expired', partitionClass: 'CRITICAL', counts: [{endpoint: A, count: 20}]}]);
  expect(counted('expired')).toEqual({CRITICAL: 20});
  writer.close();
  open();
  expect(counted('expired')).toEqual({CRITICAL: 20});
});

test.each(['drop is counted', 'drop is committed'])(
  '44-1 a writer that dies while it drops a file (%s) counts it once',
  step => {
    flood('CRITICAL', 0, 100);
    flood('LOW', 100, 300);
    writer.close();
    const probe = (at: string): void => {
      if (at === step) throw new Error('dead');
    };
    expect(() => open({budgets: threatsOf(900_000), probe})).toThrow('dead');
    open({budgets: threatsOf(900_000)});
    const {LOW = 0, CRITICAL} = kept();
    expect(CRITICAL).toBe(100);
    expect(counted('evicted')).toEqual({LOW: 200 - LOW});
    const files = readdirSync(folder).filter(file => file.startsWith('low-') && file.endsWith('.db'));
    expect(files).toHaveLength(writer.partitions.all().filter(({recordClass}) => recordClass === 'LOW').length);
  },
);

test('44-1 a record that grows after its file was full stays one record there', () => {
  flood('LOW', 0, 100);
  commit({threats: [threat(3, {repeat_count: '9', details: TEXT}), threat(99, {repeat_count: '2', details: TEXT})]});
  expect(writer.partitions.all().length).toBeGreaterThan(1);
  expect(kept()).toEqual({LOW: 100});
});

test('44-1 what a reader has not seen is counted when it goes', () => {
  flood('LOW', 0, 100);
  const at = writer.sequence;
  writer.journal.saveReader('out', {history: 'history', kinds: {threats: {sequence: at, timeMs: 0}}});
  flood('LOW', 100, 200);
  writer.setBudgets(threatsOf(1));
  writer.tidy(T0);
  expect(kept()).toEqual({});
  expect(writer.journal.missed('threats', at, writer.sequence)).toBe(100);
  expect(writer.journal.missed('threats', 0, at)).toBe(0);
});

test('44-1 a damaged file is set aside, counted as lost, and others are kept', () => {
  flood('CRITICAL', 0, 20);
  flood('LOW', 0, 60);
  writer.close();
  const file = readdirSync(folder).find(name => name.startsWith('low-') && name.endsWith('.db')) ?? '';
  const bad = join(folder, file);
  writeFileSync(bad, 'not a database any more, not a database any more, not a database any more');
  open();
  commit({threats: [threat(0, {alert_severity: 'LOW', repeat_count: '2', details: TEXT})]});
  expect(dropped).toMatchObject([{file, why: 'lost'}]);
  expect(existsSync(`${bad}.damaged`)).toBe(true);
  expect(kept()['CRITICAL']).toBe(20);
  const lost = counted('lost')['LOW'] ?? 0;
  expect(lost).toBeGreaterThan(0);
  expect(kept()['LOW']).toBe(60 - lost + 1);
});

test('44-1 a file that is damaged while its records are in the redo log: they go to another file', () => {
  flood('LOW', 0, 20);
  writer.flush();
  flood('LOW', 20, 25);
  const file = writer.partitions.all().map(({file: name}) => name)[0] ?? '';
  // As after a crash: the writer is not closed.
  writer.partitions.closeAll();
  writer.journal.close();
  writeFileSync(join(folder, file), 'not a database any more');
  open();
  expect(dropped).toMatchObject([{file, why: 'lost', counts: [{endpoint: A, count: 20}]}]);
  expect(counted('lost')).toEqual({LOW: 20});
  expect(kept()).toEqual({LOW: 5});
});
