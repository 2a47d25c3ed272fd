// SPDX-License-Identifier: Apache-2.0
/** What may be wrong with a data folder: each has a code, a message that says what to do, and harms nothing. */
import {createHash} from 'node:crypto';
import {existsSync} from 'node:fs';
import {copyFile, mkdtemp, readdir, readFile, rm, truncate, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {DatabaseSync} from 'node:sqlite';
import {afterEach, beforeEach, describe, expect, test, vi} from 'vitest';
import {migrate} from '../../format/file-format.ts';
import {PROGRAM_VERSION} from '../../format/program-version.ts';
import {bytes, listAll} from '../../testing/index.ts';
import {toStoreError} from './faults.ts';
import {isLocked, openSqliteStore} from './index.ts';
import {STORE_FORMAT} from './schema.ts';

vi.setConfig({testTimeout: 30_000}); // each test starts threads; a busy machine takes its time

let dir = '';
let file = '';
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'palisade-faults-'));
  file = join(dir, 'store.db');
});
afterEach(() => rm(dir, {recursive: true}));

/** A store with 50 entries, closed. */
async function fill(): Promise<void> {
  await using store = await openSqliteStore({dir});
  for (let i = 0; i < 50; i++) await store.put(`/k${i}`, bytes(`value-${i}-`.padEnd(500, '.')));
}
function edit(sql: string): void {
  const db = new DatabaseSync(file);
  db.exec(sql);
  db.close();
}
const hash = async (): Promise<string> =>
  createHash('sha256')
    .update(await readFile(file))
    .digest('hex');

/** Opening is refused like this, twice, and the file stays as it is. */
async function expectRefused(code: string, ...words: string[]): Promise<void> {
  const before = await hash();
  for (let i = 0; i < 2; i++) {
    const error = await openSqliteStore({dir}).then(
      store => store.close(),
      (error: unknown) => error,
    );
    expect(error).toMatchObject({code});
    for (const word of [file, ...words]) expect(String(error)).toContain(word);
  }
  expect(await hash()).toBe(before);
}

describe('damage', () => {
  test('a file that was cut off', async () => {
    await fill();
    await truncate(file, 9_000);
    await expectRefused('corrupt', 'cut off', '9000 of', 'restore it from a backup');
  });

  test('a file cut off in its header', async () => {
    await fill();
    await truncate(file, 60);
    await expectRefused('corrupt', 'restore it from a backup');
  });

  test('an empty file is not taken for a new store', async () => {
    await writeFile(file, '');
    await expectRefused('corrupt', 'empty', 'to start empty');
  });

  test('a write-ahead log whose file is gone', async () => {
    await writeFile(`${file}-wal`, 'x');
    await expect(openSqliteStore({dir})).rejects.toMatchObject({
      code: 'corrupt',
      message: expect.stringContaining('is gone, but its write-ahead log'),
    });
    expect((await readdir(dir)).sort()).toEqual(['store.db-lock', 'store.db-wal']);
  });

  test('a changed byte in a value: the key and the revision are named', async () => {
    await fill();
    const content = await readFile(file);
    content[content.indexOf('value-33-') + 100] = 0x21;
    await writeFile(file, content);
    await expectRefused('corrupt', '/k33', 'revision 34', 'checksum');
  });

  test('a changed byte in an old value: found when it is read, the rest stays readable', async () => {
    {
      await using store = await openSqliteStore({dir});
      await store.put('/a', bytes('old-value'));
      await store.put('/a', bytes('new-value'));
    }
    const content = await readFile(file);
    content[content.indexOf('old-value')] = 0x21;
    await writeFile(file, content);
    await using store = await openSqliteStore({dir});
    expect(await listAll(store, '')).toEqual([['/a', 'new-value']]);
    await expect(store.get('/a', 1n)).rejects.toMatchObject({code: 'corrupt', key: '/a', revision: 1n});
    expect(await store.put('/a', bytes('third'))).toBe(3n);
  });

  test('pages overwritten with noise', async () => {
    await fill();
    const content = await readFile(file);
    content.fill(0xa5, 16_384, 24_576); // the second page holds no data, only where pages hang
    await writeFile(file, content);
    await expectRefused('corrupt', 'restore it from a backup');
  });

  test.each([
    ['the revision that created a key', 'UPDATE change SET created = 7 WHERE id = 10 * 128', 'checksum'],
    [
      'a number that is none',
      'UPDATE change SET created = -5 WHERE id = 10 * 128',
      'is damaged: previous 0, created -5',
    ],
  ])('F-02 a changed number beside the value: %s', async (_name, sql, words) => {
    await fill();
    edit(sql);
    await expectRefused('corrupt', '/k9', words, 'restore the file from a backup');
  });

  test('a change that somebody removed', async () => {
    await fill();
    edit('DELETE FROM change WHERE id = 10 * 128');
    await expectRefused('corrupt', 'revision 9 is followed by 11');
  });

  test('a table that somebody removed', async () => {
    await fill();
    edit('DROP TABLE change');
    await expectRefused('corrupt', 'its table change is missing');
  });
});

describe('foreign files', () => {
  test('no database at all', async () => {
    await writeFile(file, 'a letter to my mother'.repeat(100));
    await expectRefused('format', 'not a database of this program', 'use another data folder');
  });

  test('48-3 what begins as no database is refused with its first bytes and the way out', async () => {
    await writeFile(file, Buffer.concat([Buffer.from('PK\u0003\u0004'), Buffer.alloc(2_000, 7)]));
    const found = 'begins with bytes 50 4b 03 04 07 07 07 07 07 07 07 07 07 07 07 07, not with "SQLite format 3"';
    await expectRefused('format', found, 'palisade restore FILE --data DIR --replace');
    await writeFile(file, 'a letter to my mother');
    await expectRefused('format', 'begins with "a letter to my m"');
  });

  test('48-3 a store whose first page was zeroed is damaged, and one whose header was is too', async () => {
    await fill();
    const content = await readFile(file);
    await writeFile(file, Buffer.from(content).fill(0, 0, 4_096));
    await expectRefused('corrupt', 'its first 100 bytes are zeros', 'restore it from a backup', 'to start empty');
    await writeFile(file, Buffer.from(content).fill(0xff, 18, 24));
    await expectRefused('corrupt', 'the header of the file is damaged', 'restore it from a backup');
  });

  test('the database of another program', async () => {
    edit('CREATE TABLE songs (title TEXT); INSERT INTO songs VALUES (1)');
    await expectRefused('format', 'another program');
  });

  test('a database without any table holds nothing and is taken as new', async () => {
    edit('PRAGMA user_version = 0; VACUUM');
    await using store = await openSqliteStore({dir});
    expect(await store.put('/a', bytes('x'))).toBe(1n);
  });

  test('what a start left that was killed while it made the file', async () => {
    await writeFile(`${file}-new`, 'half a database');
    await writeFile(`${file}-new-journal`, 'and its journal');
    await using store = await openSqliteStore({dir});
    expect(await store.put('/a', bytes('x'))).toBe(1n);
    expect((await readdir(dir)).filter(name => name.includes('-new'))).toEqual([]);
  });
});

describe('formats', () => {
  const {migrations} = STORE_FORMAT;
  const FORMAT = migrations.at(-1)?.to ?? 0;

  test('48-4 a newer one is refused with the release that reads it, and is not touched', async () => {
    await fill();
    edit(`PRAGMA user_version = ${FORMAT + 4}; INSERT INTO formats VALUES (${FORMAT + 4}, '0.3.0')`);
    await expectRefused(
      'format',
      `written by palisade 0.3.0 in format ${FORMAT + 4}; this is palisade ${PROGRAM_VERSION}, which reads up to ${FORMAT}; run palisade 0.3.0 or newer`,
    );
  });

  test('48-4 a newer one with a write-ahead log is not touched either, and neither is its log', async () => {
    await fill();
    edit(`PRAGMA user_version = ${FORMAT + 1}`);
    const db = new DatabaseSync(file);
    db.exec("PRAGMA journal_mode = WAL; INSERT INTO meta VALUES ('more', 1)");
    const log = await readFile(`${file}-wal`);
    await copyFile(file, `${file}.copy`);
    db.close();
    await copyFile(`${file}.copy`, file);
    await writeFile(`${file}-wal`, log);
    await expectRefused('format', `written by a newer palisade in format ${FORMAT + 1}`, 'run a newer palisade');
    expect(await readFile(`${file}-wal`)).toEqual(log);
  });

  test.each([1, 2])('48-4 one from before 0.1.0 (format %d) is refused and says what to do', async number => {
    await fill();
    edit(`PRAGMA application_id = ${0x50414c49}; PRAGMA user_version = ${number}`);
    await expectRefused('format', 'written by a version before 0.1.0', 'use another data folder, or run that version');
  });

  test('48-4 migrations go forward from where the file is, once, each as a whole, with the release that brought it', () => {
    const db = new DatabaseSync(':memory:');
    const next = [
      {to: FORMAT + 1, since: '0.2.0', sql: "INSERT INTO meta VALUES ('first', 1);"},
      {to: FORMAT + 2, since: '0.3.0', sql: "UPDATE meta SET value = value + 1 WHERE name = 'first';"},
    ];
    const state = () => [
      db.prepare('PRAGMA user_version').get()?.['user_version'],
      db.prepare('SELECT group_concat(written_by) AS by FROM formats').get()?.['by'],
      db.prepare("SELECT value FROM meta WHERE name = 'first'").get()?.['value'],
    ];
    migrate(db, STORE_FORMAT);
    expect(state()).toEqual([FORMAT, '0.1.0', undefined]);
    const later = {...STORE_FORMAT, migrations: [...migrations, ...next]};
    expect(migrate(db, later)).toEqual([FORMAT + 1, FORMAT + 2]);
    expect(migrate(db, later)).toEqual([]);
    expect(state()).toEqual([FORMAT + 2, '0.1.0,0.2.0,0.3.0', 2]);
    const broken = {
      to: FORMAT + 3,
      since: '0.4.0',
      sql: "INSERT INTO meta VALUES ('half', 1); INSERT INTO nowhere VALUES (1);",
    };
    expect(() => migrate(db, {...STORE_FORMAT, migrations: [broken]})).toThrow('nowhere');
    expect(db.isTransaction).toBe(false);
    expect(state()).toEqual([FORMAT + 2, '0.1.0,0.2.0,0.3.0', 2]);
    db.close();
  });
});

describe('lock', () => {
  test('a second store on the file is refused, names the process, and does not harm the first', async () => {
    await using first = await openSqliteStore({dir});
    await first.put('/a', bytes('x'));
    for (let i = 0; i < 3; i++)
      await expect(openSqliteStore({dir})).rejects.toMatchObject({
        code: 'locked',
        message: expect.stringMatching(
          /store\.db: another server.* is using it; stop that server, or use another data folder/,
        ),
      });
    expect(await first.put('/a', bytes('y'), 1n)).toBe(2n);
  });

  test('it is seen without being taken, and without making a file', async () => {
    expect(isLocked(file)).toBe(false);
    expect(existsSync(`${file}-lock`)).toBe(false);
    const store = await openSqliteStore({dir});
    expect([isLocked(file), isLocked(file)]).toEqual([true, true]);
    await store.close();
    expect(isLocked(file)).toBe(false);
  });

  test('it goes with close, and with an open that failed', async () => {
    await (await openSqliteStore({dir})).close();
    await copyFile(file, `${file}.good`);
    await writeFile(file, 'broken');
    await expect(openSqliteStore({dir})).rejects.toMatchObject({code: 'format'});
    await copyFile(`${file}.good`, file);
    await (await openSqliteStore({dir})).close();
  });
});

describe('folder and room', () => {
  test('the folder is made, with its parents', async () => {
    const deep = join(dir, 'a', 'b');
    await using store = await openSqliteStore({dir: deep});
    expect(await store.put('/a', bytes('x'))).toBe(1n);
  });

  test('a file where the folder should be', async () => {
    await writeFile(join(dir, 'plain'), 'x');
    for (const place of [join(dir, 'plain'), join(dir, 'plain', 'below')])
      await expect(openSqliteStore({dir: place})).rejects.toMatchObject({
        code: 'unavailable',
        message: expect.stringMatching(/plain.*(a file has its name|is not a folder)/),
      });
  });

  test('beyond the size limit a write is refused as on a full disk, nothing of it is kept, and reads go on', async () => {
    const value = new Uint8Array(100_000).fill(1);
    let kept = 0;
    {
      await using store = await openSqliteStore({dir, fileBytesMax: 1024 * 1024});
      const results = [];
      for (let i = 0; i < 15; i++) results.push(...(await Promise.allSettled([store.put(`/k${i}`, value)])));
      kept = results.filter(result => result.status === 'fulfilled').length;
      expect(kept).toBeGreaterThan(3);
      expect(kept).toBeLessThan(11);
      expect(results.at(-1)).toMatchObject({
        reason: {code: 'disk-full', message: expect.stringContaining('no space left')},
      });
      const txn = store.txn([
        {op: 'put', key: '/small', value: bytes('x')},
        {op: 'put', key: '/large', value},
      ]);
      await expect(txn).rejects.toMatchObject({code: 'disk-full'});
      expect((await store.list('', {limit: 100})).entries.length).toBe(kept);
      expect(await store.currentRevision()).toBe(BigInt(kept));
      // Room is made by removing and compacting, without a restart.
      const removed = await store.delete('/k0');
      await store.compact(removed);
      expect(await store.put('/again', value)).toBe(removed + 1n);
    }
    await using store = await openSqliteStore({dir});
    expect((await store.list('', {limit: 100})).entries.map(entry => entry.key)).toEqual(
      ['/again', ...Array.from({length: kept - 1}, (_, i) => `/k${i + 1}`)].sort(),
    );
    expect(await store.put('/more', value)).toBe(BigInt(kept) + 3n);
  });
});

describe('toStoreError', () => {
  const sqlite = (errcode: number) => Object.assign(new Error('text of the cause'), {errcode});
  test.each([
    {name: 'SQLITE_BUSY', error: sqlite(5), code: 'locked'},
    {name: 'SQLITE_READONLY_DIRECTORY', error: sqlite(8 | (6 << 8)), code: 'disk-failed'},
    {name: 'SQLITE_IOERR_FSYNC', error: sqlite(10 | (4 << 8)), code: 'disk-failed'},
    {name: 'SQLITE_CORRUPT', error: sqlite(11), code: 'corrupt'},
    {name: 'SQLITE_FULL', error: sqlite(13), code: 'disk-full'},
    {name: 'SQLITE_CANTOPEN', error: sqlite(14), code: 'unavailable'},
    {name: 'SQLITE_TOOBIG', error: sqlite(18), code: 'too-large'},
    {name: 'SQLITE_NOTADB', error: sqlite(26), code: 'corrupt'},
    {name: 'another result of SQLite', error: sqlite(1), code: 'unavailable'},
    {name: 'EROFS', error: Object.assign(new Error('text of the cause'), {code: 'EROFS'}), code: 'disk-failed'},
    {name: 'ENOSPC', error: Object.assign(new Error('text of the cause'), {code: 'ENOSPC'}), code: 'disk-full'},
    {name: 'EDQUOT', error: Object.assign(new Error('text of the cause'), {code: 'EDQUOT'}), code: 'disk-full'},
    {name: 'EFBIG', error: Object.assign(new Error('text of the cause'), {code: 'EFBIG'}), code: 'disk-full'},
    {name: 'EIO', error: Object.assign(new Error('text of the cause'), {code: 'EIO'}), code: 'disk-failed'},
    {name: 'anything else', error: 'text of the cause', code: 'unavailable'},
  ])('$name is $code, with the file and the cause in the message', ({error, code}) => {
    const got = toStoreError(error, '/data/store.db');
    expect(got).toMatchObject({code, cause: error});
    expect(got.message).toMatch(/^\/data\/store\.db: .+ \(text of the cause\)$/);
  });
});
