// SPDX-License-Identifier: Apache-2.0

import {PropertyPathError, ProviderError} from '@palisade/provider';
import {EngineError, UsageError} from '../engine-error.ts';
import {nearest} from '../nearest.ts';
import {SecretsError} from '../state/secrets.ts';
import {COMMANDS, commandHelp, type EngineCommand} from './catalog.ts';
import {parseFlags} from './flags.ts';
import {type EngineIo, EXIT} from './io.ts';
import {Workspace} from './workspace-context.ts';

/**
 * Runs one engine command (`['up', '--yes']`, `['stack', 'init', 'dev']`) and resolves to its exit code (`EXIT`).
 * Data and the steps of an operation go to stdout, messages to stderr. Expected failures are printed there and never thrown.
 */
export async function runEngineCommand(argv: readonly string[], io: EngineIo): Promise<number> {
  const say = (message: string): void => {
    for (const line of message.split('\n')) io.stderr.write(`palisade: ${line}\n`);
  };
  const found = findCommand(argv);
  if (found === undefined) {
    say(`${unknownCommand(argv)}\nsee palisade --help`);
    return EXIT.usage;
  }
  const {command, words} = found;
  if (words.includes('--help') || words.includes('-h')) {
    io.stdout.write(commandHelp(command));
    return EXIT.ok;
  }
  try {
    const {flags, positionals} = parseFlags(words, command.flags, {own: command.ownFlags, env: io.env});
    refuseSurplus(command, positionals);
    return await command.run(new Workspace(io, flags), positionals);
  } catch (error) {
    if (error instanceof UsageError) {
      say(`${error.message}\nsee palisade ${command.name} --help`);
      return EXIT.usage;
    }
    if (isExpected(error)) say(`error: ${error.message}`);
    else say(`error: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    return EXIT.failed;
  }
}

const isExpected = (error: unknown): error is Error =>
  error instanceof EngineError ||
  error instanceof SecretsError ||
  error instanceof PropertyPathError ||
  error instanceof ProviderError ||
  isSystemError(error);

/** What a file or folder refused, such as EACCES: the message names it. */
const isSystemError = (error: unknown): boolean => error instanceof Error && 'syscall' in error && 'code' in error;

/** The longest name that the words begin with; flags may stand between the words. */
function findCommand(argv: readonly string[]): {command: EngineCommand; words: readonly string[]} | undefined {
  const [first, ...rest] = argv;
  if (first === undefined) return undefined;
  const at = rest.findIndex(word => !word.startsWith('-'));
  const second = rest[at];
  if (at === 0 && second !== undefined) {
    const command = named(`${first} ${second}`);
    if (command !== undefined) return {command, words: rest.slice(1)};
  }
  const command = named(first);
  return command === undefined ? undefined : {command, words: rest};
}

const named = (name: string): EngineCommand | undefined =>
  COMMANDS.find(command => command.name === name || command.aliases?.includes(name) === true);

function unknownCommand(argv: readonly string[]): string {
  const word = argv[0] ?? '';
  const near = nearest(
    word,
    COMMANDS.map(command => command.name),
  );
  return word === ''
    ? 'a command is needed'
    : `unknown command "${word}"${near === undefined ? '' : `: did you mean "${near}"?`}`;
}

function refuseSurplus(command: EngineCommand, positionals: readonly string[]): void {
  const surplus = positionals.slice(command.wordsMax);
  if (surplus.length === 0) return;
  const subs = COMMANDS.filter(other => other.name.startsWith(`${command.name} `)).map(
    other => other.name.split(' ')[1] ?? '',
  );
  const near = nearest(surplus[0] ?? '', subs);
  const hint = near === undefined ? '' : ` (did you mean "${command.name} ${near}"?)`;
  throw new UsageError(
    subs.length > 0
      ? `unknown sub-command "${command.name} ${surplus[0]}"${hint}`
      : `unexpected word "${surplus.join(' ')}"`,
  );
}
