// SPDX-License-Identifier: Apache-2.0
/** The help of every command, and the overview of all. */
import {type Command, GROUPS, subCommandsOf} from './command.ts';
import {type Option, type OptionTable, shownNames} from './options.ts';

const FLAG_WIDTH = 34;
const NAME_WIDTH = 18;

const flagText = (name: string, {short, type, value = 'VALUE'}: Option): string => {
  const letter = short === undefined ? '    ' : `-${short}, `;
  return `  ${letter}--${name}${type === 'boolean' ? '' : ` ${value}${type === 'list' ? '…' : ''}`}`;
};

/** Lines for `--help` and for docs/reference/options.md: the closed set of values, the variable and the default come last. */
export const describeOptions = (table: OptionTable): string[] =>
  shownNames(table).map(name => {
    const option = table[name] as Option;
    const notes = [
      option.oneOf === undefined ? '' : option.oneOf.join(' | '),
      option.env === undefined ? '' : `also ${option.env}${option.type === 'boolean' ? '=true' : ''}`,
      option.default === undefined ? '' : `default ${option.default}`,
    ].filter(note => note !== '');
    const tail = notes.length === 0 ? '' : ` (${notes.join('; ')})`;
    return `${flagText(name, option).padEnd(FLAG_WIDTH)} ${option.doc}${tail}`;
  });

const part = (title: string, lines: readonly string[]): string[] => (lines.length === 0 ? [] : ['', title, ...lines]);

const nameLine = (command: Command): string => `  ${command.name.padEnd(NAME_WIDTH)} ${command.summary}`;

/** `all`: every command, for the list of sub-commands. */
export const commandHelp = (command: Command, all: readonly Command[]): string =>
  [
    `palisade ${command.name}: ${command.summary}`,
    ...part('Usage:', [`  palisade ${command.name} ${command.usage}`.trimEnd()]),
    ...part('', command.notes ?? []).slice(1),
    ...part('Commands:', subCommandsOf(command, all).map(nameLine)),
    ...part('Flags:', describeOptions(command.options)),
    ...part(
      'Signals:',
      (command.signals ?? []).map(([signal, effect]) => `  ${signal.padEnd(FLAG_WIDTH - 2)} ${effect}`),
    ),
    ...part(
      'Examples:',
      command.examples.map(example => `  ${example}`),
    ),
    '',
    ...(command.environment === undefined ? [] : [`Environment: ${command.environment.join(', ')}`]),
    `Exit codes: ${command.exitCodes ?? '0 done, 1 failed, 2 usage'}`,
    '',
  ].join('\n');

/** The commands by group; those with two words are in the help of their first. */
export const overview = (commands: readonly Command[]): string => {
  const shown = commands.filter(({name, hidden}) => hidden !== true && !name.includes(' '));
  return [
    'palisade: one self-hosted control plane for endpoint sets and intrusion-detection endpoints',
    ...part('Usage:', ['  palisade COMMAND [flags]', '  palisade COMMAND --help      show flags and examples']),
    ...Object.entries(GROUPS).flatMap(([group, title]) =>
      part(`${title}:`, shown.filter(command => command.group === group).map(nameLine)),
    ),
    ...part('Examples:', [
      '  palisade serve --data ./data --http 127.0.0.1:8080 --auth none',
      '  palisade up --cwd examples/shop',
      '  palisade threats --follow --json',
    ]),
    '',
    'Exit codes: 0 done, 1 failed, 2 usage. When the reader of the output leaves (| head), a command that only prints',
    'ends with 0; serve and the commands of stacks run to their end without their output.',
    '',
  ].join('\n');
};
