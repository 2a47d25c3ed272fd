// SPDX-License-Identifier: Apache-2.0
/**
 * A data folder from a backup file. All is built and synced in a folder of its own within the data folder, so that a mount point will
 * do; then what it replaces is put aside, and the new files get their names, the store last. While names are moved, the folder
 * `restore.unfinished` refuses the start of a server: half a restore never looks like a store.
 */
import {existsSync} from 'node:fs';
import {mkdir, open, readdir, rename, rm, rmdir} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import {Readable} from 'node:stream';
import {hasCode, isStoreError, type Revision} from '@palisade/store';
import {StoreFileWriter} from '@palisade/store/backup';
import {newestRevision} from '@palisade/store/offline';
import {openSqliteStore, takeLock} from '@palisade/store/sqlite';
import {CommandError} from '../errors.ts';
import {
  FORMAT_FILE,
  kubeconfigFile,
  openDataFolder,
  PKI_FOLDER,
  RECORDS_FOLDER,
  STORE_FILE,
} from '../process/data-folder.ts';
import {FOLDER_MIGRATIONS, formatText} from '../process/folder-format.ts';
import {SERVER_FILE} from '../process/server-file.ts';
import {syncFolder} from '../process/sync-folder.ts';
import {ArchiveError} from './archive-error.ts';
import {timeText} from './copies.ts';
import type {Manifest} from './manifest.ts';
import {type ArchiveSummary, readArchive, type Visitor} from './read-archive.ts';
import {RESTORE_UNFINISHED} from './unfinished-restore.ts';

/** How the names of folders with replaced data begin. */
const ASIDE = 'before-restore-';
/** What is being built; a later restore removes it. */
const PARTIAL = 'restore.partial';
/** More than a server hands out in a day: 11,000 revisions a second. Ref: etcdutl snapshot restore --bump-revision. */
const REVISIONS_A_DAY = 1_000_000_000n;
const DAY_MS = 86_400_000n;

export type RestoreOptions = {
  /** The backup. */
  readonly file: string;
  /** The data folder. */
  readonly dir: string;
  /** Data in the folder is put aside; without it, it is a refusal. */
  readonly replaces: boolean;
  readonly nowMs: number;
  readonly progress?: (step: 'verifying' | 'restoring', bytes: number, of?: number) => void;
};

export type Restored = ArchiveSummary & {
  readonly dir: string;
  /** The newest revision of the restored store, and the oldest that can be read. */
  readonly revision: string;
  /** Where the data that was there is now. */
  readonly aside: string | undefined;
  /** Record files that were damaged when they were backed up, as lines. A start sets damaged files aside. */
  readonly recordFaults: readonly string[];
};

/**
 * Later than every revision that was handed out since the backup, also by a store that was restored from the same backup before: it
 * grows with each millisecond by more than a server hands out.
 */
export const revisionAfter = ({revision, createdAt}: Manifest, nowMs: number): Revision => {
  const ageMs = BigInt(Math.max(0, Math.floor(nowMs - Date.parse(createdAt))));
  return BigInt(revision) + REVISIONS_A_DAY + (REVISIONS_A_DAY * ageMs) / DAY_MS;
};

const maxOf = (a: Revision, b: Revision): Revision => (a > b ? a : b);

/** The same, whatever the clock says: after the stores that the folder has or had. */
const revisionAfterAll = async (dir: string): Promise<Revision> => {
  const folders = (await readdir(dir)).filter(name => name === RESTORE_UNFINISHED || name.startsWith(ASIDE));
  const newest = ['', ...folders].map(name => BigInt(newestRevision(join(dir, name, STORE_FILE)) ?? 0));
  return newest.reduce(maxOf) + REVISIONS_A_DAY;
};

/** Throws CommandError with nothing changed; ArchiveError for a damaged backup, with nothing changed. */
export const restoreBackup = async (options: RestoreOptions): Promise<Restored> => {
  const {file, dir, replaces, progress} = options;
  const checked = await readArchive(file, {checksValues: true, progress: (at, of) => progress?.('verifying', at, of)});
  const {made} = await openDataFolder(dir);
  try {
    using _lock = lockOf(dir);
    const found = await dataIn(dir);
    if (found.length > 0 && !replaces)
      throw new CommandError(
        `--data ${dir}: has data already (${found.join(', ')}); give --replace to put it aside, or choose another folder`,
      );
    return await restoreInto(options, checked);
  } catch (error) {
    await removeMade(dir, made);
    throw isStoreError(error) ? new CommandError(`${error.message}; nothing was changed`, {cause: error}) : error;
  }
};

const lockOf = (dir: string): Disposable => {
  try {
    const lock = takeLock(join(dir, STORE_FILE));
    return {[Symbol.dispose]: () => lock.release()};
  } catch (error) {
    if (!hasCode(error, 'locked')) throw error;
    throw new CommandError(`${error.message.replace('stop that server', 'stop that server before the restore')}`, {
      cause: error,
    });
  }
};

/** Names of the folder that a restore may have to put aside, or that show that a server used it. */
const dataIn = async (dir: string): Promise<readonly string[]> =>
  (await readdir(dir)).filter(name => name !== `${STORE_FILE}-lock` && name !== PARTIAL && name !== 'lost+found');

/** A folder that was not there before goes again. */
const removeMade = async (dir: string, made: readonly string[]): Promise<void> => {
  if (!made.includes(dir)) return;
  await rm(join(dir, `${STORE_FILE}-lock`), {force: true});
  for (const folder of made.toReversed()) await rmdir(folder).catch(() => undefined); // somebody has put something there
};

const restoreInto = async (options: RestoreOptions, checked: ArchiveSummary): Promise<Restored> => {
  const {dir, nowMs} = options;
  const partial = join(dir, PARTIAL);
  await rm(partial, {recursive: true, force: true});
  const revision = maxOf(revisionAfter(checked.manifest, nowMs), await revisionAfterAll(dir));
  let recordFaults: readonly string[];
  try {
    await mkdir(partial, {mode: 0o700});
    await build(partial, revision, options);
    await writeFormat(partial, checked.manifest);
    await syncFolder(partial);
    await checkBuilt(partial, revision, checked);
    recordFaults = await faultsOfRecords(partial, checked);
  } catch (error) {
    await rm(partial, {recursive: true, force: true});
    throw error;
  }
  const aside = await moveIn(dir, nowMs);
  return {...checked, dir, revision: String(revision), aside, recordFaults};
};

/** All of it is on disk when it resolves. */
const build = async (partial: string, revision: Revision, {file, progress}: RestoreOptions): Promise<void> => {
  const writer = new StoreFileWriter(join(partial, STORE_FILE));
  const visitor: Visitor = {
    entries: entries => writer.add(entries),
    file: (path, content) => writeSynced(join(partial, path), content),
    progress: (at, of) => progress?.('restoring', at, of),
  };
  try {
    await readArchive(file, visitor);
    writer.finish(revision);
  } finally {
    writer.close();
  }
  await rm(join(partial, `${STORE_FILE}-lock`), {force: true});
  const folders = (await readdir(partial, {withFileTypes: true, recursive: true})).filter(each => each.isDirectory());
  for (const {parentPath, name} of folders) await syncFolder(join(parentPath, name));
  await syncFolder(partial);
};

/** That of the backup: the next start brings the folder forward. */
const writeFormat = async (partial: string, {formats}: Manifest): Promise<void> => {
  const migration = FOLDER_MIGRATIONS.find(({to}) => to === formats.folder);
  if (migration === undefined) throw new ArchiveError(`pki in format ${formats.folder}, which no release reads`);
  const text = Buffer.from(formatText(migration));
  await writeSynced(join(partial, FORMAT_FILE), Readable.from([text]));
};

/** Certificates are for clients, all else is secret. */
const modeOf = (path: string): number => (path.endsWith('.crt') ? 0o644 : 0o600);

const writeSynced = async (path: string, content: AsyncIterable<Buffer>): Promise<void> => {
  await mkdir(dirname(path), {recursive: true, mode: 0o700});
  const handle = await open(path, 'wx', modeOf(path));
  try {
    for await (const chunk of content)
      for (let at = 0; at < chunk.length; ) at += (await handle.write(chunk, at)).bytesWritten;
    await handle.sync();
  } finally {
    await handle.close();
  }
};

/** Opens what was built, as a server would. */
const checkBuilt = async (partial: string, revision: Revision, {manifest}: ArchiveSummary): Promise<void> => {
  const store = await openSqliteStore({file: join(partial, STORE_FILE)});
  try {
    const {entries, remaining} = await store.list('', {limit: 1});
    const count = entries.length + remaining;
    if (count !== manifest.objects || (await store.currentRevision()) !== revision)
      throw new Error(`bug: the restored store has ${count} objects, not ${manifest.objects}`);
  } finally {
    await store.close();
  }
  await rm(join(partial, `${STORE_FILE}-lock`), {force: true});
};

/** They came as they were backed up: the checksums fit. So one damaged file of records keeps nobody from the objects. */
const faultsOfRecords = async (partial: string, {manifest}: ArchiveSummary): Promise<readonly string[]> => {
  if (!manifest.records) return [];
  const {checkRecords} = await import('@palisade/ids'); // large, and seldom needed
  const {faults} = await checkRecords(join(partial, RECORDS_FOLDER));
  await rm(join(partial, RECORDS_FOLDER, 'journal.db-lock'), {force: true});
  return faults.map(({file, message}) => `${RECORDS_FOLDER}/${file}: ${message}`);
};

/** Names that go aside where the backup brings their successor; the rest of the store's files always. */
const storeFiles = ['-wal', '-shm', '-journal', ''].map(suffix => `${STORE_FILE}${suffix}`);

/** Where the old data is; undefined: there was none. */
const moveIn = async (dir: string, nowMs: number): Promise<string | undefined> => {
  const unfinished = join(dir, RESTORE_UNFINISHED);
  const aside = await freeName(join(dir, `${ASIDE}${timeText(nowMs)}`));
  const rest = existsSync(unfinished); // of a restore that was killed between two names
  if (rest) {
    await mkdir(aside, {mode: 0o700});
    await rename(unfinished, join(aside, RESTORE_UNFINISHED));
  }
  await rename(join(dir, PARTIAL), unfinished);
  await syncFolder(dir);
  const fresh = await readdir(unfinished);
  const old = [...storeFiles, FORMAT_FILE, PKI_FOLDER, RECORDS_FOLDER].filter(
    name => existsSync(join(dir, name)) && (fresh.includes(name) || storeFiles.includes(name)),
  );
  const written = [kubeconfigFile(dir), join(dir, SERVER_FILE)].map(path => path.slice(dir.length + 1));
  const gone = [...old, ...written.filter(name => existsSync(join(dir, name)))];
  if (gone.length > 0) await mkdir(aside, {recursive: true, mode: 0o700});
  for (const name of gone) await rename(join(dir, name), join(aside, name));
  for (const name of fresh.filter(each => each !== STORE_FILE)) await rename(join(unfinished, name), join(dir, name));
  await rename(join(unfinished, STORE_FILE), join(dir, STORE_FILE));
  if (gone.length > 0 || rest) await syncFolder(aside);
  await syncFolder(dir);
  await rmdir(unfinished);
  await syncFolder(dir);
  return gone.length > 0 || rest ? aside : undefined;
};

const freeName = async (path: string): Promise<string> => {
  let name = path;
  for (let number = 2; existsSync(name); number++) name = `${path}-${number}`;
  return name;
};
