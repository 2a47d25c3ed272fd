// SPDX-License-Identifier: Apache-2.0
/** A server with records that it cannot take: it says why and what to do, and leaves them as they are. */
import {existsSync, readdirSync, statSync} from 'node:fs';
import {join} from 'node:path';
import {DatabaseSync} from 'node:sqlite';
import {openSqliteStore} from '@palisade/store/sqlite';
import {expect, test} from 'vitest';
import {quiet, run, scratch, serve} from '../support/palisade.ts';

test('44-1 records have a folder of their own; those of another format are refused', async () => {
  using folder = scratch();
  const flags = [...quiet(folder.dir), '--apis', 'ids'];
  const server = await serve(flags);
  expect(await server.stop()).toBe(0);
  const records = join(folder.dir, 'data/records');
  expect(statSync(records).mode & 0o777).toBe(0o700);
  expect(readdirSync(records).sort()).toEqual(['journal.db', 'journal.db-lock', 'reserve']);
  const journal = new DatabaseSync(join(records, 'journal.db'));
  journal.exec('PRAGMA user_version = 99');
  journal.close();
  const refused = await run(['serve', ...flags]);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain(
    'journal.db: records of another version (format 99, this one reads 1); use another data folder, or run that version. It was left as it is',
  );
});

test('44-1 records of a version that kept them among all objects are refused', async () => {
  using folder = scratch();
  const flags = [...quiet(folder.dir), '--apis', 'ids'];
  const server = await serve(flags);
  expect(await server.stop()).toBe(0);
  const store = await openSqliteStore({file: join(folder.dir, 'data/store.sqlite')});
  await store.put('/ids-records/meta/projects/p/locations/l/endpoints/e', new TextEncoder().encode('{}'));
  await store.close();
  const refused = await run(['serve', ...flags]);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain(
    'has records of an older version, which kept them among all objects; use another data folder',
  );
  expect(existsSync(join(folder.dir, 'data/store.sqlite'))).toBe(true);
});
