// SPDX-License-Identifier: Apache-2.0
import type {CliIo} from './io.ts';
import type {OptionTable} from './options.ts';
import {describeOptions} from './options.ts';

/** One sub-command of `palisade`. `run` resolves to the exit code. */
export type Command = {
  readonly name: string;
  readonly summary: string;
  readonly usage: string;
  /** What the command does not do, one sentence or two a line. */
  readonly notes?: readonly string[];
  readonly options: OptionTable;
  /** What each signal does, for a command that stays. */
  readonly signals?: readonly (readonly [signal: string, effect: string])[];
  readonly examples: readonly string[];
  readonly run: (words: readonly string[], io: CliIo) => Promise<number>;
  /** What the command does is worth more than what it prints: it goes on when nobody reads its output any more. */
  readonly outlivesReader?: boolean;
  /** The command prints its own help (engine commands). */
  readonly ownHelp?: boolean;
};

export const commandHelp = (command: Command): string =>
  [
    `palisade ${command.name}: ${command.summary}`,
    '',
    `usage: ${command.usage}`,
    ...(command.notes === undefined ? [] : ['', ...command.notes]),
    ...(Object.keys(command.options).length > 0 ? ['', 'flags:', ...describeOptions(command.options)] : []),
    ...(command.signals === undefined
      ? []
      : ['', 'signals:', ...command.signals.map(([signal, effect]) => `  ${signal.padEnd(32)} ${effect}`)]),
    '',
    'examples:',
    ...command.examples.map(e => `  ${e}`),
    '',
    'exit codes: 0 done, 1 failed, 2 usage',
    '',
  ].join('\n');
