// SPDX-License-Identifier: Apache-2.0
/** The data folder is made with its parents, or refused with the way out. */
import {mkdtemp, rm, stat, symlink, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterEach, beforeEach, expect, test, vi} from 'vitest';
import {CommandError} from '../errors.ts';
import {openDataFolder} from './data-folder.ts';

let dir = '';
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'palisade-data-'));
});
afterEach(async () => {
  vi.restoreAllMocks();
  await rm(dir, {recursive: true});
});

test('it is made with its parents, for its owner only, also by several at the same time', async () => {
  const path = join(dir, 'a/b/c');
  await Promise.all(Array.from({length: 4}, () => openDataFolder(path)));
  await openDataFolder(path);
  for (const made of ['a', 'a/b', 'a/b/c']) expect((await stat(join(dir, made))).mode & 0o777).toBe(0o700);
  await symlink(path, join(dir, 'link'));
  await openDataFolder(join(dir, 'link/d'));
  expect((await stat(join(path, 'd'))).isDirectory()).toBe(true);
});

test.each(['/proc/palisade', '/proc/palisade/data'])('%s, where no folder can be made, is refused', async path => {
  await expect(openDataFolder(path)).rejects.toThrow(
    new CommandError(`--data ${path}: no folder can be made in /proc; choose a folder that this user may write`),
  );
});

test('a file in its place or above it is refused', async () => {
  const file = join(dir, 'file');
  await writeFile(file, '');
  const wayOut = 'choose a folder that this user may write';
  for (const [path, why] of [
    [file, 'a file has this path'],
    [join(file, 'data'), 'a file has the path of a parent folder'],
  ] as const)
    await expect(openDataFolder(path)).rejects.toThrow(new CommandError(`--data ${path}: ${why}; ${wayOut}`));
});

test('the folder of another user is refused in one line, before anything in it is judged', async () => {
  const refused = () => Promise.reject(Object.assign(new Error('EACCES'), {code: 'EACCES'}));
  const said = `--data ${dir}: uid ${process.getuid?.()} has no permission to read and write it; `;
  await expect(openDataFolder(dir, refused)).rejects.toThrow(
    new CommandError(`${said}its mode denies access to its owner: run chmod 700 ${dir}`),
  );
  vi.spyOn(process, 'getuid').mockReturnValue(4711);
  const owner = 'run the server as that user, or change the owner of the folder and its content';
  await expect(openDataFolder('/', refused)).rejects.toThrow(
    new CommandError(`--data /: uid 4711 has no permission to read and write it; it belongs to uid 0: ${owner}`),
  );
});
