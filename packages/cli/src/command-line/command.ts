// SPDX-License-Identifier: Apache-2.0
import {type CliIo, EXIT} from './io.ts';
import {type Completes, type OptionTable, parseOptions} from './options.ts';

/** Parts of the overview, in its order. */
export const GROUPS = {
  server: 'Server',
  stacks: 'Stacks (Pulumi programs)',
  ids: 'Intrusion detection',
  objects: 'Endpoints and other Kubernetes objects',
  other: 'Other',
} as const;

/** One command of `palisade`. `run` resolves to the exit code. */
export type Command = {
  /** One word, or two: `stack init`. */
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly group: keyof typeof GROUPS;
  /** Imperative, lower case, without a full stop, at most 72 characters. */
  readonly summary: string;
  /** What follows the name: words and the most important flags. */
  readonly usage: string;
  /** What the reader has to know beyond the flags, one sentence or two a line. */
  readonly notes?: readonly string[];
  readonly options: OptionTable;
  /** What the words after the command name are, for completion. */
  readonly words?: readonly (Completes | {readonly oneOf: readonly string[]})[];
  /** The environment variables that the command reads, for its help. */
  readonly environment?: readonly string[];
  /** What each signal does, for a command that keeps running. */
  readonly signals?: readonly (readonly [signal: string, effect: string])[];
  readonly examples: readonly string[];
  /** What its exit codes mean, where that is more than `0 done, 1 failed, 2 usage`. */
  readonly exitCodes?: string;
  readonly run: (words: readonly string[], io: CliIo) => Promise<number>;
  /** What the command does matters more than what it prints: it continues when nobody reads its output any more. */
  readonly outlivesReader?: boolean;
  /** It only groups other commands: alone it prints its help. */
  readonly isFolder?: boolean;
  /** For programs, not for people: in no help. */
  readonly hidden?: boolean;
};

/** A command that only groups others: `name COMMAND`. Alone it prints its help; flags and words of its own are usage errors. */
export const folderCommand = ({
  usage = 'COMMAND',
  options = {},
  likePulumi = false,
  ...said
}: Pick<Command, 'name' | 'group' | 'summary' | 'examples' | 'environment'> & {
  readonly usage?: string;
  /** Flags that all of the commands take. */
  readonly options?: OptionTable;
  readonly likePulumi?: boolean;
}): Command => ({
  ...said,
  usage,
  isFolder: true,
  options,
  run: async (words, {env}) => {
    parseOptions(words, options, {env, likePulumi});
    return EXIT.ok;
  },
});

export const subCommandsOf = ({name}: Pick<Command, 'name'>, commands: readonly Command[]): readonly Command[] =>
  commands.filter(other => other.name.startsWith(`${name} `));

/** The command with the longest name that the words begin with, and the words after its name. */
export const findCommand = (
  words: readonly string[],
  commands: readonly Command[],
): {readonly command: Command; readonly rest: readonly string[]} | undefined => {
  for (const count of [2, 1]) {
    const said = words.slice(0, count).join(' ');
    const command = commands.find(({name, aliases = []}) => name === said || aliases.includes(said));
    if (command !== undefined && words.length >= count) return {command, rest: words.slice(count)};
  }
  return undefined;
};
