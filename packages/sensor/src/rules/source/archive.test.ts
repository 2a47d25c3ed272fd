// SPDX-License-Identifier: Apache-2.0
import {execFileSync} from 'node:child_process';
import {mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {gzipSync} from 'node:zlib';
import {afterEach, beforeEach, expect, test} from 'vitest';
import {ArchiveFault, type Unpacked, unpack} from './archive.ts';

let place = '';
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'palisade-archive-'));
  mkdirSync(join(place, 'rules/lists'), {recursive: true});
  writeFileSync(join(place, 'rules/a.rules'), 'alert a\n');
  writeFileSync(join(place, 'rules/lists/big.lst'), 'x'.repeat(100_000));
  symlinkSync('/etc/passwd', join(place, 'rules/link.rules'));
});
afterEach(() => rmSync(place, {recursive: true}));

const PYTHON_ZIP = `
import sys, zipfile
with zipfile.ZipFile(sys.argv[1], 'w', zipfile.ZIP_DEFLATED) as z:
    for name in sys.argv[2:]:
        info = zipfile.ZipInfo(name)
        if name.endswith('link'): info.external_attr = 0o120777 << 16
        z.writestr(info, 'x' * 100000 if name.endswith('big.lst') else 'alert a\\n', zipfile.ZIP_DEFLATED)
`;
const zipOf = (...names: readonly string[]): Buffer => {
  execFileSync('python3', ['-c', PYTHON_ZIP, join(place, 'made.zip'), ...names]);
  return readFileSync(join(place, 'made.zip'));
};
const tarOf = (...args: readonly string[]): Buffer =>
  execFileSync('tar', ['-C', place, '-cf', '-', ...args], {
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'ignore'],
  });

test.each([
  ['.tar', () => tarOf('rules')],
  ['.tar.gz', () => gzipSync(tarOf('./rules'))],
  ['.tar with long names', () => tarOf('--format=pax', 'rules')],
  ['.zip', () => zipOf('rules/a.rules', 'rules/lists/big.lst', 'rules/link', 'rules/folder/')],
])('43-2 %s: files by their path, without links', async (_, make) => {
  const files = (await unpack(make())) as Unpacked;
  expect([...files.keys()].sort()).toEqual(['rules/a.rules', 'rules/lists/big.lst']);
  expect(files.get('rules/a.rules')?.toString()).toBe('alert a\n');
  expect(files.get('rules/lists/big.lst')?.length).toBe(100_000);
});

test.each([
  ['a tar with ..', () => tarOf('--transform', 's,rules/a,../../etc/a,', 'rules/a.rules')],
  ['a tar with an absolute path', () => tarOf('-P', join(place, 'rules/a.rules'))],
  ['a zip with ..', () => zipOf('../a.rules')],
  ['a zip with an absolute path', () => zipOf('/etc/a.rules')],
])('43-2 %s leads out of itself and is refused', async (_, make) => {
  await expect(unpack(make())).rejects.toThrow(ArchiveFault);
});

/** Of zeros. */
const member = gzipSync(Buffer.alloc(27 * 1024 * 1024), {level: 1});

test('43-2 archives that are too large when unpacked, hold too many files or are damaged are refused', async () => {
  // 19 members of 27 MiB make one stream of 513 MiB.
  const bomb = Buffer.concat(Array.from({length: 19}, () => member));
  await expect(unpack(bomb)).rejects.toThrow(/^is larger than 536870912 bytes when unpacked$/);
  const claims = zipOf('a.rules');
  claims.writeUInt32LE(600 * 1024 * 1024, claims.indexOf('PK\x01\x02', 0, 'latin1') + 24);
  await expect(unpack(claims)).rejects.toThrow(/^is larger than 536870912 bytes when unpacked$/);
  await expect(unpack(gzipSync(tarOf('rules')).subarray(0, 200))).rejects.toThrow(/^is damaged$/);
  await expect(unpack(zipOf('a.rules').subarray(0, 40))).rejects.toThrow(/^is damaged: /);
  const many = zipOf(...Array.from({length: 10_001}, (_, at) => `${at}`));
  await expect(unpack(many)).rejects.toThrow(/^holds more than 10000 files$/);
});

test('43-2 what is no archive is given back, unpacked from .gz', async () => {
  expect(await unpack(Buffer.from('alert a'))).toEqual(Buffer.from('alert a'));
  expect(await unpack(gzipSync('alert a'))).toEqual(Buffer.from('alert a'));
});
