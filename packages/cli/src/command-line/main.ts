// SPDX-License-Identifier: Apache-2.0
import {nearest} from '@palisade/engine/nearest';
import {familyOf} from '../commands/families.ts';
import {type Command, findCommand, subCommandsOf} from './command.ts';
import {commandHelp, overview} from './help.ts';
import {type CliIo, CommandError, EXIT, UsageError} from './io.ts';
import {readOptions} from './options.ts';

/** A command starts without the others and what they need. */
const commandsFor = async (name = ''): Promise<readonly Command[]> =>
  (await familyOf(name === '--version' ? 'version' : name)) ?? (await import('../commands/index.ts')).commands;

/** Flags without a command. */
export const OWN_FLAGS = ['--version', '--help'];

const nearestName = (word: string, names: readonly string[]): string => {
  const near = nearest(word, names);
  return near === undefined ? '' : `: did you mean "${near}"?`;
};

const unknownWord = (word: string, commands: readonly Command[]): string => {
  if (/^-v$/i.test(word)) return `unknown flag "${word}": did you mean "--version"?`;
  if (word.startsWith('-'))
    return `unknown flag "${word}"${nearestName(word, OWN_FLAGS) || ': the command comes first'}`;
  const names = commands.filter(({name, hidden}) => hidden !== true && !name.includes(' ')).map(({name}) => name);
  return `unknown command "${word}"${nearestName(word, names)}`;
};

/** The fault of a word after a command that has sub-commands and takes no words. */
const unknownSubCommand = (
  command: Command,
  word: string | undefined,
  commands: readonly Command[],
): string | undefined => {
  const below = subCommandsOf(command, commands).map(({name}) => name);
  if (below.length === 0 || word === undefined || word.startsWith('-')) return undefined;
  const said = `${command.name} ${word}`;
  return `unknown command "${said}"${nearestName(said, below)}`;
};

/** The fault of `palisade stack --stack dev ls`. Words after the sub-command, such as a secret, are not repeated. */
const lateSubCommand = (
  command: Command,
  words: readonly string[],
  commands: readonly Command[],
): string | undefined => {
  if (subCommandsOf(command, commands).length === 0) return undefined;
  const [word] = readOptions(words, command.options, {likePulumi: true}).positionals;
  if (word === undefined || findCommand([command.name, word], commands)?.rest.length !== 0) return undefined;
  const at = words.indexOf(word);
  const more = at + 1 < words.length ? ' …' : '';
  return `put the sub-command first: palisade ${[command.name, word, ...words.slice(0, at)].join(' ')}${more}`;
};

const report = (io: CliIo, message: string): void => {
  for (const line of message.split('\n')) io.stderr.write(`palisade: ${line}\n`);
};

const usage = (io: CliIo, message: string, command = ''): number => {
  report(io, `${message}\nsee palisade ${command}${command === '' ? '' : ' '}--help`);
  return EXIT.usage;
};

const asksForHelp = (words: readonly string[]): boolean => {
  const end = words.indexOf('--');
  const flags = end === -1 ? words : words.slice(0, end);
  return flags.includes('--help') || flags.includes('-h');
};

const run = async (command: Command, words: readonly string[], io: CliIo): Promise<number> => {
  try {
    return await command.run(words, io);
  } catch (error) {
    if (error instanceof UsageError) return usage(io, error.message, command.name);
    if (!(error instanceof CommandError)) {
      report(io, error instanceof Error ? (error.stack ?? error.message) : String(error));
      return EXIT.failed;
    }
    report(io, error.message);
    return error.exitCode;
  }
};

/**
 * Runs one command line and resolves to its exit code; never throws for an expected failure. `goOn` is called before a command that
 * must run to its end even when nobody reads its output.
 */
export async function main(words: readonly string[], io: CliIo, goOn: () => void): Promise<number> {
  const [name, ...others] = words;
  if (name === 'help' && others.length > 0) return main([...others, '--help'], io, goOn);
  const commands = await commandsFor(name);
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    (name === undefined ? io.stderr : io.stdout).write(overview(commands));
    return name === undefined ? EXIT.usage : EXIT.ok;
  }
  const found = findCommand(name === '--version' ? ['version', ...others] : words, commands);
  if (found === undefined) return usage(io, unknownWord(name, commands));
  const {command, rest} = found;
  const unknown = unknownSubCommand(command, rest[0], commands);
  if (unknown !== undefined) return usage(io, unknown, command.name);
  const printHelp = (): number => {
    io.stdout.write(commandHelp(command, commands));
    return EXIT.ok;
  };
  if (asksForHelp(rest)) return printHelp();
  const late = lateSubCommand(command, rest, commands);
  if (late !== undefined) return usage(io, late, command.name);
  if (command.outlivesReader === true) goOn();
  const code = await run(command, rest, io);
  return command.isFolder === true && code === EXIT.ok ? printHelp() : code;
}
