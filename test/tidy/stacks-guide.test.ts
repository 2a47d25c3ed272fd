// SPDX-License-Identifier: Apache-2.0
/** The guide to stacks names commands and flags that there are. */
import {readFileSync} from 'node:fs';
import {commands} from '@palisade/cli';
import {expect, test} from 'vitest';

const guide = readFileSync('docs/guides/stacks.md', 'utf8');
const lines = [...guide.matchAll(/^ {4}palisade (.*?)(?: +#.*)?$/gm)].map(([, words = '']) => words.split(/\s+/));

/** The longest name of a command that the line begins with. */
const commandOf = (words: readonly string[]) =>
  [2, 1]
    .map(count => words.slice(0, count).join(' '))
    .map(name => commands.find(command => command.name === name))
    .find(command => command !== undefined);

test('every line is a command with flags that it has', () => {
  expect(lines.length).toBeGreaterThan(15);
  for (const words of lines) {
    const command = commandOf(words);
    expect(command, words.join(' ')).toBeDefined();
    const known = Object.keys(command?.options ?? {});
    const used = words.filter(word => word.startsWith('--')).map(word => word.slice(2));
    expect(known, words.join(' ')).toEqual(expect.arrayContaining(used));
  }
});

test('README names the guide', () => {
  expect(readFileSync('README.md', 'utf8')).toContain('(docs/guides/stacks.md)');
});
