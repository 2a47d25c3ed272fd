// SPDX-License-Identifier: Apache-2.0
/** Threat and traffic records in a backup, from the record store in use to a restored folder. */
import {mkdirSync, readdirSync, statSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {checkRecords, openSqliteRecordStore, type RecordStore} from '@palisade/ids';
import {openMemoryStore} from '@palisade/store/memory';
import {openSqliteStore} from '@palisade/store/sqlite';
import {expect, test} from 'vitest';
import {RECORD_BUDGETS_DEFAULT} from '../../../packages/ids/src/limits.ts';
import {batch, flow, readAll, T0, threat} from '../../../packages/ids/src/testing/record-store-contract.ts';
import {Backups} from '../../../packages/server/src/backup/backups.ts';
import {backUpFolder} from '../../../packages/server/src/backup/offline.ts';
import {restoreBackup} from '../../../packages/server/src/backup/restore.ts';
import {archiveOf} from '../../../packages/server/src/backup/write-archive.ts';
import {writeBackupFile} from '../../../packages/server/src/backup/write-backup-file.ts';
import {scratch} from '../../support/palisade.ts';

const ignore = (): void => undefined;
const clock = {now: () => T0 + 60_000};
const log = {debug: ignore, info: ignore, warn: ignore, error: ignore};
const EVERY = {project: '-', location: '-', endpointId: '-'};
const THREATS = {kind: 'threats', name: EVERY, filter: ''} as const;
const TRAFFIC = {kind: 'traffic', name: EVERY, filter: ''} as const;

const openRecords = async (folder: string): Promise<RecordStore> => {
  const records = openSqliteRecordStore({folder, budgets: RECORD_BUDGETS_DEFAULT, clock, log});
  await records.start();
  return records;
};
const content = async (records: RecordStore) => [await readAll(records, THREATS), await readAll(records, TRAFFIC)];

test('48-3 records are as of one commit in the backup, and a cursor from after it is of another history', async () => {
  using folder = scratch();
  const source = join(folder.dir, 'source');
  mkdirSync(source);
  const records = await openRecords(join(source, 'records'));
  const threats = Array.from({length: 60}, (_, i) => threat(i - (i % 3) * 86_400_000, {}, `event ${i}`));
  await records.commit(batch({threats, traffic: [flow(1), flow(2)]}));
  const wanted = await content(records);
  expect(wanted.map(all => all.length)).toEqual([60, 2]);
  await using store = await openMemoryStore();
  await store.put('/kube/marker', Buffer.from('{}'));
  const backups = new Backups({
    ...{store, dir: source, serverUid: 'uid', clock},
    records: async function* copies(signal) {
      let isFirst = true;
      for await (const {file, path, bytes} of records.snapshot(signal)) {
        if (isFirst) await records.commit(batch({threats: [threat(99, {}, 'later')]}));
        isFirst = false;
        yield {file: path, path: `records/${file}`, bytes};
      }
    },
  });
  const file = join(folder.dir, 'backup.tar.zst');
  const summary = await writeBackupFile(file, backups.make(true, new AbortController().signal));
  expect(summary).toMatchObject({manifest: {records: true}, recordFiles: expect.any(Number)});
  expect(summary.recordFiles).toBeGreaterThan(1);
  const later = await records.position();
  expect(await records.holds(later)).toBe(true);
  await records.close();

  const dir = join(folder.dir, 'restored');
  await restoreBackup({file, dir, replaces: false, nowMs: clock.now()});
  expect(await checkRecords(join(dir, 'records'))).toMatchObject({records: 62, faults: []});
  const restored = await openRecords(join(dir, 'records'));
  try {
    expect(await content(restored)).toEqual(wanted);
    expect(await restored.holds(later)).toBe(false);
  } finally {
    await restored.close();
  }
});

test('48-3 a record file that is damaged in the source costs its records, not the objects', async () => {
  using folder = scratch();
  const source = join(folder.dir, 'source');
  mkdirSync(source);
  const store = await openSqliteStore({file: join(source, 'store.sqlite')});
  await store.put('/kube/marker', Buffer.from('{}'));
  await store.close();
  const records = await openRecords(join(source, 'records'));
  await records.commit(batch({threats: [threat(1, {}, 'event 1')], traffic: [flow(1)]}));
  await records.close();
  const file = join(folder.dir, 'backup.tar.zst');
  const {manifest} = await writeBackupFile(file, backUpFolder(source, true, new AbortController().signal));
  const names = readdirSync(join(source, 'records')).filter(name => name.endsWith('.db'));
  const traffic = names.find(name => name.startsWith('traffic-')) ?? '';
  writeFileSync(join(source, 'records', traffic), Buffer.alloc(8_192, 1), {flag: 'r+'});
  async function* files() {
    for (const name of names) {
      const path = join(source, 'records', name);
      yield {file: path, path: `records/${name}`, bytes: statSync(path).size};
    }
  }
  const entries = [
    {key: '/kube/marker', value: Buffer.from('{}'), createRevision: 1n, modRevision: BigInt(manifest.revision)},
  ];
  const damaged = archiveOf({manifest, entries, files: [], records: files()}, async () => {});
  await writeBackupFile(file, damaged, {replaces: true});

  const dir = join(folder.dir, 'restored');
  const {recordFaults} = await restoreBackup({file, dir, replaces: false, nowMs: clock.now()});
  expect(recordFaults).toEqual([expect.stringMatching(`^records/${traffic}: `)]);
  await using objects = await openSqliteStore({file: join(dir, 'store.sqlite')});
  expect(await objects.get('/kube/marker')).toBeDefined();
  const restored = await openRecords(join(dir, 'records'));
  expect((await content(restored)).map(all => all.length)).toEqual([1, 0]);
  await restored.close();
});
