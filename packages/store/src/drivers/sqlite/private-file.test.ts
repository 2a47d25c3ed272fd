// SPDX-License-Identifier: Apache-2.0
/** The files of a store are for their owner only, whatever the umask. */
import {mkdtemp, readdir, rm, stat} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterEach, beforeEach, expect, test, vi} from 'vitest';
import {bytes} from '../../testing/index.ts';
import {openSqliteStore} from './index.ts';

vi.setConfig({testTimeout: 30_000}); // each test starts threads; a busy machine takes its time

let dir = '';
let umask = 0;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'palisade-modes-'));
  umask = process.umask(0);
});
afterEach(async () => {
  process.umask(umask);
  await rm(dir, {recursive: true});
});

test('database, write-ahead log and lock are made with mode 0600', async () => {
  await using store = await openSqliteStore({dir});
  await store.put('/k', bytes('v'));
  const modes = await Promise.all(
    (await readdir(dir)).sort().map(async name => [name, (await stat(join(dir, name))).mode & 0o777]),
  );
  expect(modes).toEqual(['store.db', 'store.db-lock', 'store.db-wal'].map(name => [name, 0o600]));
});
