// SPDX-License-Identifier: Apache-2.0
/** A compaction in steps on a real file: what a step does, what a kill between or within steps leaves. */
import {copyFileSync, existsSync, mkdirSync} from 'node:fs';
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterEach, beforeEach, expect, test} from 'vitest';
import {type Change, changeId} from '../../log/change.ts';
import {bytes, listAll} from '../../testing/index.ts';
import {ChangeTable} from './change-table.ts';
import {type CompactionStep, openSqliteStore} from './index.ts';
import {openDatabase} from './open-database.ts';
import {shrink, spaceOf} from './space.ts';

let dir = '';
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'palisade-steps-'));
});
afterEach(() => rm(dir, {recursive: true}));

/** Says that the time is over at the n-th look. */
const after =
  (looks: number): (() => boolean) =>
  () =>
    --looks <= 0;

/** Each revision puts one of 7 keys, in no order; every tenth removes it instead. */
function history(count: number): Change[] {
  const heads = new Map<string, Change>();
  return Array.from({length: count}, (_, i) => {
    const revision = i + 1;
    const key = `/k${(revision * revision * 31) % 7}`;
    const before = heads.get(key);
    const removes = revision % 10 === 0 && before !== undefined;
    const created = before?.createRevision ?? revision;
    const change: Change = {
      ...{id: changeId(revision, 0), key, previousId: before?.id ?? 0},
      createRevision: removes ? 0 : created,
      value: removes ? undefined : bytes(`${revision}`.padEnd(200, '.')),
    };
    if (removes) heads.delete(key);
    else heads.set(key, change);
    return change;
  });
}

test('48-2 a step of an erase does no more than its time allows; the next continues, in the order of the file, and each change is erased once', () => {
  const {db, lock} = openDatabase(join(dir, 'store.db'), {fileBytesMax: 0});
  const table = new ChangeTable(db, undefined);
  table.append(history(600));
  const ids = (): number[] =>
    db
      .prepare('SELECT id FROM change ORDER BY id')
      .all()
      .map(row => Number(row['id']));
  const before = ids();
  const left: number[][] = [];
  const erased: number[] = [];
  for (let more = true; more; left.push(ids())) {
    const step = table.erase(590, after(50));
    erased.push(step.erased);
    ({more} = step);
  }
  const kept = left.at(-1) ?? [];
  const dead = before.filter(id => !kept.includes(id));
  expect(erased.reduce((sum, n) => sum + n, 0)).toBe(dead.length);
  expect(Math.max(...erased)).toBeLessThanOrEqual(50);
  expect(kept.length).toBeLessThanOrEqual(10 + 3);
  let gone = 0;
  for (const [step, count] of erased.entries()) {
    gone += count;
    expect(left[step]).toEqual([...dead.slice(gone), ...kept].sort((a, b) => a - b));
  }
  expect(table.erase(590, after(1e9))).toEqual({more: false, erased: 0});
  db.close();
  lock.release();
});

test('48-2 an erase that was rolled back is repeated', () => {
  const {db, lock} = openDatabase(join(dir, 'store.db'), {fileBytesMax: 0});
  const table = new ChangeTable(db, undefined);
  table.append(history(100));
  const fails = (): boolean => {
    throw new Error('disk');
  };
  expect(() => table.erase(100, fails)).toThrow('disk');
  expect([table.opened().compacted, table.read([changeId(1, 0)]).length]).toEqual([0, 1]);
  expect(table.erase(100, after(1e9)).erased).toBeGreaterThan(80);
  db.close();
  lock.release();
});

test('48-2 a step of a shrink gives back the pages that its time allows; the rest follows, but for what is kept', () => {
  const {db, lock} = openDatabase(join(dir, 'store.db'), {fileBytesMax: 0});
  db.exec('CREATE TABLE filler (value BLOB)');
  const insert = db.prepare('INSERT INTO filler VALUES (?)');
  db.exec('BEGIN');
  for (let n = 0; n < 20; n++) insert.run(new Uint8Array(1_000_000));
  db.exec('COMMIT; DELETE FROM filler');
  const before = spaceOf(db);
  expect(shrink(db, after(100))).toBe(true);
  expect(before.pages - spaceOf(db).pages).toBe(100);
  while (shrink(db, after(500)));
  expect(spaceOf(db).freePages).toBe(1_024);
  expect(shrink(db, after(1))).toBe(false);
  db.close();
  lock.release();
});

/** What a kill leaves now: the file and its log, as they are on disk. */
function copyStore(name: string): string {
  const to = join(dir, name);
  mkdirSync(to);
  for (const file of ['store.db', 'store.db-wal'])
    if (existsSync(join(dir, file))) copyFileSync(join(dir, file), join(to, file));
  return to;
}

test('48-2 a kill after any step of a compaction leaves a store that opens, reads the same, and continues', async () => {
  const steps: CompactionStep[] = [];
  const copies: string[] = [];
  const onCompactionStep = (step: CompactionStep): void => {
    steps.push(step);
    if (steps.length % 8 === 1) copies.push(copyStore(`copy-${steps.length}`));
  };
  const limits = {compactionStepMs: 0, driverStepMs: 0};
  const store = await openSqliteStore({dir, limits, onCompactionStep});
  for (let n = 1; n <= 40; n++) {
    if (n % 10 === 0) await store.delete(`/k${(n - 1) % 4}`);
    else await store.put(`/k${n % 4}`, bytes(`${n}`));
  }
  const at = 30n;
  const before = [await listAll(store, '', {at}), await listAll(store, '')];
  await store.compact(at);
  const {versions} = store.history();
  await store.close();
  const erased = steps.reduce((sum, step) => sum + step.erased, 0);
  expect(copies.length).toBeGreaterThan(3);
  expect(new Set(steps.map(step => step.of))).toEqual(new Set(['index', 'erase', 'shrink']));
  for (const copy of copies) {
    let again = 0;
    const count = (step: CompactionStep): void => {
      again += step.erased;
    };
    await using killed = await openSqliteStore({dir: copy, onCompactionStep: count});
    expect([await listAll(killed, '', {at}), await listAll(killed, '')]).toEqual(before);
    await killed.compact(at);
    expect(again).toBeLessThanOrEqual(erased);
    expect([await listAll(killed, '', {at}), await listAll(killed, '')]).toEqual(before);
    expect(await killed.put('/after', bytes('x'))).toBe(41n);
    expect(killed.history()).toEqual({versions, revisions: 11});
  }
}, 30_000);

test('48-2 the newest revisions are bounded by their number and by the bytes that they replaced', async () => {
  await using store = await openSqliteStore({dir});
  for (let n = 0; n < 20; n++) await store.put('/a', new Uint8Array(1_000));
  expect(await store.newestWithin({revisions: 5, bytes: 1e9})).toBe(15n);
  expect(await store.newestWithin({revisions: 100, bytes: 1e9})).toBe(0n);
  expect(await store.newestWithin({revisions: 100, bytes: 3_500})).toBe(17n);
  await store.compact(17n);
  expect(await store.newestWithin({revisions: 100, bytes: 3_500})).toBe(0n);
});
