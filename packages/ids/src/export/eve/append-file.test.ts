// SPDX-License-Identifier: Apache-2.0
/** What a reader of the file finds, however it was rotated, cut, moved or torn. */
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterEach, beforeEach, describe, expect, test} from 'vitest';
import {openAppendFile} from './append-file.ts';

let dir = '';
let path = '';
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'append-file-'));
  path = join(dir, 'eve.json');
});
afterEach(() => rmSync(dir, {recursive: true}));

const opened = (maxBytes = 1_000_000, keptMax = 3, mode = 0o600) => {
  const file = openAppendFile({path, maxBytes, keptMax, mode});
  return {...file, write: (text: string) => file.append(Buffer.from(text))};
};
const text = (name = 'eve.json'): string => readFileSync(join(dir, name), 'utf8');

test('44-5 lines are in the file when append resolves; a new file has the mode that is asked for', async () => {
  for (const mode of [0o600, 0o640]) {
    rmSync(path, {force: true});
    const before = process.umask(mode === 0o600 ? 0 : 0o077);
    const file = opened(1_000_000, 3, mode);
    await file.write('1\n2\n').finally(() => process.umask(before));
    expect(text()).toBe('1\n2\n');
    expect(statSync(path).mode & 0o777).toBe(mode);
    await file.close();
  }
});

test('44-5 the mode of a file that exists stays as it is', async () => {
  writeFileSync(path, '', {mode: 0o600});
  const file = opened(1_000_000, 3, 0o640);
  await file.write('1\n');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  await file.close();
});

test('44-5 a line that a crash tore is ended before the next one, and only then', async () => {
  writeFileSync(path, '{"whole":1}\n{"torn":');
  const torn = opened();
  await torn.write('{"next":1}\n');
  await torn.close();
  expect(text()).toBe('{"whole":1}\n{"torn":\n{"next":1}\n');
  const whole = opened();
  await whole.write('{"last":1}\n');
  await whole.close();
  expect(text()).toBe('{"whole":1}\n{"torn":\n{"next":1}\n{"last":1}\n');
});

describe('rotation by size', () => {
  test('44-5 happens before the file grows above the limit; so many files are kept, the newest has number 1', async () => {
    const file = opened(8, 2);
    for (const line of ['1', '2', '3', '4', '5', '6', '7']) await file.write(`${line}..\n`);
    await file.close();
    expect(readdirSync(dir).sort()).toEqual(['eve.json', 'eve.json.1', 'eve.json.2']);
    expect(['eve.json.2', 'eve.json.1', 'eve.json'].map(text)).toEqual(['3..\n4..\n', '5..\n6..\n', '7..\n']);
  });

  test('44-5 leaves a batch that is larger than the limit in one file', async () => {
    const file = opened(8, 2);
    await file.write('1..\n');
    await file.write('2222222222\n3333333333\n');
    await file.close();
    expect([text('eve.json.1'), text()]).toEqual(['1..\n', '2222222222\n3333333333\n']);
  });

  test.each([
    ['after the oldest was deleted', [1, 2], ['a', 'b'], ['now\n', 'a', 'b']],
    ['in the middle', [1, 3], ['a', 'c'], ['now\n', 'a', 'c']],
    ['before the last', [2, 3], ['b', 'c'], ['now\n', 'b', 'c']],
  ])('44-5 that a crash broke off %s loses nothing when it is done again', async (_, numbers, before, after) => {
    numbers.forEach((number, i) => {
      writeFileSync(`${path}.${number}`, before[i] ?? '');
    });
    writeFileSync(path, 'now\n');
    const file = opened(6);
    await file.write('next\n');
    await file.close();
    expect([1, 2, 3].map(number => text(`eve.json.${number}`))).toEqual(after);
    expect(text()).toBe('next\n');
  });
});

describe('rotation by others', () => {
  test('44-5 a file that was renamed gets no further line; a new one is made', async () => {
    const file = opened();
    await file.write('1\n');
    renameSync(path, join(dir, 'eve.json-20261127'));
    await file.write('2\n');
    await file.close();
    expect([text('eve.json-20261127'), text()]).toEqual(['1\n', '2\n']);
  });

  test('44-5 a file that was renamed and made again is written at its end', async () => {
    const file = opened();
    await file.write('1\n');
    renameSync(path, join(dir, 'old'));
    writeFileSync(path, 'theirs\n');
    await file.write('2\n');
    await file.close();
    expect(text()).toBe('theirs\n2\n');
  });

  test('44-5 a file that was copied and cut is written from its beginning, without a hole', async () => {
    const file = opened();
    await file.write('1\n2\n3\n');
    copyFileSync(path, join(dir, 'copy'));
    truncateSync(path);
    await file.write('4\n');
    await file.close();
    expect([text('copy'), text()]).toEqual(['1\n2\n3\n', '4\n']);
  });

  test('44-5 a file that was deleted is made again', async () => {
    const file = opened();
    await file.write('1\n');
    rmSync(path);
    await file.write('2\n');
    await file.close();
    expect(text()).toBe('2\n');
  });
});

describe('failures', () => {
  test('44-5 a folder that does not exist is waited for', async () => {
    path = join(dir, 'later', 'eve.json');
    const file = opened();
    await expect(file.write('1\n')).rejects.toMatchObject({code: 'ENOENT'});
    mkdirSync(join(dir, 'later'));
    await file.write('1\n');
    expect(existsSync(path)).toBe(true);
    await file.close();
  });

  test('44-5 a symbolic link is not followed, whether its file exists or comes in the place of ours', async () => {
    symlinkSync(join(dir, 'other'), path);
    const file = opened();
    await expect(file.write('1\n')).rejects.toMatchObject({code: 'ELOOP'});
    expect(existsSync(join(dir, 'other'))).toBe(false);
    rmSync(path);
    await file.write('2\n');
    writeFileSync(join(dir, 'other'), '');
    rmSync(path);
    symlinkSync(join(dir, 'other'), path);
    await expect(file.write('3\n')).rejects.toMatchObject({code: 'ELOOP'});
    expect(text('other')).toBe('');
    await file.close();
  });

  test('44-5 what is no regular file is refused', async () => {
    path = '/dev/null';
    await expect(opened().write('1\n')).rejects.toThrow('/dev/null is not a regular file');
  });

  test('44-5 a full disk: what was written of a batch gets its end, and the batch is written again', async () => {
    const file = opened();
    await file.write('1\n');
    appendFileSync(path, '{"half');
    await file.close(); // as after a failed write
    await file.write('2\n');
    await file.close();
    expect(text()).toBe('1\n{"half\n2\n');
  });
});
