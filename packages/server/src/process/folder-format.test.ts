// SPDX-License-Identifier: Apache-2.0
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterEach, beforeEach, expect, test} from 'vitest';
import {bringForward, FOLDER_MIGRATIONS, readFolderFormat} from './folder-format.ts';

let dir = '';
const read = (): string => readFileSync(join(dir, 'format.json'), 'utf8');
const write = (text: string): void => writeFileSync(join(dir, 'format.json'), text);
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'palisade-folder-format-'));
});
afterEach(() => rmSync(dir, {recursive: true}));

test('48-4 a new folder gets the format and the release that introduced it, once', async () => {
  await bringForward(dir);
  expect(read()).toBe('{"format":1,"writtenBy":"0.1.0"}\n');
  write('{"format":1,"writtenBy":"0.1.0", "kept": true}');
  await bringForward(dir);
  expect(read()).toContain('kept');
});

test.each([
  ['{"format":5,"writtenBy":"0.3.0"}', 'written by palisade 0.3.0 in format 5; this is palisade 0.1.0, which reads up to 1; run palisade 0.3.0 or newer'],
  ['{"format":5}', 'written by a newer palisade in format 5'],
  ['{"format":0,"writtenBy":"0.0.9"}', 'written by a version before 0.1.0'],
  ['{"form', 'is damaged: restore it from a backup'],
])('48-4 %s is refused, with what to do, and stays', async (text, words) => {
  write(text);
  for (const look of [readFolderFormat, bringForward]) await expect(look(dir)).rejects.toThrow(words);
  expect(read()).toBe(text);
}); // biome-ignore format: a table

test('48-4 migrations go forward one by one, each written down; one that fails is done again at the next start', async () => {
  await bringForward(dir);
  const done: string[] = [];
  const step = (to: number, since: string, fails = false) => ({
    to,
    since,
    migrate: async () => {
      done.push(since);
      if (fails) throw new Error('the disk is full');
    },
  });
  const first = [...FOLDER_MIGRATIONS, step(2, '0.2.0'), step(3, '0.3.0', true)];
  await expect(bringForward(dir, first)).rejects.toThrow('full');
  expect([done, read()]).toEqual([['0.2.0', '0.3.0'], '{"format":2,"writtenBy":"0.2.0"}\n']);
  await bringForward(dir, [...first.slice(0, 2), step(3, '0.3.0')]);
  expect([done, read()]).toEqual([['0.2.0', '0.3.0', '0.3.0'], '{"format":3,"writtenBy":"0.3.0"}\n']);
});
