// SPDX-License-Identifier: Apache-2.0
import {copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterEach, describe, expect, test, vi} from 'vitest';
import {RECORD_BUDGETS_DEFAULT, RECORD_COPY_IDLE_MS, RECORD_COPY_PINS_MAX} from '../../../limits.ts';
import {RecordFiles} from '../../../testing/record-files.ts';
import {A, B, batch, flow, readAll, T0, threat} from '../../../testing/record-store-contract.ts';
import {type FollowCursor, followRecords} from '../../follow-records.ts';
import {recordIdOf} from '../../record-id.ts';
import type {CopiedFile, RecordStore} from '../../record-store.ts';
import {checkRecords} from '../check/check-records.ts';
import {openSqliteRecordStore} from '../record-store.ts';
import {Writer} from '../writer.ts';
import {RecordCopy} from './record-copy.ts';

const ignore = (): void => undefined;
const clock = {now: () => T0 + 60_000};
const options = {
  budgets: RECORD_BUDGETS_DEFAULT,
  clock,
  log: {debug: ignore, info: ignore, warn: ignore, error: ignore},
};
const DAY_MS = 86_400_000;
const EVERY = {project: '-', location: '-', endpointId: '-'};
const THREATS = {kind: 'threats', name: EVERY, filter: ''} as const;
const TRAFFIC = {kind: 'traffic', name: EVERY, filter: ''} as const;

const parents: string[] = [];
const newFolder = (): string => {
  const parent = mkdtempSync(join(tmpdir(), 'palisade-copy-'));
  parents.push(parent);
  return join(parent, 'records');
};
const stores: RecordStore[] = [];
const openIn = async (folder: string): Promise<RecordStore> => {
  const store = openSqliteRecordStore({...options, folder});
  stores.push(store);
  await store.start();
  return store;
};
afterEach(async () => {
  for (const store of stores.splice(0)) await store.close();
  for (const parent of parents.splice(0)) rmSync(parent, {recursive: true, force: true});
});

const SEVERITIES = ['LOW', 'HIGH'] as const;
/** Of three days up to T0, of two severities. */
const nth = (i: number, repeat = 1) =>
  threat(
    i - (i % 3) * DAY_MS,
    {alert_severity: SEVERITIES[i % 2] ?? 'LOW', repeat_count: String(repeat), details: 'd'.repeat(2_000)},
    `event ${i}`,
  );
const range = <T>(from: number, to: number, make: (i: number) => T): T[] =>
  Array.from({length: to - from}, (_, i) => make(from + i));
const FIRST = 120;

const fill = async (store: RecordStore): Promise<void> => {
  await store.commit(batch({threats: range(0, FIRST, i => nth(i)), traffic: range(0, 20, i => flow(i))}));
  await store.triage(
    {endpoint: A, id: recordIdOf(nth(1).id, nth(1).record)},
    {action: 'acknowledge', user: 'ann', timeMs: T0},
  );
  await store.saveReader('out', {history: 'h', kinds: {threats: {sequence: 1, timeMs: T0}}});
};

const stateOf = async (store: RecordStore) => ({
  threats: await readAll(store, THREATS),
  traffic: await readAll(store, TRAFFIC),
  counts: await store.counts(A),
  evidence: await store.evidence(A, recordIdOf(nth(7).id, nth(7).record)),
  sensor: await store.load(A),
  other: await store.load(B),
  reader: await store.loadReader('out'),
  sequence: (await store.position()).sequence,
});

/** Copies into `to`; calls `meanwhile` before each file. */
const copyTo = async (
  store: RecordStore,
  to: string,
  meanwhile: (at: number) => Promise<void>,
): Promise<CopiedFile[]> => {
  mkdirSync(to);
  const files: CopiedFile[] = [];
  for await (const file of store.snapshot(new AbortController().signal)) {
    await meanwhile(files.length);
    copyFileSync(file.path, join(to, file.file));
    expect(statSync(file.path)).toMatchObject({size: file.bytes});
    files.push(file);
  }
  return files;
};

describe('48-3 a copy of the records', () => {
  test('is as of one commit, while commits, decisions and evictions continue', async () => {
    const [folder, to] = [newFolder(), newFolder()];
    const store = await openIn(folder);
    await fill(store);
    const before = await stateOf(store);
    const files = await copyTo(store, to, async at => {
      if (at > 2) return;
      if (at === 0) {
        store.setBudgets({...RECORD_BUDGETS_DEFAULT, threats: {bytes: 300_000, ageMs: 90 * DAY_MS}});
        await store.tidy();
        expect((await store.counts(A)).threatsDropped).toBeGreaterThan(0);
        store.setBudgets(RECORD_BUDGETS_DEFAULT);
      }
      // Old records again, in files that are copied already and in others; new ones, also of another sensor; decisions about all.
      await store.commit(batch({threats: range(0, FIRST, i => nth(i, at + 2)), traffic: [flow(1000 + at)]}));
      await store.commit(batch({endpoint: B, threats: [threat(2_000 + at, {endpoint: B})]}));
      await store.triage(THREATS, {action: 'comment', user: 'bob', timeMs: T0, text: `during ${at}`});
    });
    expect(new Set(files.map(({file}) => file)).size).toBe(files.length);
    expect(files.length).toBe(11);
    expect(readdirSync(folder)).not.toContain('copy');
    expect(await checkRecords(to)).toMatchObject({records: FIRST + 20, faults: []});
    expect(await stateOf(await openIn(to))).toEqual(before);
  });

  test('does not have later records: a reader from there gets the records since its time, then each new one once', async () => {
    const [folder, to] = [newFolder(), newFolder()];
    const store = await openIn(folder);
    await fill(store);
    const at: FollowCursor = {...(await store.position()), timeMs: T0};
    await copyTo(store, to, async () => {});
    for (let i = 0; i < 3; i++) await store.commit(batch({threats: [threat(500 + i)]}));
    const ahead: FollowCursor = {...(await store.position()), timeMs: T0 + 501};
    const copy = await openIn(to);
    expect([await copy.holds(at), await copy.holds(ahead)]).toEqual([true, false]);
    for (let i = 0; i < 5; i++) await copy.commit(batch({threats: [threat(502 + i)]}));
    expect(await copy.holds(ahead)).toBe(false);
    expect(await followed(copy, at, 5)).toEqual(range(502, 507, i => threat(i).record.event_time));
    expect(await followed(copy, ahead, 6)).toEqual(range(502, 508, i => threat(i).record.event_time));
  });

  test('ends with its signal, with the store, and when another one is being made', async () => {
    const folder = newFolder();
    const store = await openIn(folder);
    await fill(store);
    const abort = new AbortController();
    const files = store.snapshot(abort.signal)[Symbol.asyncIterator]();
    const first = await files.next();
    expect(first.value).toMatchObject({file: 'journal.db', path: join(folder, 'copy', 'journal.db')});
    await expect(store.snapshot(abort.signal)[Symbol.asyncIterator]().next()).rejects.toMatchObject({code: 'in-use'});
    const next = files.next();
    abort.abort();
    await expect(next.then(() => files.next())).rejects.toMatchObject({code: 'closed'});
    expect(existsSync(join(folder, 'copy'))).toBe(false);
    const again = store.snapshot(new AbortController().signal)[Symbol.asyncIterator]();
    await again.next();
    await store.commit(batch({threats: [threat(900)]}));
    const pending = again.next();
    const closed = store.close();
    await expect(pending.then(() => again.next())).rejects.toMatchObject({code: 'closed'});
    await closed;
    expect(readdirSync(folder).filter(name => name === 'copy' || name.endsWith('-wal'))).toEqual([]);
  });

  test('that a crash left is removed at the start', async () => {
    const folder = newFolder();
    mkdirSync(join(folder, 'copy'), {recursive: true});
    writeFileSync(join(folder, 'copy', 'journal.db'), 'half');
    await openIn(folder);
    expect(existsSync(join(folder, 'copy'))).toBe(false);
  });

  test('of many files takes few descriptors', async () => {
    const [folder, to] = [newFolder(), newFolder()];
    mkdirSync(folder);
    const made = new RecordFiles(folder, 1);
    const count = 300;
    for (let i = 0; i < count; i++)
      made.add({kind: 'threats', endpoint: A, event: `f-${i}`, record: threat(-i * 1_000).record, written: i + 1});
    made.close();
    const store = await openIn(folder);
    const descriptors = (): number => readdirSync('/proc/self/fd').length;
    const before = descriptors();
    let most = 0;
    const files = await copyTo(store, to, async () => {
      most = Math.max(most, descriptors() - before);
    });
    expect(files).toHaveLength(count + 1);
    expect(most).toBeLessThan(12);
    expect(await checkRecords(to)).toEqual({files: count + 1, records: count, faults: []});
  });
});

/** Times of the next `count` records. */
const followed = async (store: RecordStore, cursor: FollowCursor, count: number): Promise<string[]> => {
  const abort = new AbortController();
  const found: string[] = [];
  if (count > 5) await store.commit(batch({threats: [threat(507)]}));
  for await (const {records} of followRecords(store, {
    selection: THREATS,
    cursor,
    clock,
    updates: false,
    signal: abort.signal,
  })) {
    found.push(...records.map(({record}) => record.event_time));
    if (found.length >= count) break;
  }
  return found;
};

describe('48-3 a copy costs the store nothing', () => {
  const settled = async (): Promise<{folder: string; files: string[]}> => {
    const folder = newFolder();
    const store = await openIn(folder);
    await fill(store);
    await store.close();
    return {folder, files: readdirSync(folder).filter(name => /-\d{4}\.db$/.test(name))};
  };

  test('it ends when the disk comes short, and holds no dropped file', async () => {
    const {folder, files} = await settled();
    let missing = -(2 ** 30);
    const copy = new RecordCopy({folder, first: 'journal.db', files, missingBytes: () => missing});
    await copy.next();
    const [file = ''] = files;
    copy.beforeChange(file);
    expect(copy.holds(file)).toBe(true);
    missing = 1;
    copy.beforeChange(files[1] ?? '');
    expect(files.some(name => copy.holds(name))).toBe(false);
    await expect(copy.next()).rejects.toThrow('the disk has no space for it; free space, or copy to another disk');
    await copy.end();
  });

  test('it gives way before records are dropped for space', async () => {
    const {folder, files} = await settled();
    let missing = -(2 ** 30);
    const missingBytes = (): number => missing;
    const large = {bytes: 2 ** 40, ageMs: 90 * DAY_MS};
    const budgets = {threats: large, traffic: large, evidence: large};
    const writer = new Writer({folder, budgets, newEpoch: () => 'history', missingBytes, onDropped: ignore});
    const copy = new RecordCopy({folder, first: 'journal.db', files, missingBytes});
    writer.partitions.copy = copy;
    const path = (await copy.next())?.path ?? '';
    missing = 1;
    writer.tidy(T0);
    expect([existsSync(path), writer.partitions.all().length]).toEqual([false, files.length]);
    await expect(copy.next()).rejects.toThrow('the disk has no space for it');
    writer.tidy(T0);
    expect(writer.partitions.all().length).toBeLessThan(files.length);
    await copy.end();
    writer.close();
  });

  test('it does not take the last space itself', async () => {
    const {folder, files} = await settled();
    const copy = new RecordCopy({folder, first: 'journal.db', files, missingBytes: () => -4_096});
    await expect(copy.next()).rejects.toThrow(/no space for a copy of journal.db/);
    await copy.end();
    expect(existsSync(join(folder, 'copy'))).toBe(false);
  });

  test('it ends when its owner asks for nothing, and when too many files change meanwhile', async () => {
    const {folder, files} = await settled();
    vi.useFakeTimers();
    try {
      const idle = new RecordCopy({folder, first: 'journal.db', files, missingBytes: () => -(2 ** 30)});
      vi.advanceTimersByTime(RECORD_COPY_IDLE_MS);
      expect([idle.isOver, idle.holds('journal.db'), existsSync(join(folder, 'copy'))]).toEqual([true, false, false]);
      await expect(idle.next()).rejects.toThrow('nothing of it was read in 60 s');
      const slow = new RecordCopy({folder, first: 'journal.db', files, missingBytes: () => -(2 ** 30)});
      for (let minute = 0; minute < 10; minute++) {
        vi.advanceTimersByTime(RECORD_COPY_IDLE_MS - 1);
        slow.isRead();
      }
      expect([slow.isOver, slow.holds('journal.db')]).toEqual([false, true]);
      vi.advanceTimersByTime(RECORD_COPY_IDLE_MS);
      expect(slow.isOver).toBe(true);
    } finally {
      vi.useRealTimers();
    }
    const [file = ''] = files;
    const names = range(0, RECORD_COPY_PINS_MAX, i => `low-20260101-${1_000 + i}.db`);
    for (const name of names) copyFileSync(join(folder, file), join(folder, name));
    const busy = new RecordCopy({folder, first: 'journal.db', files: names, missingBytes: () => -(2 ** 30)});
    for (const name of names) busy.beforeChange(name);
    await expect(busy.next()).rejects.toThrow(`more than ${RECORD_COPY_PINS_MAX} files changed meanwhile`);
    await busy.end();
  });
});
