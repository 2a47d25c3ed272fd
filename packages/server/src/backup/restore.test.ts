// SPDX-License-Identifier: Apache-2.0
import {existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {StoreError} from '@palisade/store';
import {StoreFileWriter} from '@palisade/store/backup';
import {openSqliteStore, takeLock} from '@palisade/store/sqlite';
import {afterEach, beforeEach, describe, expect, test, vi} from 'vitest';
import {CommandError} from '../errors.ts';
import {FOLDER_FORMAT, readFolderFormat} from '../process/folder-format.ts';
import {ArchiveError} from './archive-error.ts';
import {backUpFolder} from './offline.ts';
import {restoreBackup, revisionAfter} from './restore.ts';
import {makeSample, SAMPLE_TIME, type Sample} from './testing/sample.ts';
import {assertRestoreFinished} from './unfinished-restore.ts';
import {writeBackupFile} from './write-backup-file.ts';

let dir: string;
let data: string;
let sample: Sample;
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'palisade-test-'));
  data = join(dir, 'deep', 'data');
  sample = await makeSample(dir, 5);
});
afterEach(() => rmSync(dir, {recursive: true, force: true}));

const restore = (replaces = false, nowMs = SAMPLE_TIME) =>
  restoreBackup({file: sample.file, dir: data, replaces, nowMs});
/** Every file below the folder, with its content. */
const filesIn = (folder: string): Record<string, string> =>
  existsSync(folder)
    ? Object.fromEntries(
        readdirSync(folder, {recursive: true, withFileTypes: true})
          .filter(entry => entry.isFile())
          .map(({parentPath, name}) => {
            const path = join(parentPath, name);
            return [path.slice(folder.length + 1), readFileSync(path).toString('base64')];
          }),
      )
    : {};

describe('48-3 restore', () => {
  test('into a new folder: every object with its revisions, the keys with their modes', async () => {
    const {revision, aside} = await restore();
    expect([revision, aside]).toEqual([String(1_000_000_000 + 6), undefined]);
    expect(readdirSync(data).sort()).toEqual(['format.json', 'pki', 'store.sqlite', 'store.sqlite-lock']);
    expect(readFileSync(join(data, 'pki', 'ca.key'), 'utf8')).toBe('key\n');
    const modes = ['pki', 'pki/ca.key', 'pki/ca.crt', 'store.sqlite'].map(name => statSync(join(data, name)).mode);
    expect(modes.map(mode => mode & 0o777)).toEqual([0o700, 0o600, 0o644, 0o600]);
    await using store = await openSqliteStore({file: join(data, 'store.sqlite')});
    const {entries} = await store.list('', {limit: 100});
    const plain = (all: typeof entries) =>
      all.map(({value, ...rest}) => ({...rest, value: String(Buffer.from(value))}));
    expect(plain(entries)).toEqual(plain(sample.entries));
  });

  test('revisions begin long after that of the backup, and later the older it is', () => {
    const manifest = {revision: '5', createdAt: new Date(SAMPLE_TIME).toISOString()} as never;
    expect(revisionAfter(manifest, SAMPLE_TIME)).toBe(1_000_000_005n);
    expect(revisionAfter(manifest, SAMPLE_TIME + 43_200_000)).toBe(1_500_000_005n);
    expect(revisionAfter(manifest, SAMPLE_TIME + 10 * 86_400_000)).toBe(11_000_000_005n);
    expect(revisionAfter(manifest, SAMPLE_TIME - 86_400_000)).toBe(1_000_000_005n);
  });

  test('a folder with data is refused and not changed; with replace its data goes aside', async () => {
    await restore();
    mkdirSync(join(data, 'records'));
    for (const name of ['records/journal.db', 'store.sqlite-wal', 'kubeconfig', 'serve.log'])
      writeFileSync(join(data, name), `old ${name}`);
    const before = filesIn(data);
    await expect(restore()).rejects.toThrow(/has data already \(.*store\.sqlite.*\); give --replace/);
    expect(filesIn(data)).toEqual(before);
    const {aside = ''} = await restore(true);
    expect(aside).toBe(join(data, 'before-restore-20261128T120000Z'));
    expect(Object.keys(filesIn(aside)).sort()).toEqual(
      ['format.json', 'kubeconfig', 'pki/ca.crt', 'pki/ca.key', 'store.sqlite', 'store.sqlite-wal'].sort(),
    );
    expect(readFileSync(join(data, 'records/journal.db'), 'utf8')).toBe('old records/journal.db');
    const again = await restore(true);
    expect(again.aside).toBe(`${aside}-2`);
    expect(readdirSync(data).filter(name => name.startsWith('restore.'))).toEqual([]);
  });

  test.each([
    ['a second later', 1_000],
    ['after the clock was set back', -3_600_000],
  ])('what a store handed out that was restored before is not handed out again, %s', async (_, laterMs) => {
    await restore();
    const first = await openSqliteStore({file: join(data, 'store.sqlite')});
    for (let i = 0; i < 50; i++) await first.put('/kube/endpoints/default/new', Buffer.from('{}'));
    const last = await first.currentRevision();
    await first.close();
    const {revision} = await restore(true, SAMPLE_TIME + laterMs);
    expect(BigInt(revision)).toBeGreaterThan(last);
    await using again = await openSqliteStore({file: join(data, 'store.sqlite')});
    await expect(again.get('/kube/endpoints/default/new', last)).rejects.toMatchObject({code: 'compacted'});
  });

  test('a second restore into a folder begins behind all that the first one handed out', async () => {
    const first = BigInt((await restore()).revision);
    const store = await openSqliteStore({file: join(data, 'store.sqlite')});
    const revision = await store.put('/kube/core/endpoints/default/new', Buffer.from('{}'));
    await store.close();
    expect(revision).toBe(first + 1n);
    const second = BigInt((await restore(true)).revision);
    expect(second).toBeGreaterThan(revision);
    mkdirSync(join(data, 'restore.unfinished')); // killed when the store was aside
    rmSync(join(data, 'store.sqlite'));
    expect(BigInt((await restore(true)).revision)).toBeGreaterThan(revision);
  });

  test('a folder in a newer format is put aside with its number, so that this version starts on the backup', async () => {
    await restore();
    writeFileSync(join(data, 'format.json'), '{"format":9,"writtenBy":"9.0.0"}\n');
    await expect(
      writeBackupFile(join(dir, 'x'), backUpFolder(data, false, new AbortController().signal)),
    ).rejects.toThrow('written by palisade 9.0.0 in format 9');
    const {aside = ''} = await restore(true);
    expect(await readFolderFormat(data)).toBe(FOLDER_FORMAT);
    await expect(readFolderFormat(aside)).rejects.toThrow('in format 9');
  });

  test('a store that cannot be written is a failure with its reason, and leaves nothing', async () => {
    const full = vi.spyOn(StoreFileWriter.prototype, 'add').mockImplementation(() => {
      throw new StoreError('disk-full', {message: 'store.sqlite: no space left'});
    });
    await expect(restore()).rejects.toThrow(new CommandError('store.sqlite: no space left; nothing was changed'));
    full.mockRestore();
    expect(existsSync(join(dir, 'deep'))).toBe(false);
  });

  test('a damaged backup changes nothing, wherever it is damaged', async () => {
    const whole = readFileSync(sample.file);
    for (const at of [10, whole.length >> 1, whole.length - 45, whole.length - 1]) {
      const changed = Buffer.from(whole);
      changed[at] = Number(changed[at]) ^ 1;
      writeFileSync(sample.file, changed);
      await expect(restore(), `byte ${at}`).rejects.toThrow(ArchiveError);
      expect(existsSync(join(dir, 'deep'))).toBe(false);
    }
    writeFileSync(sample.file, whole.subarray(0, 100));
    mkdirSync(data, {recursive: true});
    writeFileSync(join(data, 'store.sqlite'), 'mine');
    await expect(restore(true)).rejects.toThrow(ArchiveError);
    expect(filesIn(data)).toEqual({'store.sqlite': Buffer.from('mine').toString('base64')});
  });

  test('a folder that a server uses is refused and not changed', async () => {
    await restore();
    const before = filesIn(data);
    const lock = takeLock(join(data, 'store.sqlite'));
    try {
      await expect(restore(true)).rejects.toThrow(/another server.*stop that server before the restore/);
    } finally {
      lock.release();
    }
    expect(filesIn(data)).toEqual(before);
  });

  test('one that was killed while it built is begun again; one that was killed between two names refuses the start', async () => {
    mkdirSync(join(data, 'restore.partial', 'pki'), {recursive: true});
    assertRestoreFinished(data);
    await restore();
    mkdirSync(join(data, 'restore.unfinished'));
    writeFileSync(join(data, 'restore.unfinished', 'store.sqlite'), 'of a killed restore');
    expect(() => assertRestoreFinished(data)).toThrow('a restore did not finish');
    await expect(
      writeBackupFile(join(dir, 'x'), backUpFolder(data, false, new AbortController().signal)),
    ).rejects.toThrow('a restore did not finish');
    const {aside = ''} = await restore(true);
    assertRestoreFinished(data);
    expect(readFileSync(join(aside, 'restore.unfinished', 'store.sqlite'), 'utf8')).toBe('of a killed restore');
  });
});

test('48-3 a folder that no server uses is backed up as it is, and a restore gives the same again', async () => {
  await restore();
  const file = join(dir, 'offline.tar.zst');
  const make = (from: string) => backUpFolder(from, false, new AbortController().signal);
  const {manifest} = await writeBackupFile(file, make(data));
  expect(manifest).toMatchObject({objects: 5, revision: '1000000006', serverUid: ''});
  await expect(writeBackupFile(join(dir, 'y'), make(join(dir, 'absent')))).rejects.toThrow(`no store in ${dir}/absent`);
});

test('48-3 a stopped folder with a damaged record file is refused with records, and backed up without', async () => {
  await restore();
  mkdirSync(join(data, 'records'));
  writeFileSync(join(data, 'records', 'journal.db'), 'noise '.repeat(2_000));
  const make = (records: boolean) =>
    writeBackupFile(join(dir, `records-${records}`), backUpFolder(data, records, new AbortController().signal));
  await expect(make(true)).rejects.toThrow(/journal\.db: .*or leave out --records/);
  expect((await make(false)).manifest.objects).toBe(5);
});
