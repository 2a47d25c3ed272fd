// SPDX-License-Identifier: Apache-2.0
import {describe, expect, test} from 'vitest';
import {commands} from '../commands/index.ts';
import {complete, type LiveNames} from './complete.ts';

const NAMES: Readonly<Record<string, readonly string[]>> = {
  stack: ['dev', 'production'],
  endpoint: ['guard'],
  namespace: ['default', 'shop'],
  endpoints: ['web'],
  object: ['endpoints/web', 'namespaces/shop'],
  described: ['guard', 'endpoints/web'],
};
const live: LiveNames = async kind => NAMES[kind] ?? [];

const valuesOf = async (...words: string[]): Promise<string[]> =>
  (await complete(words, commands, live)).candidates.map(({value}) => value);

describe('commands', () => {
  test('the first word is a command, with its summary', async () => {
    const {candidates} = await complete(['st'], commands, live);
    expect(candidates.map(({value}) => value)).toEqual(['store', 'stack', 'state']);
    expect(candidates[1]?.about).toMatch(/^manage stacks/);
    expect(await valuesOf('')).toContain('serve');
    expect(await valuesOf('')).not.toContain('__complete');
    expect(await valuesOf('-')).toEqual(['--help', '--version']);
  });

  test('the second word of stack, state and config is a command too, also after help', async () => {
    expect(await valuesOf('stack', 're')).toEqual(['rename']);
    expect(await valuesOf('help', 'config', 's')).toEqual(['set', 'set-all']);
    expect(await valuesOf('help', 'exp')).toEqual(['expand']);
  });

  test('nothing follows an unknown command', async () => {
    expect(await valuesOf('srve', '')).toEqual([]);
  });
});

describe('flags', () => {
  test('those of the command that are not given yet, and help; lists may be given again', async () => {
    expect(await valuesOf('up', '--skip-preview', '--sk')).toEqual(['--skip-config-validation']);
    expect(await valuesOf('up', '--target', 'x', '--target')).toContain('--target');
    expect(await valuesOf('serve', '--h')).toEqual(['--http', '--https', '--home-net', '--history', '--help']);
  });

  test('flags that do not work yet are not offered', async () => {
    expect(await valuesOf('serve', '--st')).toEqual([]);
    expect(await valuesOf('serve', '--driver', '')).toEqual(['auto', 'afpacket', 'afpacket-bpf', 'relay']);
  });

  test.each([
    [['serve', '--compat', 's'], ['spec']],
    [['serve', '--compat=s'], ['--compat=spec']],
    [['serve', '--compat', '=', 's'], ['spec']],
    [
      ['serve', '--compat', '='],
      ['spec', 'kubernetes'],
    ],
    [['serve', '--json='], []],
  ])('values of a closed set: %j', async (words, values) => {
    expect(await valuesOf(...words)).toEqual(values);
  });

  test.each([
    ['serve', '--data', '', 'folder'],
    ['serve', '--tls-cert', '', 'file'],
    ['serve', '--rules', 'a.rules', '', 'file'],
    ['pack', '-f', '', 'file'],
    ['replay', '', 'file'],
  ])('the shell completes paths: %s %s %s', async (...line) => {
    const words = line.slice(0, -1);
    expect(await complete(words, commands, live)).toEqual({candidates: [], paths: line.at(-1)});
  });
});

describe('live names', () => {
  test.each([
    [
      ['up', '--stack', ''],
      ['dev', 'production'],
    ],
    [['stack', 'select', 'p'], ['production']],
    [['stack', 'select', 'dev', ''], []],
    [['config', 'cp', '-d', 'd'], ['dev']],
    [['threats', '--endpoint', ''], ['guard']],
    [['threats', '--endpoint=g'], ['--endpoint=guard']],
    [['expand', ''], ['web']],
    [['expand', '-n', 's'], ['shop']],
    [['why-not-deleted', 'n'], ['namespaces/shop']],
    [
      ['describe', ''],
      ['guard', 'endpoints/web'],
    ],
    [['completion', 'z'], ['zsh']],
    [['stack', 'output', ''], []],
  ])('%j', async (words, values) => {
    expect(await valuesOf(...words)).toEqual(values);
  });

  test.each(['$(reboot)', 'a b', '-rf', 'a\nb', '\u001b[2J', "a'b", ''])(
    'a name from outside that a shell could read as something else is left out: %j',
    async name => {
      expect((await complete(['expand', ''], commands, async () => [name, 'web'])).candidates).toEqual([
        {value: 'web'},
      ]);
    },
  );

  test('flags that were typed reach the lookup of names', async () => {
    const asked: (readonly string[])[] = [];
    await complete(['up', '--cwd', 'shop', '--stack', ''], commands, async (_, {rest}) => {
      asked.push(rest);
      return [];
    });
    expect(asked).toEqual([['--cwd', 'shop', '--stack']]);
  });
});
