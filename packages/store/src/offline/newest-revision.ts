// SPDX-License-Identifier: Apache-2.0
import {ChangeTable} from '../drivers/sqlite/change-table.ts';
import {assertReadable} from '../drivers/sqlite/open-database.ts';
import {bytesOf, openUnchanged} from './unchanged.ts';

/**
 * The newest revision that can be read in a store file; undefined where none can, because there is no file, or it is damaged or of
 * another format. Changes nothing. The caller has the lock of the store.
 */
export function newestRevision(file: string): number | undefined {
  if (bytesOf(file) === 0) return undefined;
  try {
    const {db, close} = openUnchanged(file);
    try {
      assertReadable(db, file);
      return new ChangeTable(db, undefined).opened().revision;
    } finally {
      close();
    }
  } catch {
    return undefined;
  }
}
