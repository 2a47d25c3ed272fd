// SPDX-License-Identifier: Apache-2.0
/** check, shrink and repair of a store file: what they find, what they keep, and that check changes nothing. */
import {createHash} from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {DatabaseSync} from 'node:sqlite';
import {afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi} from 'vitest';
import {openSqliteStore} from '../drivers/sqlite/index.ts';
import type {Store} from '../store.ts';
import {isStoreError} from '../store-error.ts';
import {bytes, listAll} from '../testing/index.ts';
import {checkStore, readableOf, salvage, shrinkStore} from './index.ts';

vi.setConfig({testTimeout: 60_000});

const PAGE = 8_192;
/** Where a sync costs nothing. */
const PLACE = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

const template = mkdtempSync(join(PLACE, 'palisade-offline-'));
let templateTruth: Truth;
let dir = '';
let file = '';
beforeAll(async () => {
  templateTruth = await makeTemplate(join(template, 'store.db'));
});
afterAll(() => rmSync(template, {recursive: true}));
const fill = (): Truth => {
  copyFileSync(join(template, 'store.db'), file);
  return {entries: new Map(templateTruth.entries), revision: templateTruth.revision};
};
beforeEach(() => {
  dir = mkdtempSync(join(PLACE, 'palisade-offline-'));
  file = join(dir, 'store.db');
});
afterEach(() => rmSync(dir, {recursive: true}));

/** What a store held: by key, its value and the revision that wrote it. */
type Truth = {readonly entries: Map<string, {readonly text: string; readonly revision: number}>; revision: number};

/** Keys of several sizes, some written often, some deleted, one of many pages; a part of the history is gone. */
async function makeTemplate(target: string): Promise<Truth> {
  const truth: Truth = {entries: new Map(), revision: 0};
  const store = await openSqliteStore({file: target});
  const put = async (key: string, text: string) => {
    truth.revision = Number(await store.put(key, bytes(text)));
    truth.entries.set(key, {text, revision: truth.revision});
  };
  for (let n = 0; n < 120; n++) await put(`/k${n}`, `value ${n} `.padEnd(700, '.'));
  await put('/large', 'x'.repeat(40_000));
  for (let n = 0; n < 120; n += 3) await put(`/k${n}`, `second ${n} `.padEnd(500, '.'));
  for (let n = 0; n < 120; n += 7) {
    truth.revision = Number(await store.delete(`/k${n}`));
    truth.entries.delete(`/k${n}`);
  }
  await store.compact(60n);
  for (let n = 200; n < 210; n++) await put(`/k${n}`, `late ${n}`);
  await store.close();
  return truth;
}
const content = (): Record<string, string> =>
  Object.fromEntries(
    readdirSync(dir)
      .filter(name => !name.endsWith('-lock'))
      .map(name => [
        name,
        createHash('sha256')
          .update(readFileSync(join(dir, name)))
          .digest('hex'),
      ]),
  );
const overwrite = (page: number): void => {
  const all = readFileSync(file);
  all.fill(0xa5, page * PAGE, (page + 1) * PAGE);
  writeFileSync(file, all);
};
const edit = (sql: string): void => {
  const db = new DatabaseSync(file);
  db.exec(sql);
  db.close();
};
const textsOf = async (store: Store): Promise<Record<string, string>> => Object.fromEntries(await listAll(store, ''));
/** The files as a kill leaves them, after a few writes that are in the log alone. */
async function crash(): Promise<void> {
  const store = await openSqliteStore({file});
  for (let n = 0; n < 5; n++) await store.put(`/crash${n}`, bytes(`c${n}`));
  for (const suffix of ['', '-wal']) copyFileSync(`${file}${suffix}`, `${file}${suffix}.kept`);
  await store.close();
  for (const suffix of ['', '-wal']) {
    copyFileSync(`${file}${suffix}.kept`, `${file}${suffix}`);
    rmSync(`${file}${suffix}.kept`);
  }
}

/** Of a file that has no history. */
const rowsOf = (): Record<string, string> => {
  const db = new DatabaseSync(file);
  const rows = db.prepare('SELECT key, CAST(value AS TEXT) AS text FROM change').all() as {key: string; text: string}[];
  db.close();
  return Object.fromEntries(rows.map(({key, text}) => [key, text]));
};

describe('check', () => {
  test('48-3 a whole file, closed or after a crash: its figures, no fault, and no byte changed', async () => {
    const truth = fill();
    for (const prepare of [async () => undefined, crash]) {
      await prepare();
      const before = content();
      const seen: string[] = [];
      const onValue = (key: string) => void seen.push(key) as undefined;
      const found = await checkStore(file, {onValue});
      expect(found).toMatchObject({isThere: true, faults: [], more: 0, torn: undefined, compacted: 60});
      expect(found.keys).toBe(truth.entries.size + (prepare === crash ? 5 : 0));
      expect(seen).toContain('/large');
      expect(content()).toEqual(before);
    }
  });

  test('48-3 no store: it says so', async () => {
    expect(await checkStore(file)).toMatchObject({isThere: false, faults: []});
  });

  test('48-3 a store in use is refused', async () => {
    await using store = await openSqliteStore({file});
    await store.put('/a', bytes('x'));
    for (const work of [() => checkStore(file), async () => shrinkStore(file), async () => salvage(file)])
      await expect(work()).rejects.toMatchObject({code: 'locked'});
  });

  test.each<[string, string | (() => void), string, string]>([
    ['a changed value', () => flip('second 3 '), 'row', 'checksum'],
    ['a changed number', 'UPDATE change SET created = 7 WHERE id = 130 * 128', 'row', 'checksum'],
    ['a row that is gone', 'DELETE FROM change WHERE id = 130 * 128', 'order', 'is followed by'],
    ['a page of noise', () => overwrite(8), 'file', 'the file is damaged (database disk image is malformed)'],
    ['a table that is gone', 'DROP TABLE meta', 'head', 'its table meta is missing'],
    ['a file cut off', () => writeFileSync(file, readFileSync(file).subarray(0, 20_000)), 'head', 'cut off'],
  ])('48-3 %s is found, with the place, and nothing is changed', async (_name, damage, place, words) => {
    fill();
    if (typeof damage === 'string') edit(damage);
    else damage();
    const before = content();
    const {faults} = await checkStore(file);
    expect(
      faults
        .filter(fault => fault.in === place)
        .map(({what}) => what)
        .join('\n'),
    ).toContain(words);
    expect(content()).toEqual(before);
  });

  test('48-3 a damaged log that lost transactions is a fault, a torn end is not', async () => {
    fill();
    await crash();
    const log = readFileSync(`${file}-wal`);
    const damagedAt = (at: number) => {
      const copy = Buffer.from(log);
      copy[at] = (copy[at] ?? 0) ^ 4;
      writeFileSync(`${file}-wal`, copy);
    };
    damagedAt(100);
    expect((await checkStore(file)).faults).toMatchObject([{in: 'log', what: expect.stringContaining('transactions')}]);
    damagedAt(log.length - 10);
    expect(await checkStore(file)).toMatchObject({faults: [], torn: 1});
  });

  test('48-3 what a value means is judged by who knows it', async () => {
    fill();
    const {faults} = await checkStore(file, {onValue: key => (key === '/k5' ? 'it is no object' : undefined)});
    expect(faults).toEqual([{in: 'value', where: '/k5 at revision 6', what: 'it is no object'}]);
  });
});

const flip = (text: string): void => {
  const all = readFileSync(file);
  const at = all.indexOf(text);
  all[at] = (all[at] ?? 0) ^ 1;
  writeFileSync(file, all);
};

describe('shrink', () => {
  test('48-3 all free room is given back, and everything is as before', async () => {
    fill();
    const store = await openSqliteStore({file});
    for (let n = 0; n < 60; n++) await store.put('/grows', bytes('y'.repeat(50_000)));
    await store.compact(await store.currentRevision());
    const [texts, revision] = [await textsOf(store), await store.currentRevision()];
    await store.close();
    await crash();
    const shrunk = shrinkStore(file);
    expect(shrunk?.after).toBe(statSync(file).size);
    expect(shrunk?.after).toBeLessThan((shrunk?.before ?? 0) / 3);
    expect(await checkStore(file)).toMatchObject({faults: [], freeBytes: 0, logBytes: 0});
    expect(readdirSync(dir).sort()).toEqual(['store.db', 'store.db-lock']);
    await using again = await openSqliteStore({file});
    expect(await textsOf(again)).toEqual({
      ...texts,
      ...Object.fromEntries([0, 1, 2, 3, 4].map(n => [`/crash${n}`, `c${n}`])),
    });
    expect(await again.currentRevision()).toBe(revision + 5n);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test('48-3 a copy that a kill left is removed by the next start, and a damaged file is not shrunk', async () => {
    fill();
    writeFileSync(`${file}-new`, 'half a copy');
    await (await openSqliteStore({file})).close();
    expect(readdirSync(dir)).not.toContain('store.db-new');
    overwrite(8);
    const before = content();
    expect(() => shrinkStore(file)).toThrow(expect.objectContaining({code: 'corrupt'}));
    expect(content()).toEqual(before);
  });
});

describe('repair', () => {
  test('48-3 a damaged value: the key is lost and listed, no older value takes its place, the rest stays', async () => {
    const truth = fill();
    flip('second 3 ');
    const before = readFileSync(file);
    expect(readableOf(file)).toEqual({keys: truth.entries.size - 1, lostKeys: ['/k3'], lostRevisions: []});
    expect(readFileSync(file)).toEqual(before);
    const salvaged = salvage(file);
    expect(salvaged).toMatchObject({lostKeys: ['/k3'], lostRevisions: [], copy: `${file}.damaged-1`});
    expect(readFileSync(`${file}.damaged-1`)).toEqual(before);
    await using store = await openSqliteStore({file});
    const {'/k3': _, ...rest} = Object.fromEntries([...truth.entries].map(([key, {text}]) => [key, text]));
    expect(await textsOf(store)).toEqual(rest);
    expect(await store.put('/k3', bytes('again'), 0n)).toBe(BigInt(salvaged.revision) + 1n);
    await expect(store.get('/k4', BigInt(truth.revision))).rejects.toMatchObject({code: 'compacted'});
  });

  test('48-3 a row that is gone without a trace: its revision is listed', async () => {
    fill();
    edit('DELETE FROM change WHERE id = 130 * 128');
    expect(salvage(file)).toMatchObject({lostKeys: [], lostRevisions: [{from: 130, to: 130}]});
    expect(await checkStore(file)).toMatchObject({faults: []});
  });

  test('48-3 writes that are in the log alone are kept', async () => {
    fill();
    await crash();
    flip('second 3 ');
    salvage(file);
    await using store = await openSqliteStore({file});
    expect(await textsOf(store)).toMatchObject({'/crash0': 'c0', '/crash4': 'c4'});
  });

  test('48-3 whichever page is destroyed: keys that are not listed as lost are exactly as they were, or the repair is refused and changes nothing', async () => {
    const truth = fill();
    const whole = readFileSync(file);
    const pages = whole.length / PAGE;
    let repaired = 0;
    for (let page = 0; page < pages; page++) {
      rmSync(`${file}.damaged-1`, {force: true});
      writeFileSync(file, whole);
      overwrite(page);
      let salvaged: ReturnType<typeof salvage>;
      try {
        salvaged = salvage(file);
      } catch (error) {
        expect(isStoreError(error) && ['corrupt', 'format'].includes(error.code)).toBe(true);
        continue;
      }
      repaired++;
      const {lostKeys, lostRevisions, revision} = salvaged;
      const isListed = (key: string, at: number): boolean =>
        lostKeys.includes(key) || lostRevisions.some(({from, to = revision}) => from <= at && at <= to);
      expect(await checkStore(file)).toMatchObject({faults: [], revision, compacted: revision});
      const texts = rowsOf();
      for (const [key, {text, revision: at}] of truth.entries)
        if (!isListed(key, at)) expect([page, key, texts[key]]).toEqual([page, key, text]);
      const back = Object.keys(texts).filter(key => !truth.entries.has(key));
      if (lostRevisions.length === 0) expect([page, back]).toEqual([page, []]);
      expect(revision).toBeGreaterThan(truth.revision);
    }
    expect(repaired).toBeGreaterThan(pages - 8);
  });
});
