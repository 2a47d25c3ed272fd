// SPDX-License-Identifier: Apache-2.0
/** What was open in a data folder is closed to other users, and told. */
import {chmod, mkdir, mkdtemp, readdir, rm, stat, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterEach, beforeEach, describe, expect, test} from 'vitest';
import {CommandError} from '../errors.ts';
import {tightenDataFolder} from './private-data.ts';

let dir = '';
let warnings: unknown[] = [];
let said: unknown[] = [];
const log = {
  warn: (fields: object, message?: string) => {
    warnings.push(fields);
    said.push(message);
  },
};
beforeEach(async () => {
  [warnings, said] = [[], []];
  dir = await mkdtemp(join(tmpdir(), 'palisade-open-'));
});
afterEach(() => rm(dir, {recursive: true}));

const modeOf = async (name: string): Promise<number> => (await stat(join(dir, name))).mode & 0o777;
const make = async (name: string, mode: number): Promise<void> => {
  await writeFile(join(dir, name), '');
  await chmod(join(dir, name), mode);
};

test('store, keys and the folder of the sensors are closed, with one warning; what is for clients, and what is not ours, stays', async () => {
  await mkdir(join(dir, 'pki'));
  await mkdir(join(dir, 'sensors'));
  await chmod(join(dir, 'sensors'), 0o755);
  const open = ['store.sqlite', 'store.sqlite-lock', 'store.sqlite-wal', 'store.sqlite-shm', 'pki/ca.key'];
  for (const name of open) await make(name, 0o644);
  await make('server.json', 0o600);
  const left = ['pki/ca.crt', 'notes', 'serve.log', 'start-lock'];
  for (const name of left) await make(name, 0o640);
  await tightenDataFolder({dir}, log);
  for (const name of [...open, 'server.json']) expect([name, await modeOf(name)]).toEqual([name, 0o600]);
  expect(await modeOf('sensors')).toBe(0o700);
  for (const name of left) expect([name, await modeOf(name)]).toEqual([name, 0o640]);
  const [{files}] = warnings as [{files: string[]}];
  expect(files.toSorted()).toEqual([...open, 'sensors'].map(name => join(dir, name)).sort());
  await tightenDataFolder({dir}, log);
  expect(warnings).toHaveLength(1);
});

test('an empty folder is left as it is, without a word', async () => {
  await tightenDataFolder({dir}, log);
  expect([await readdir(dir), warnings]).toEqual([[], []]);
});

const refusing = (code: string) => () => Promise.reject(Object.assign(new Error(code), {code}));
test.each([
  ['ignores modes', () => Promise.resolve()],
  ['refuses them on a file of ours', refusing('EPERM')],
  ['knows none', refusing('ENOTSUP')],
  ['is read-only', refusing('EROFS')],
])('where the file system %s, one warning says what stays open, and the start goes on', async (_, setMode) => {
  const names = ['store.sqlite', 'kubeconfig'];
  for (const name of names) await make(name, 0o644);
  await tightenDataFolder({dir}, log, setMode);
  expect(warnings).toEqual([{files: names.map(name => join(dir, name))}]);
  expect(said).toEqual([expect.stringContaining('cannot be changed')]);
});

const isRoot = process.getuid?.() === 0;

describe.skipIf(!isRoot)(`files of another user${isRoot ? '' : ' (skipped: not root)'}`, () => {
  const tightenAsNobody = async (): Promise<void> => {
    await chmod(dir, 0o755);
    process.seteuid?.('nobody');
    try {
      await tightenDataFolder({dir}, log);
    } finally {
      process.seteuid?.(0);
    }
  };

  test('every one of the store, the keys and the kubeconfig that is open is told, and ends the start', async () => {
    await mkdir(join(dir, 'pki'));
    const names = ['store.sqlite', 'kubeconfig', 'pki/ca.key'];
    for (const name of [...names, 'serve.log']) await make(name, 0o644);
    const told = names.map(
      name =>
        `--data ${dir}: access of other users to ${join(dir, name)} cannot be removed: it belongs to another user; make the server user its owner`,
    );
    await expect(tightenAsNobody()).rejects.toThrow(new CommandError(told.join('\n')));
    expect(warnings).toEqual([]);
  });

  test('a log and a lock that a service manager opened are left as they are, without a word', async () => {
    for (const name of ['serve.log', 'start-lock']) await make(name, 0o644);
    await tightenAsNobody();
    expect([warnings, await modeOf('serve.log')]).toEqual([[], 0o644]);
  });

  test('a folder of the sensors is warned of; keys that nobody else reaches are left', async () => {
    for (const [name, mode] of [
      ['sensors', 0o755],
      ['pki', 0o700],
    ] as const) {
      await mkdir(join(dir, name));
      await chmod(join(dir, name), mode);
    }
    await tightenAsNobody();
    expect(warnings).toEqual([{files: [join(dir, 'sensors')]}]);
  });
});
