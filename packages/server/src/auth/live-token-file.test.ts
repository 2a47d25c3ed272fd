// SPDX-License-Identifier: Apache-2.0
/** The token file is read again when it changes; a file that cannot be used changes nothing. Ref: issue 47, point 2. */
import {mkdtempSync, renameSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {systemTimers} from '@palisade/apiserver';
import {afterEach, beforeEach, expect, test} from 'vitest';
import {LiveTokenFile} from './live-token-file.ts';

let folder: string;
let path: string;
let file: LiveTokenFile;
type Line = {readonly level: string; readonly text: string; readonly fields: {readonly err?: Error}};
let lines: Line[];
const line = (level: string) => (fields: object, text: string) => void lines.push({level, text, fields});
const log = {info: line('info'), warn: line('warn'), error: line('error')} as never;

const write = (text: string, to = path): void => {
  writeFileSync(`${to}.new`, text);
  renameSync(`${to}.new`, to);
};
/** The lines of the log, once there are `count`. */
const logged = async (count: number): Promise<string[]> => {
  await expect.poll(() => lines.length, {timeout: 10_000, interval: 5}).toBe(count);
  return lines.map(({level, text}) => `${level} ${text}`);
};
const NEVER_MS = 3_600_000;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'palisade-live-tokens-'));
  path = join(folder, 'tokens.csv');
  lines = [];
  write('one,anna,u1\n');
  file = await LiveTokenFile.open(path, log);
});
afterEach(async () => {
  await file.stop();
  rmSync(folder, {recursive: true});
});
const watch = (): void => file.watch(systemTimers, {settleMs: 5, lookMs: NEVER_MS});

test('a new file decides, also about tokens that were used', async () => {
  watch();
  expect(file.find('one')).toMatchObject({outcome: 'user'});
  write('two,bob,u2\n');
  expect(await logged(1)).toEqual(['info token file reloaded']);
  expect(file.find('one')).toBeUndefined();
  expect(file.find('two')).toMatchObject({outcome: 'user', user: {name: 'bob'}});
});

test('a token that was right lately is known also after the file was replaced, unless it is gone from it', async () => {
  write('one,anna,u1\ntwo,bob,u2\nother,eve,u3\n');
  await file.reload(path);
  file.find('one');
  file.find('two');
  write('one,anna,u9\nother,eve,u3\n');
  await file.reload(path);
  expect(file.findUnguessed('one')).toMatchObject({user: {uid: 'u9'}});
  expect(file.findUnguessed('two')).toBeUndefined();
  expect(file.findUnguessed('other')).toBeUndefined();
});

test('a file with faults leaves the previous tokens valid, and the log names all of them', async () => {
  watch();
  write('two,bob\n,carol,u3\n');
  expect(await logged(1)).toEqual(['error token file reload failed, the previous tokens stay valid']);
  expect(lines[0]?.fields.err?.message).toBe(
    [
      `--token-auth-file ${path}: line 1: found 2 columns, need at least 3: token, user name, user uid[, "group1,group2"]`,
      `--token-auth-file ${path}: line 2: the token is empty`,
    ].join('\n'),
  );
  expect(file.find('one')).toMatchObject({outcome: 'user'});
  write('two,bob,u2\n');
  expect((await logged(2))[1]).toBe('info token file reloaded');
});

test('a file that is removed leaves the previous tokens valid, and is read when it is back', async () => {
  watch();
  rmSync(path);
  expect(await logged(1)).toEqual(['error token file removed, the previous tokens stay valid']);
  expect(file.find('one')).toMatchObject({outcome: 'user'});
  write('two,bob,u2\n');
  expect((await logged(2))[1]).toBe('info token file reloaded');
  expect(file.find('one')).toBeUndefined();
});

test('SIGHUP reads it once: the watch does not report the same change again', async () => {
  watch();
  write('two,bob,u2\n');
  expect(await file.reload(path)).toBe(true);
  write('three,carol,u3\n');
  await expect.poll(() => file.find('three'), {timeout: 10_000, interval: 5}).toBeDefined();
  expect(await logged(2)).toEqual(['info token file reloaded', 'info token file reloaded']);
});

test('another file that the configuration names is watched instead', async () => {
  watch();
  const other = join(folder, 'other.csv');
  write('two,bob,u2\n', other);
  expect(await file.reload(other)).toBe(true);
  expect(file.find('one')).toBeUndefined();
  write('three,carol,u3\n', other);
  expect(await logged(2)).toEqual(['info token file reloaded', 'info token file reloaded']);
  expect(file.find('three')).toBeDefined();
});

test('a path that cannot be read keeps file and watch', async () => {
  watch();
  expect(await file.reload(join(folder, 'none.csv'))).toBe(false);
  write('two,bob,u2\n');
  expect(await logged(2)).toEqual([
    'error token file reload failed, the previous tokens stay valid',
    'info token file reloaded',
  ]);
});
