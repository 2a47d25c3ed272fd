// SPDX-License-Identifier: Apache-2.0
/** A command on stacks: its table, and its work, which is loaded only when the command runs. */
import type {Workspace} from '@palisade/engine';
import {type Command, folderCommand} from '../../command-line/command.ts';
import type {CliIo} from '../../command-line/io.ts';
import {type OptionTable, type Parsed, parseOptions} from '../../command-line/options.ts';
import {GLOBAL_FLAGS} from './pulumi-flags.ts';

export type StackInput<T extends OptionTable> = {
  readonly options: Parsed<T>;
  readonly global: Parsed<typeof GLOBAL_FLAGS>;
  readonly words: readonly string[];
  readonly workspace: Workspace;
  readonly io: CliIo;
};

type Definition<T extends OptionTable> = Pick<
  Command,
  'name' | 'aliases' | 'summary' | 'notes' | 'examples' | 'words'
> & {
  readonly options: T;
  /** The words after the name, without `[flags]`. */
  readonly usage?: string;
  readonly wordsMax?: number;
  /** Of --stack, where nothing else is worked on than what it names. */
  readonly stackDoc?: string;
  /** The first word is the name of the stack to work on, as --stack is. */
  readonly namesStack?: true;
  readonly run: (input: StackInput<T>) => Promise<number>;
};

const ENVIRONMENT = [
  'PULUMI_BACKEND_URL (file://FOLDER)',
  'PULUMI_CONFIG_PASSPHRASE',
  'PULUMI_CONFIG_PASSPHRASE_FILE',
  'PULUMI_HOME',
  'PULUMI_STACK',
];

/** A command that only groups commands on stacks. */
export const stackFolder = (said: Pick<Command, 'name' | 'summary' | 'examples'>): Command =>
  folderCommand({
    ...said,
    group: 'stacks',
    usage: 'COMMAND [flags]',
    options: GLOBAL_FLAGS,
    environment: ENVIRONMENT,
    likePulumi: true,
  });

export const stackCommand = <T extends OptionTable>(definition: Definition<T>): Command => {
  const {
    usage = '',
    wordsMax = 0,
    stackDoc = GLOBAL_FLAGS.stack.doc,
    namesStack,
    run,
    options: own,
    ...rest
  } = definition;
  const options = {...own, ...GLOBAL_FLAGS, stack: {...GLOBAL_FLAGS.stack, doc: stackDoc}};
  return {
    ...rest,
    group: 'stacks',
    usage: `${usage} [flags]`.trimStart(),
    options,
    environment: ENVIRONMENT,
    outlivesReader: true, // state is saved and the lock released at the end
    run: async (words, io) => {
      const {options: read, positionals} = parseOptions(words, options, {max: wordsMax, env: io.env, likePulumi: true});
      const global = read as Parsed<typeof GLOBAL_FLAGS>;
      const {inWorkspace} = await import('../workspace-of.ts');
      const named = {
        word: namesStack === true ? positionals[0] : undefined,
        configFile: (read as {readonly 'config-file'?: string})['config-file'],
      };
      return inWorkspace(io, {...global, ...named}, workspace =>
        run({options: read as Parsed<T>, global, words: positionals, workspace, io}),
      );
    },
  };
};
