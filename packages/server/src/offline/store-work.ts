// SPDX-License-Identifier: Apache-2.0
/** `palisade store …`: work on the objects and records of a data folder while no server runs. */
import {existsSync} from 'node:fs';
import {join} from 'node:path';
import {checkRecords} from '@palisade/ids';
import {
  acceptLoss,
  type CheckedStore,
  checkStore,
  inspectLog,
  type Readable,
  readableOf,
  type Salvaged,
  type Shrunk,
  salvage,
  shrinkInThread,
} from '@palisade/store/offline';
import {FolderError} from '../errors.ts';
import {assertSearchable, RECORDS_FOLDER, storeFileOf} from '../process/data-folder.ts';
import {readFolderFormat} from '../process/folder-format.ts';
import {asFolderError} from './folder-error.ts';
import {valueFault} from './value-check.ts';

/** `step`: what is being read or written, `done` of `of` things. */
export type OnProgress = (step: string, done: number, of?: number) => void;

/** What is wrong, where, and what to do about it. */
export type FolderFault = {readonly where: string; readonly what: string; readonly wayOut: string};
export type CheckedFolder = {
  readonly store: Omit<CheckedStore, 'faults' | 'isThere'>;
  /** Undefined: the folder has no records. */
  readonly records: {readonly files: number; readonly records: number} | undefined;
  readonly faults: readonly FolderFault[];
};

const RESTORE = 'restore the folder from a backup';
const repairWith = (dir: string): string => `${RESTORE}; without one: palisade store repair --data ${dir}`;
const WAYS_OUT = {
  log: repairWith,
  head: () => `${RESTORE}, or move the file and its -wal away to start empty`,
  file: repairWith,
  row: repairWith,
  order: repairWith,
  value: () => `${RESTORE}; without one: start the server, and delete or replace this object`,
} as const;
const JOURNAL = 'journal.db';

/** On the store file of the folder. Expected failures are FolderErrors, whose text names the file and the way out. */
const inFolder = async <T>(dir: string, work: (file: string) => T | Promise<T>): Promise<T> => {
  try {
    assertSearchable(dir);
    const file = storeFileOf(dir);
    if (!existsSync(file) && !existsSync(`${file}-wal`))
      throw new FolderError('absent', `no store in ${dir}; check --data`);
    await readFolderFormat(dir);
    return await work(file);
  } catch (error) {
    throw asFolderError(error, dir);
  }
};

/** Reads everything and changes nothing. Throws FolderError. */
export const checkFolder = (dir: string, onProgress: OnProgress): Promise<CheckedFolder> =>
  inFolder(dir, async file => {
    const {
      faults,
      isThere: _,
      ...store
    } = await checkStore(file, {
      onValue: valueFault,
      onProgress: done => onProgress('changes checked', done),
    });
    const recordDir = join(dir, RECORDS_FOLDER);
    const ofStore = faults.map(fault => ({where: fault.where, what: fault.what, wayOut: WAYS_OUT[fault.in](dir)}));
    if (!existsSync(recordDir)) return {store, records: undefined, faults: ofStore};
    const checked = await checkRecords(recordDir, {
      onFile: (_file, at, of) => onProgress('record files checked', at, of),
    });
    const ofRecords = checked.faults.map(({file: name, message}) => ({
      where: join(recordDir, name),
      what: message,
      wayOut:
        name === JOURNAL
          ? `${RESTORE}, or move ${recordDir} away to start without records`
          : `${RESTORE}; without one: start the server, which sets a damaged file aside and counts its records as lost`,
    }));
    return {
      store,
      records: {files: checked.files, records: checked.records},
      faults: [...ofStore, ...ofRecords],
    };
  });

/** Throws as `checkFolder`, and for a damaged file. */
export const shrinkFolder = (dir: string, onProgress: OnProgress): Promise<Shrunk> =>
  inFolder(dir, async file => {
    const shrunk = await shrinkInThread(file, bytes => {
      if (bytes > 0) onProgress('copied', bytes); // SQLite writes late
    });
    return shrunk ?? {before: 0, after: 0};
  });

export type Repaired = {
  readonly state: 'whole' | 'torn' | 'damaged' | 'repaired';
  readonly file: string;
  /** Transactions at the torn end of the log, which the next start cuts off. */
  readonly commits?: number;
  /** What is lost with the log, as words, where the damage begins, and, once it was accepted, where the damaged log is kept. */
  readonly log?: {readonly lost: string; readonly offset: number; readonly copy?: string; readonly revision?: number};
  /** What can be, or was, kept of the file; undefined: it is whole. */
  readonly content?: Readable | Salvaged;
};

/** Without `accepts` nothing is changed. Throws as `checkFolder`, and `corrupt` where nothing can be kept. */
export const repairFolder = (dir: string, accepts: boolean, onProgress: OnProgress): Promise<Repaired> =>
  inFolder(dir, async file => {
    const found = inspectLog(file);
    const lost = found.state === 'lost' ? {lost: found.what, offset: found.offset} : undefined;
    const accepted = lost === undefined || !accepts ? undefined : acceptLoss(file);
    const log = lost && {...lost, ...(accepted && {copy: accepted.copy, revision: accepted.revision})};
    // Transactions behind the damage of a log do not count: the file is judged without them, as SQLite would read it.
    const {faults} = await checkStore(file, {onProgress: done => onProgress('changes checked', done)});
    const isFileDamaged = faults.some(fault => fault.in !== 'log');
    const base = {file, ...(log && {log})};
    if (isFileDamaged && accepts) {
      const content = salvage(file, (done, of) => onProgress('objects kept', done, of));
      return {...base, state: 'repaired', content};
    }
    if (isFileDamaged) return {...base, state: 'damaged', content: readableOf(file)};
    if (log !== undefined) return {...base, state: accepts ? 'repaired' : 'damaged'};
    if (found.state === 'torn') return {...base, state: 'torn', commits: found.commits};
    return {...base, state: 'whole'};
  });
