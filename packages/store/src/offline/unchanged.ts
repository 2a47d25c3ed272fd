// SPDX-License-Identifier: Apache-2.0
/**
 * A store file opened so that nothing of it changes, neither the file nor its log. The caller has the lock of the store.
 * Without a log SQLite reads the file alone. With one it needs its `-shm` file, which is removed afterwards.
 */
import {existsSync, rmSync, statSync} from 'node:fs';
import {DatabaseSync} from 'node:sqlite';
import {openImmutable} from '../format/open-immutable.ts';

export type Unchanged = {readonly db: DatabaseSync; readonly close: () => void};

export const bytesOf = (path: string): number => statSync(path, {throwIfNoEntry: false})?.size ?? 0;

export function openUnchanged(file: string): Unchanged {
  if (bytesOf(`${file}-wal`) === 0) {
    const db = openImmutable(file);
    return {db, close: () => db.close()};
  }
  const index = `${file}-shm`;
  const wasThere = existsSync(index);
  const db = new DatabaseSync(file, {readOnly: true});
  return {
    db,
    close: () => {
      db.close();
      if (!wasThere) rmSync(index, {force: true});
    },
  };
}
