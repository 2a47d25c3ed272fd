// SPDX-License-Identifier: Apache-2.0
/** A data folder with a few objects, keys and records, and its backup, for tests. */
import {mkdirSync, symlinkSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import type {Entry, Store} from '@palisade/store';
import {openMemoryStore} from '@palisade/store/memory';
import {Backups} from '../backups.ts';
import {writeBackupFile} from '../write-backup-file.ts';

export const SAMPLE_UID = '3f2a1b7c-0000-4000-8000-000000000000';
export const SAMPLE_TIME = Date.UTC(2026, 10, 28, 12);

export type Sample = {
  readonly store: Store;
  readonly entries: readonly Entry[];
  readonly backups: Backups;
  /** The backup. */
  readonly file: string;
};

/** `dir` exists. `objects` of about a kilobyte each. */
export const makeSample = async (dir: string, objects = 40): Promise<Sample> => {
  mkdirSync(join(dir, 'source', 'pki'), {recursive: true});
  mkdirSync(join(dir, 'source', 'records'));
  writeFileSync(join(dir, 'source', 'pki', 'ca.crt'), 'certificate\n');
  // As a mounted secret has it, beside what an editor left.
  mkdirSync(join(dir, 'source', 'pki', '..data'));
  writeFileSync(join(dir, 'source', 'pki', '..data', 'ca.key'), 'key\n');
  symlinkSync(join('..data', 'ca.key'), join(dir, 'source', 'pki', 'ca.key'));
  for (const name of ['ca.key~', '.ca.crt.swp']) writeFileSync(join(dir, 'source', 'pki', name), 'half\n');
  writeFileSync(join(dir, 'source', 'pki', 'ca.key.0123456789ab.new'), 'half\n');
  const store = await openMemoryStore();
  for (let i = 0; i < objects; i++)
    await store.put(`/kube/endpoints/default/e${i}`, Buffer.from(JSON.stringify({i, text: 'x'.repeat(1_000)})), 0n);
  await store.put('/kube/endpoints/default/e0', Buffer.from('{"i":"changed"}'));
  const {entries} = await store.list('', {limit: 10_000});
  const backups = new Backups({
    ...{store, dir: join(dir, 'source'), serverUid: SAMPLE_UID, clock: {now: () => SAMPLE_TIME}},
    records: undefined,
  });
  const file = join(dir, 'backup.tar.zst');
  await writeBackupFile(file, backups.make(false, new AbortController().signal));
  return {store, entries, backups, file};
};
