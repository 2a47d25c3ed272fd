// SPDX-License-Identifier: Apache-2.0
/** `palisade completion SHELL` prints a script; `palisade __complete -- WORDS` is what the script asks. */
import type {Command} from '../command-line/command.ts';
import {EXIT, UsageError} from '../command-line/io.ts';
import {parseOptions} from '../command-line/options.ts';
import {complete} from '../completion/complete.ts';
import {isShell, SCRIPTS} from '../completion/scripts.ts';

export const completion: Command = {
  name: 'completion',
  group: 'other',
  summary: 'print a completion script for bash, zsh or fish',
  usage: '(bash | zsh | fish)',
  notes: [
    'Commands, flags, values, and names of stacks, IDS endpoints, namespaces and Endpoints objects are completed.',
  ],
  options: {},
  words: [{oneOf: Object.keys(SCRIPTS)}],
  examples: [
    'source <(palisade completion bash)',
    'source <(palisade completion zsh)',
    'palisade completion fish | source',
  ],
  run: async (words, io) => {
    const [shell = ''] = parseOptions(words, {}, {max: 1}).positionals;
    if (!isShell(shell)) throw new UsageError('a shell is required: bash, zsh or fish');
    io.stdout.write(SCRIPTS[shell]);
    return EXIT.ok;
  },
};

/** `commands`: all that there are. */
export const completeWords = (commands: () => readonly Command[]): Command => ({
  name: '__complete',
  group: 'other',
  summary: 'print what may follow the given words',
  usage: '-- WORD…',
  options: {},
  examples: [],
  hidden: true,
  run: async (words, io) => {
    const {liveNames} = await import('../completion/live-names.ts');
    const typed = words[0] === '--' ? words.slice(1) : words;
    const {candidates, paths} = await complete(typed, commands(), liveNames(io));
    const lines = candidates.map(({value, about = ''}) => (about === '' ? value : `${value}\t${about}`));
    if (paths !== undefined) lines.push(`:${paths}`);
    io.stdout.write(lines.map(line => `${line}\n`).join(''));
    return EXIT.ok;
  },
});
