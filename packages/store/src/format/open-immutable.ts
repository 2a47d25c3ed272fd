// SPDX-License-Identifier: Apache-2.0
import {DatabaseSync} from 'node:sqlite';
import {pathToFileURL} from 'node:url';

/** A database read from its file alone: SQLite takes no lock, ignores the log and makes no file beside it. Throws what SQLite throws. */
export const openImmutable = (file: string): DatabaseSync => {
  const url = pathToFileURL(file);
  url.searchParams.set('immutable', '1');
  return new DatabaseSync(url, {readOnly: true});
};
