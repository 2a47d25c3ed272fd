// SPDX-License-Identifier: Apache-2.0
/**
 * One process per store. The lock is an open exclusive transaction on an empty database next to the file: the kernel
 * drops it when the process ends, however it ends, so nothing is left to clean up. It is taken before the file is
 * looked at. (A POSIX lock goes when any descriptor of its file is closed in the process: nothing else opens `-lock`.)
 */
import {readFileSync, statSync} from 'node:fs';
import {DatabaseSync} from 'node:sqlite';
import {StoreError} from '../../store-error.ts';
import {resultCode, SQLITE} from './faults.ts';
import {makePrivateFile} from './private-file.ts';

export type Lock = {readonly release: () => void};

const lockPath = (file: string): string => `${file}-lock`;

/** Throws `locked` when another process, or another store of this one, has the file. */
export function takeLock(file: string): Lock {
  const path = lockPath(file);
  makePrivateFile(path);
  const db = new DatabaseSync(path);
  try {
    db.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE'); // never committed: the file stays empty
  } catch (error) {
    db.close();
    if (resultCode(error) !== SQLITE.BUSY) throw error;
    const pid = holderOf(path);
    const who = pid === undefined ? 'another server' : `another server (process ${pid})`;
    throw new StoreError('locked', {
      message: `${file}: ${who} is using it; stop that server, or use another data folder`,
    });
  }
  return {release: () => db.close()};
}

/**
 * Whether somebody has the lock of `file`, without taking it: several may ask at once and do not see each other. Makes no file.
 * False where it cannot be read.
 */
export function isLocked(file: string): boolean {
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(lockPath(file), {readOnly: true});
    db.prepare('SELECT count(*) FROM sqlite_schema').get();
    return false;
  } catch (error) {
    return resultCode(error) === SQLITE.BUSY;
  } finally {
    db?.close();
  }
}

/** The process that locks a file, where the kernel reports it (Linux). */
function holderOf(path: string): number | undefined {
  try {
    const inode = statSync(path).ino;
    const line = readFileSync('/proc/locks', 'utf8')
      .split('\n')
      .find(text => text.includes('POSIX') && text.includes(`:${inode} `));
    const pid = Number(line?.trim().split(/\s+/)[4]);
    return pid > 0 ? pid : undefined;
  } catch {
    return undefined; // only the wording of a message hangs on it
  }
}
