// SPDX-License-Identifier: Apache-2.0
/** Loaded before the program (--import): a store that does not wait for the disk (synchronous = OFF), to try the suite. */
import {DatabaseSync} from 'node:sqlite';

const exec = DatabaseSync.prototype.exec;
DatabaseSync.prototype.exec = function (sql: string): void {
  exec.call(this, sql);
  if (sql.startsWith('PRAGMA cache_size')) exec.call(this, 'PRAGMA synchronous = OFF'); // after it was set and checked
};
