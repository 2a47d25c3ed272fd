// SPDX-License-Identifier: Apache-2.0
/** Threat and traffic records in a backup, from the record store in use to a restored folder. */
import {mkdirSync} from 'node:fs';
import {join} from 'node:path';
import {checkRecords, openSqliteRecordStore, type RecordStore} from '@palisade/ids';
import {openMemoryStore} from '@palisade/store/memory';
import {expect, test} from 'vitest';
import {RECORD_BUDGETS_DEFAULT} from '../../../packages/ids/src/limits.ts';
import {batch, flow, readAll, T0, threat} from '../../../packages/ids/src/testing/record-store-contract.ts';
import {Backups} from '../../../packages/server/src/backup/backups.ts';
import {restoreBackup} from '../../../packages/server/src/backup/restore.ts';
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
