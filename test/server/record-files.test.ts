// SPDX-License-Identifier: Apache-2.0
/** A server with records that it cannot take: it says why and what to do, and leaves them as they are. */
import {readdirSync, readFileSync, statSync} from 'node:fs';
import {join} from 'node:path';
import {DatabaseSync} from 'node:sqlite';
import {expect, test} from 'vitest';
import {quiet, run, scratch, serve} from '../support/palisade.ts';

test('48-4 44-1 records have a folder of their own; those of a newer format are refused and not touched', async () => {
  using folder = scratch();
  const flags = [...quiet(folder.dir), '--apis', 'ids'];
  const server = await serve(flags);
  expect(await server.stop()).toBe(0);
  const records = join(folder.dir, 'data/records');
  expect(statSync(records).mode & 0o777).toBe(0o700);
  expect(readdirSync(records).sort()).toEqual(['journal.db', 'journal.db-lock', 'reserve']);
  const journal = new DatabaseSync(join(records, 'journal.db'));
  journal.exec("PRAGMA user_version = 99; INSERT INTO formats VALUES (99, '0.9.0')");
  journal.close();
  const before = readFileSync(join(records, 'journal.db'));
  const refused = await run(['serve', ...flags]);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain(
    'journal.db: written by palisade 0.9.0 in format 99; this is palisade 0.1.0, which reads up to 1; run palisade 0.9.0 or newer',
  );
  expect(readFileSync(join(records, 'journal.db')).equals(before)).toBe(true);
});
