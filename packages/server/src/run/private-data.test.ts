// SPDX-License-Identifier: Apache-2.0
/** What was open in a data folder is closed to other users, and told. */
import {chmod, mkdir, mkdtemp, readdir, rm, stat, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterEach, beforeEach, expect, test} from 'vitest';
import {CommandError} from '../cli/io.ts';
import {tightenDataFolder} from './private-data.ts';

let dir = '';
let warnings: unknown[] = [];
const log = {warn: (fields: object) => void warnings.push(fields)};
beforeEach(async () => {
  warnings = [];
  dir = await mkdtemp(join(tmpdir(), 'palisade-open-'));
});
afterEach(() => rm(dir, {recursive: true}));

const modeOf = async (name: string): Promise<number> => (await stat(join(dir, name))).mode & 0o777;
const make = async (name: string, mode: number): Promise<void> => {
  await writeFile(join(dir, name), '');
  await chmod(join(dir, name), mode);
};

test('store, keys, log and the folder of the sensors are closed, with one warning; what is for clients, and what is not ours, stays', async () => {
  await mkdir(join(dir, 'pki'));
  await mkdir(join(dir, 'sensors'));
  await chmod(join(dir, 'sensors'), 0o755);
  const open = ['store.sqlite', 'store.sqlite-lock', 'store.sqlite-wal', 'store.sqlite-shm', 'serve.log', 'pki/ca.key'];
  for (const name of open) await make(name, 0o644);
  await make('server.json', 0o600);
  for (const name of ['pki/ca.crt', 'notes']) await make(name, 0o644);
  await tightenDataFolder({dir}, log);
  for (const name of [...open, 'server.json']) expect([name, await modeOf(name)]).toEqual([name, 0o600]);
  expect(await modeOf('sensors')).toBe(0o700);
  for (const name of ['pki/ca.crt', 'notes']) expect([name, await modeOf(name)]).toEqual([name, 0o644]);
  const [{files}] = warnings as [{files: string[]}];
  expect(files.toSorted()).toEqual([...open, 'sensors'].map(name => join(dir, name)).sort());
  await tightenDataFolder({dir}, log);
  expect(warnings).toHaveLength(1);
});

test('an empty folder is left as it is, without a word', async () => {
  await tightenDataFolder({dir}, log);
  expect([await readdir(dir), warnings]).toEqual([[], []]);
});

test.skipIf(process.getuid?.() !== 0)('every file that cannot be closed is told', async () => {
  const names = ['store.sqlite', 'serve.log'];
  for (const name of names) await make(name, 0o644);
  await chmod(dir, 0o755);
  const told = names.map(
    name =>
      `--data ${dir}: ${join(dir, name)} cannot be closed to other users: it belongs to another user; give it to the user of this server`,
  );
  process.seteuid?.('nobody');
  try {
    await expect(tightenDataFolder({dir}, log)).rejects.toThrow(new CommandError(told.join('\n')));
  } finally {
    process.seteuid?.(0);
  }
  expect(warnings).toEqual([]);
});
