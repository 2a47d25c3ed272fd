// SPDX-License-Identifier: Apache-2.0
import {mkdtemp, readdir, readFile, rm, stat, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterEach, beforeEach, expect, test} from 'vitest';
import {rotatedName, rotatedTimeMs} from './file-names.ts';
import {RotatingFile, type RotationBounds} from './rotating-file.ts';

let dir = '';
let path = '';
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'palisade-audit-'));
  path = join(dir, 'audit.log');
});
afterEach(() => rm(dir, {recursive: true, force: true}));

const T0 = Date.parse('2026-11-28T10:52:17.123Z');
let nowMs = T0;
const open = (bounds: Partial<RotationBounds> = {}) =>
  RotatingFile.open(path, {bytesMax: 20, backupsMax: 0, ageMsMax: 0, ...bounds}, () => nowMs);
const line = (text: string) => Buffer.from(`${text}\n`);

test('names are those of lumberjack, and say when a file was rotated', () => {
  expect(rotatedName('/x/audit.log', T0)).toBe('audit-2026-11-28T10-52-17.123.log');
  expect(rotatedTimeMs('/x/audit.log', 'audit-2026-11-28T10-52-17.123.log')).toBe(T0);
  for (const other of [
    'audit.log',
    'audit-x.log',
    'audit-2026-11-28T10-52-17.123.txt',
    'other-2026-11-28T10-52-17.123.log',
  ])
    expect([other, rotatedTimeMs('/x/audit.log', other)]).toEqual([other, undefined]);
});

test('a file is rotated before it would be larger than its bound, each line is in one file, for its owner only', async () => {
  nowMs = T0;
  const file = await open();
  for (const text of ['12345678', '1234567890', '3', 'a line that is longer than a whole file']) {
    await file.append(line(text));
    nowMs += 1000;
  }
  await file.close();
  const names = (await readdir(dir)).sort();
  expect(names).toEqual(['audit-2026-11-28T10-52-19.123.log', 'audit-2026-11-28T10-52-20.123.log', 'audit.log'].sort());
  const texts = await Promise.all(names.map(name => readFile(join(dir, name), 'utf8')));
  expect(texts).toEqual(['12345678\n1234567890\n'.slice(0, 20), '3\n', 'a line that is longer than a whole file\n']);
  for (const name of names) expect((await stat(join(dir, name))).mode & 0o777).toBe(0o600);
});

test('two rotations in one millisecond have two names', async () => {
  const file = await open({bytesMax: 2});
  for (const text of ['1', '2', '3']) await file.append(line(text));
  await file.close();
  expect(await readdir(dir)).toHaveLength(3);
});

test('only so many rotated files are kept, and none that is too old; foreign files stay', async () => {
  nowMs = T0;
  await writeFile(join(dir, 'audit-notes.log'), 'mine');
  const file = await open({bytesMax: 2, backupsMax: 2});
  for (const text of ['1', '2', '3', '4', '5']) {
    await file.append(line(text));
    nowMs += 1000;
  }
  await file.close();
  expect((await readdir(dir)).sort()).toEqual(
    ['audit-2026-11-28T10-52-20.123.log', 'audit-2026-11-28T10-52-21.123.log', 'audit-notes.log', 'audit.log'].sort(),
  );
  nowMs = T0 + 4500;
  await (await open({ageMsMax: 1000})).close();
  expect((await readdir(dir)).sort()).toEqual(
    ['audit-2026-11-28T10-52-21.123.log', 'audit-notes.log', 'audit.log'].sort(),
  );
});

test('a line that a crash cut is ended: the next one is whole', async () => {
  await writeFile(path, '{"kind":"Event"}\n{"kind":"Ev');
  const file = await open({bytesMax: 1000});
  await file.append(line('next'));
  await file.close();
  expect(await readFile(path, 'utf8')).toBe('{"kind":"Event"}\n{"kind":"Ev\nnext\n');
});
