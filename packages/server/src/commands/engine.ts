// SPDX-License-Identifier: Apache-2.0
/** `palisade up|preview|refresh|destroy|import|stack|state|config`: the embedded engine, with the flags of the real Pulumi CLI. */
import type {Command} from '../cli/command.ts';

const SUMMARIES = {
  up: 'create or update what the program in this folder declares',
  preview: 'show what up would do',
  refresh: 'take what is really there into the state',
  destroy: 'delete everything that the stack declares',
  import: 'take objects that exist already into the state, and print code for the program',
  cancel: 'remove the lock that an ended operation left on a stack',
  stack: 'stacks: init, ls, select, unselect, rename, rm, output, export, import, history',
  state: 'edits of the state: delete, protect, unprotect, rename',
  config: 'configuration of a stack: ls, set, get, rm, set-all, remove-all, cp, refresh',
} as const;

const command = (name: keyof typeof SUMMARIES): Command => ({
  name,
  summary: SUMMARIES[name],
  usage: `palisade ${name} [flags]`,
  options: {},
  examples: [`palisade ${name} --help`],
  ownHelp: true,
  outlivesReader: true, // state is saved and the lock released at the end
  run: async (words, io) => {
    const {runEngine} = await import('./run-engine.ts');
    return runEngine([name, ...words], io);
  },
});

export const engineCommands: readonly Command[] = (Object.keys(SUMMARIES) as (keyof typeof SUMMARIES)[]).map(command);
