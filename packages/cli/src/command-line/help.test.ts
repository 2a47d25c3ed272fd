// SPDX-License-Identifier: Apache-2.0
/** One style of help for all commands. */
import {describe, expect, test} from 'vitest';
import {commands} from '../commands/index.ts';
import {commandHelp, overview} from './help.ts';

const DESCRIPTION_MAX = 72;

const shown = commands.filter(({hidden}) => hidden !== true);
const texts = (line: string): string[] =>
  shown.flatMap(({name, summary, options}) => [
    ...(line === 'summary' ? [`${name}: ${summary}`] : []),
    ...(line === 'flag' ? Object.entries(options).map(([flag, {doc}]) => `${name} --${flag}: ${doc}`) : []),
  ]);

describe('descriptions', () => {
  test.each(['summary', 'flag'])('of each %s: lower case, short, no full stop', line => {
    const bad = texts(line).filter(text => {
      const description = text.slice(text.indexOf(': ') + 2);
      return !/^[a-z]/.test(description) || description.endsWith('.') || description.length > DESCRIPTION_MAX;
    });
    expect(bad).toEqual([]);
  });
});

test.each(shown.map(command => [command.name, command] as const))(
  '%s --help has usage and examples',
  (name, command) => {
    const help = commandHelp(command, commands);
    expect(help).toContain(`\nUsage:\n  palisade ${name}`);
    expect(help).toContain('\nExamples:\n');
    expect(help.split('\n').filter(line => line.split('(default').length > 2)).toEqual([]);
    for (const example of command.examples) expect(example).toContain('palisade ');
  },
);

test('the overview groups the commands, and shows every one of one word once', () => {
  const text = overview(commands);
  for (const title of ['Server:', 'Stacks (Pulumi programs):', 'Intrusion detection:', 'Other:'])
    expect(text).toContain(`\n\n${title}\n`);
  for (const {name} of shown.filter(command => !command.name.includes(' ')))
    expect(text.split('\n').filter(line => line.startsWith(`  ${name} `))).toHaveLength(1);
  expect(text).not.toContain('__complete');
});
