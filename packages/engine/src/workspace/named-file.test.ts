// SPDX-License-Identifier: Apache-2.0
import {
  chmodSync,
  lstatSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterEach, beforeEach, expect, test} from 'vitest';
import {assertWritable, writeNamedFile} from './named-file.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'palisade-named-file-'));
});
afterEach(() => rmSync(folder, {recursive: true, force: true}));

const write = (name: string, text: string): Promise<void> => writeNamedFile(join(folder, name), `--file ${name}`, text);
const read = (name: string): string => readFileSync(join(folder, name), 'utf8');

test('a new file is only for its owner; one that is there keeps its mode', async () => {
  await write('new', 'a');
  expect(statSync(join(folder, 'new')).mode & 0o777).toBe(0o600);
  chmodSync(join(folder, 'new'), 0o664);
  await write('new', 'b');
  expect([read('new'), statSync(join(folder, 'new')).mode & 0o777]).toEqual(['b', 0o664]);
});

test.each([
  ['to a file', true],
  ['to a file that is to be made', false],
])('a link stays a link, %s', async (_, isThere) => {
  if (isThere) writeFileSync(join(folder, 'real'), 'before');
  symlinkSync('real', join(folder, 'link'));
  await write('link', 'after');
  expect([read('real'), lstatSync(join(folder, 'link')).isSymbolicLink()]).toEqual(['after', true]);
});

test('an open file without a name is written to', async () => {
  const path = join(folder, 'nameless');
  const open = openSync(path, 'w+');
  rmSync(path);
  symlinkSync(`/proc/self/fd/${open}`, join(folder, 'link'));
  await write('link', 'after');
  expect(readFileSync(`/proc/self/fd/${open}`, 'utf8')).toBe('after');
  expect(lstatSync(join(folder, 'link')).isSymbolicLink()).toBe(true);
});

test('what could not be written is told before, and nothing is made', async () => {
  const may = (name: string): Promise<void> => assertWritable(join(folder, name), `--out ${name}`);
  writeFileSync(join(folder, 'there'), 'before');
  symlinkSync('there', join(folder, 'link'));
  for (const name of ['there', 'new', 'link']) await may(name);
  await assertWritable('/dev/null', '--out /dev/null');
  expect([readdirSync(folder).sort(), read('there')]).toEqual([['link', 'there'], 'before']);
  await expect(may('none/x')).rejects.toThrow('--out none/x: cannot be written: no such folder');
  await expect(may('there/x')).rejects.toThrow('--out there/x: cannot be written: there is a file');
  await expect(may('.')).rejects.toThrow('--out .: cannot be written: is a folder');
});
