// SPDX-License-Identifier: Apache-2.0
/** The token file as `palisade serve` takes it. */
import {mkdtemp, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterAll, beforeAll, expect, test} from 'vitest';
import {LiveTokenFile} from './live-token-file.ts';
import {readTokenFile} from './token-file.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'palisade-tokens-'));
});
afterAll(() => rm(folder, {recursive: true}));

const open = async (text: string) => {
  const tokenAuthFile = join(folder, 'tokens.csv');
  await writeFile(tokenAuthFile, text);
  const warnings: string[] = [];
  const log = {warn: (warning: string) => void warnings.push(warning)};
  const source = await LiveTokenFile.open(tokenAuthFile, log as never);
  return {source, warnings, tokenAuthFile};
};

test.each([
  ['an empty file', ''],
  ['blank lines', '\n\r\n'],
  ['a comment', '# token,user,uid\n'],
])('%s lets nobody in, and is refused', async (_, text) => {
  await expect(open(text)).rejects.toThrow(/tokens\.csv: no tokens in the file: .* omit the flag/);
});

test('columns that are left out are warned of, with file and line', async () => {
  const {source, warnings, tokenAuthFile} = await open('t,eve,6,g1,g2\n');
  expect(warnings).toEqual([expect.stringContaining(`--token-auth-file ${tokenAuthFile}: line 1: 5 columns`)]);
  expect(await source.find('t')).toMatchObject({outcome: 'user'});
});

test('a file that cannot be read is named, with the way out', async () => {
  const tokenAuthFile = join(folder, 'none.csv');
  await expect(readTokenFile(tokenAuthFile, {warn: () => {}} as never)).rejects.toThrow(
    `--token-auth-file ${tokenAuthFile}: cannot be read: no such file; check the path`,
  );
});
