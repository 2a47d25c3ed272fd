// SPDX-License-Identifier: Apache-2.0
import {mkdtempSync, rmSync, truncateSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterEach, beforeEach, expect, test} from 'vitest';
import {openSqliteStore} from './index.ts';

let dir = '';
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'palisade-read-'));
});
afterEach(() => rmSync(dir, {recursive: true}));

test('F-09 a read that fails while the disk takes writes is not taken for a disk that is reported already', async () => {
  const changes: (string | undefined)[] = [];
  const disk = {onChange: (error?: {code: string}) => void changes.push(error?.code), later: () => {}};
  await using store = await openSqliteStore({dir, disk});
  const LARGE = 100_000;
  for (let i = 0; i < 60; i++) await store.put('/k', new Uint8Array(LARGE)); // more than SQLite keeps in memory
  truncateSync(join(dir, 'store.db-wal'), 0);
  const outcome = await store.get('/k', 2n).catch((error: unknown) => error);
  expect(outcome).toMatchObject({code: 'unavailable', message: expect.stringContaining('disk')});
  expect(changes).toEqual([]);
});
