// SPDX-License-Identifier: Apache-2.0
import {ChangeTable} from '../drivers/sqlite/change-table.ts';
import {openUnchanged} from '../offline/unchanged.ts';
import type {Revision} from '../store.ts';

/** Of a store file whose lock the caller has. Undefined: there is none, or it cannot be read. Changes nothing. */
export const newestRevisionIn = (file: string): Revision | undefined => {
  try {
    const {db, close} = openUnchanged(file);
    try {
      return BigInt(new ChangeTable(db, undefined).opened().revision);
    } finally {
      close();
    }
  } catch {
    return undefined;
  }
};
