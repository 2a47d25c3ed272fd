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

test.each([
  ['help serve', 'Usage:\n  palisade serve'],
  ['help stack init', 'Usage:\n  palisade stack init NAME'],
  ['help', 'Usage:\n  palisade COMMAND [flags]'],
  ['help help', 'Usage:\n  palisade COMMAND [flags]'],
])('%s is answered on standard output', async (line, usage) => {
  expect(await palisade(...line.split(' '))).toEqual({code: 0, stdout: expect.stringContaining(usage), stderr: ''});
});

test.each([
  ['stack --stack dev ls', 'palisade stack ls --stack dev'],
  ['stack -s=dev list', 'palisade stack list -s=dev'],
  ['state --non-interactive delete --all', 'palisade state delete --non-interactive …'],
  ['config --stack set set --secret k hush', 'palisade config set --stack …'],
])('a sub-command after a flag: %s', async (line, first) => {
  const [folder] = line.split(' ');
  expect(await palisade(...line.split(' '))).toEqual({
    code: 2,
    stdout: '',
    stderr: `palisade: put the sub-command first: ${first}\npalisade: see palisade ${folder} --help\n`,
  });
});

test('help for what is no command is refused as the command itself is', async () => {
  expect(await palisade('help', 'srve')).toEqual({
    code: 2,
    stdout: '',
    stderr: 'palisade: unknown command "srve": did you mean "serve"?\npalisade: see palisade --help\n',
  });
});

test.each(['why-not-deleted', 'confirm-deletion', 'describe'])(
  '%s of a resource and a name in two words is told how to write it',
  async command => {
    expect(await palisade(command, 'ep', 'web')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('unexpected word "web": an object is one word, RESOURCE/NAME, such as'),
    });
  },
);

test('--version and --help are taken', async () => {
  expect((await palisade('--version')).stdout).toMatch(/^palisade \d/);
  expect((await palisade('--help')).stdout).toContain('Usage:\n  palisade COMMAND [flags]');
});
