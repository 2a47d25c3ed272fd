// SPDX-License-Identifier: Apache-2.0
import {PassThrough, Readable} from 'node:stream';
import {expect, test} from 'vitest';
import {main} from './main.ts';

const palisade = async (...words: string[]): Promise<{code: number; stdout: string; stderr: string}> => {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const code = await main(words, {stdin: Readable.from([]), stdout, stderr, env: {}, cwd: '/'}, () => {});
  return {code, stdout: String(stdout.read() ?? ''), stderr: String(stderr.read() ?? '')};
};

test.each([
  ['-v', 'unknown flag "-v": did you mean "--version"?'],
  ['-V', 'unknown flag "-V": did you mean "--version"?'],
  ['--verison', 'unknown flag "--verison": did you mean "--version"?'],
  ['--json', 'unknown flag "--json": the command comes first'],
  ['srve', 'unknown command "srve": did you mean "serve"?'],
  ['completely-else', 'unknown command "completely-else"'],
])('the first word %s is told as what it is', async (word, said) => {
  expect(await palisade(word)).toEqual({
    code: 2,
    stdout: '',
    stderr: `palisade: ${said}\npalisade: see palisade --help\n`,
  });
});

test('--version and --help are taken', async () => {
  expect((await palisade('--version')).stdout).toMatch(/^palisade \d/);
  expect((await palisade('--help')).stdout).toContain('usage: palisade COMMAND [flags]');
});
