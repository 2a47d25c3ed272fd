// SPDX-License-Identifier: Apache-2.0
/** What may follow the words of a command line that is being typed. */
import {type Command, findCommand, subCommandsOf} from '../command-line/command.ts';
import {type Completes, type Option, readOptions, shownNames} from '../command-line/options.ts';

export type Candidate = {readonly value: string; readonly about?: string};
export type Completion = {
  readonly candidates: readonly Candidate[];
  /** The shell completes these itself. */
  readonly paths?: 'file' | 'folder';
};

/** Names that only the backend or a server knows. Never rejects. */
export type LiveNames = (
  kind: Exclude<Completes, 'file' | 'folder' | 'nothing'>,
  typed: {readonly command: Command; readonly rest: readonly string[]},
) => Promise<readonly string[]>;

const NOTHING: Completion = {candidates: []};

/** Names from outside become words of a shell: those that a shell could read as something else are left out. */
const PLAIN = /^[A-Za-z0-9][\w.:/-]*$/;

/** bash hands `--compat=sp` over as three words. */
const joined = (words: readonly string[]): {before: string[]; current: string; splits: boolean} => {
  const before: string[] = [];
  let splits = false;
  for (const word of words) {
    const last = before.at(-1);
    splits = word === '=' && last?.startsWith('--') === true && !last.includes('=');
    const continues = splits || (last?.startsWith('--') === true && last.endsWith('='));
    if (continues) before.push(`${before.pop()}${word}`);
    else before.push(word);
    splits ||= continues;
  }
  return {current: before.pop() ?? '', before, splits};
};

const matching = (candidates: readonly Candidate[], prefix: string): Completion => ({
  candidates: candidates.filter(({value}) => value.startsWith(prefix)),
});

const commandNames = (commands: readonly Command[]): Candidate[] =>
  commands
    .filter(({name, hidden}) => hidden !== true && !name.includes(' '))
    .map(({name, summary}) => ({value: name, about: summary}));

const flagNames = ({options}: Command, given: readonly string[]): Candidate[] => [
  ...shownNames(options)
    .filter(name => options[name]?.type === 'list' || !given.includes(`--${name}`))
    .map(name => ({value: `--${name}`, about: options[name]?.doc ?? ''})),
  {value: '--help', about: 'show flags and examples'},
];

/** The flag that a word is, if it takes a value that is not in the word. */
const flagOf = ({options}: Command, word: string | undefined): Option | undefined => {
  const named = word?.startsWith('--')
    ? options[word.slice(2)]
    : Object.values(options).find(({short}) => short !== undefined && word === `-${short}`);
  return named === undefined || named.type === 'boolean' ? undefined : named;
};

/** The flag that the next word is a value of. `--rules a b`: of a list flag all words up to the next flag. */
const openFlag = (command: Command, rest: readonly string[]): Option | undefined => {
  const at = rest.findLastIndex(word => word.startsWith('-'));
  const flag = flagOf(command, rest[at]);
  return at === rest.length - 1 || (flag?.type === 'list' && command.group !== 'stacks') ? flag : undefined;
};

/** `words`: those after `palisade`; the last one is being typed, and may be empty. */
export const complete = async (
  words: readonly string[],
  commands: readonly Command[],
  live: LiveNames,
): Promise<Completion> => {
  const {before, current, splits} = joined(words);
  const found = findCommand(before[0] === 'help' ? before.slice(1) : before, commands);
  if (found === undefined) {
    if (before.length > 0 && before[0] !== 'help') return NOTHING;
    const own = [
      {value: '--help', about: 'list the commands'},
      {value: '--version', about: 'print the version'},
    ];
    return matching(current.startsWith('-') ? own : commandNames(commands), current);
  }
  const {command, rest} = found;
  const valuesOf = async ({oneOf, completes}: Pick<Option, 'oneOf' | 'completes'>, prefix: string, head = '') => {
    if (completes === 'file' || completes === 'folder') return {candidates: [], paths: completes};
    const isLive = oneOf === undefined && completes !== undefined && completes !== 'nothing';
    const names = isLive ? (await live(completes, found)).filter(name => PLAIN.test(name)) : (oneOf ?? []);
    const values = names.filter(name => name.startsWith(prefix)).map(name => ({value: `${head}${name}`}));
    return {candidates: values};
  };
  const [, name, typed = ''] = /^--([^=]+)=(.*)$/s.exec(current) ?? [];
  if (name !== undefined) {
    const option = flagOf(command, `--${name}`);
    return option === undefined ? NOTHING : valuesOf(option, typed, splits ? '' : `--${name}=`);
  }
  const open = openFlag(command, rest);
  if (open !== undefined && !current.startsWith('-')) return valuesOf(open, current);
  if (current.startsWith('-')) return matching(flagNames(command, rest), current);
  const below = rest.length === 0 ? subCommandsOf(command, commands) : [];
  if (below.length > 0) {
    const names = below.map(sub => ({value: sub.name.split(' ')[1] ?? '', about: sub.summary}));
    return matching(names, current);
  }
  const {positionals} = readOptions(rest, command.options, {likePulumi: command.group === 'stacks'});
  const word = command.words?.[positionals.length] ?? 'nothing';
  return valuesOf(typeof word === 'string' ? {completes: word} : word, current);
};
