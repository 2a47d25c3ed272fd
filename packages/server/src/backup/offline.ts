// SPDX-License-Identifier: Apache-2.0
/** A backup of a data folder that no server uses. */
import {existsSync} from 'node:fs';
import {readdir, stat} from 'node:fs/promises';
import {join} from 'node:path';
import {isStoreError, type Store} from '@palisade/store';
import {openSqliteStore} from '@palisade/store/sqlite';
import {CommandError} from '../errors.ts';
import {assertSearchable, RECORDS_FOLDER, storeFileOf} from '../process/data-folder.ts';
import {readFolderFormat} from '../process/folder-format.ts';
import {systemClock} from '../process/system.ts';
import {Backups} from './backups.ts';
import {isMemberPath} from './manifest.ts';
import {assertRestoreFinished} from './unfinished-restore.ts';
import type {LargeFile} from './write-archive.ts';

/** UID of the namespace kube-system; '' if it does not exist. */
const uidIn = async (store: Store): Promise<string> => {
  const entry = await store.get('/kube/core/namespaces/kube-system');
  const object = entry && (JSON.parse(Buffer.from(entry.value).toString()) as {metadata?: {uid?: string}});
  return object?.metadata?.uid ?? '';
};

/** As a server that stopped, or crashed, left them. */
async function* recordFiles(dir: string): AsyncGenerator<LargeFile> {
  const folder = join(dir, RECORDS_FOLDER);
  if (!existsSync(folder)) return;
  for (const entry of await readdir(folder, {withFileTypes: true})) {
    if (!entry.isFile() || entry.name.endsWith('-lock') || !isMemberPath(entry.name)) continue;
    const file = join(folder, entry.name);
    yield {file, path: `${RECORDS_FOLDER}/${entry.name}`, bytes: (await stat(file)).size};
  }
}

/** Damage is found now, while the server can still set the file aside, and not at a restore. Throws CommandError. */
const assertRecordsWhole = async (dir: string): Promise<void> => {
  const folder = join(dir, RECORDS_FOLDER);
  if (!existsSync(folder)) return;
  const {checkRecords} = await import('@palisade/ids'); // large, and seldom needed
  const [fault] = (await checkRecords(folder)).faults;
  if (fault === undefined) return;
  throw new CommandError(
    `${join(folder, fault.file)}: ${fault.message}; start the server, which sets a damaged file aside, or leave out --records`,
  );
};

/**
 * The bytes of an archive of the folder, whose store is locked meanwhile. Throws CommandError, also where a server uses it.
 */
export async function* backUpFolder(dir: string, withRecords: boolean, signal: AbortSignal): AsyncGenerator<Buffer> {
  assertSearchable(dir);
  assertRestoreFinished(dir);
  const file = storeFileOf(dir);
  if (!existsSync(file))
    throw new CommandError(`no store in ${dir}; check --data, or name a running server with --server`);
  const folderFormat = await readFolderFormat(dir);
  let store: Store;
  try {
    store = await openSqliteStore({file});
  } catch (error) {
    throw isStoreError(error) ? new CommandError(error.message, {cause: error}) : error;
  }
  try {
    if (withRecords) await assertRecordsWhole(dir);
    const serverUid = await uidIn(store);
    const backups = new Backups({
      ...{store, dir, serverUid, folderFormat, clock: systemClock},
      records: () => recordFiles(dir),
    });
    yield* backups.make(withRecords, signal);
  } finally {
    await store.close();
  }
}
