// SPDX-License-Identifier: Apache-2.0
/**
 * Option tables and their parser. One table per command makes the flags, the defaults, `--help` and docs/reference/options.md.
 * Unknown flags, missing values, a second value where one counts and values outside a closed set are refused, all of them in one message.
 */
import {nearest} from '@palisade/engine/nearest';
import {UsageError} from './io.ts';

export type Option = {
  readonly type: 'string' | 'boolean' | 'list';
  /** One letter, as kubectl has it: `n` for `-n NS`, `-n=NS`, `-nNS`. */
  readonly short?: string;
  /** Placeholder in help, for example `HOST:PORT`. */
  readonly value?: string;
  readonly default?: string;
  /** Closed set of values. */
  readonly oneOf?: readonly string[];
  /** Values that are known and do not work yet: why, and the way out. They are not shown. */
  readonly notYet?: Readonly<Record<string, string>>;
  /** The flag does not work yet with any value: why, and the way out. It is not shown. */
  readonly refused?: string;
  /** What is needed where the flag is left out, for the message about a wrong value. */
  readonly leftOut?: string;
  readonly doc: string;
};
export type OptionTable = Readonly<Record<string, Option>>;

export type Parsed<T extends OptionTable> = {
  readonly [K in keyof T]: T[K]['type'] extends 'boolean'
    ? boolean
    : T[K]['type'] extends 'list'
      ? readonly string[]
      : T[K] extends {readonly default: string}
        ? string
        : string | undefined;
};

/** The flags that work. */
const shownNames = (table: OptionTable): string[] =>
  Object.entries(table).flatMap(([name, {refused}]) => (refused === undefined ? [name] : []));

const unknownFlag = (name: string, table: OptionTable): string => {
  const near = nearest(name, shownNames(table));
  return `unknown flag --${name}${near === undefined ? '' : ` (did you mean --${near}?)`}`;
};

type Collector = {values: Record<string, string | boolean | string[]>; faults: string[]};

/** One value only: a second one would silently win over the first. The same switch twice says nothing new. */
const setOnce = (into: Collector, name: string, value: string | boolean): void => {
  const before = Object.hasOwn(into.values, name) ? into.values[name] : undefined;
  if (before === undefined || (before === value && typeof value === 'boolean')) into.values[name] = value;
  else into.faults.push(`--${name} is given twice: give it once`);
};

const store = (into: Collector, name: string, option: Option, value: string): void => {
  // Most likely a variable that is not set: `--data "$DATA"` must not mean the current folder.
  if (value === '') {
    into.faults.push(
      `--${name} is empty: give a value (${option.value ?? 'VALUE'}), or leave the flag out where it is not needed`,
    );
    return;
  }
  const why = option.refused ?? option.notYet?.[value];
  if (why !== undefined) {
    into.faults.push(`--${name} ${value}: ${why}`);
    return;
  }
  if (option.oneOf !== undefined && !option.oneOf.includes(value)) {
    const [only, ...others] = option.oneOf;
    const choice = others.length > 0 ? `one of ${option.oneOf.join(', ')}` : `${only}, or left out`;
    into.faults.push(
      `--${name} ${value}: must be ${choice}${option.leftOut === undefined ? '' : `: ${option.leftOut}`}`,
    );
    return;
  }
  if (option.type === 'list') {
    const items = into.values[name];
    into.values[name] = [...(Array.isArray(items) ? items : []), value];
  } else setOnce(into, name, value);
};

/** `-n`, `-n=NS`, `-nNS` as the long flag; undefined: no flag of the table has this letter. */
const fromShort = (table: OptionTable, word: string): string | undefined => {
  const [name, option] = Object.entries(table).find(([, {short}]) => short !== undefined && short === word[1]) ?? [];
  const tail = word.slice(2);
  if (option === undefined || (option.type === 'boolean' && !/^(=|$)/.test(tail))) return undefined;
  return tail === '' ? `--${name}` : `--${name}=${tail.replace(/^=/, '')}`;
};

const unknownShort = (word: string, table: OptionTable): string => {
  const letters = Object.entries(table).flatMap(([name, {short}]) =>
    short === undefined ? [] : [`-${short} for --${name}`],
  );
  return `unknown flag ${word}: flags are written --name${letters.length === 0 ? '' : `; there is only ${letters.join(', ')}`}`;
};

const takeFlag = (into: Collector, table: OptionTable, word: string, rest: string[]): void => {
  const [name = '', ...inline] = word.slice(2).split('=');
  const option = Object.hasOwn(table, name) ? table[name] : undefined;
  if (option === undefined) {
    into.faults.push(unknownFlag(name, table));
    if (inline.length === 0 && rest[0] !== undefined && !rest[0].startsWith('-')) rest.shift();
    return;
  }
  if (option.type === 'boolean') {
    const value = inline.length === 0 ? 'true' : inline.join('=');
    if (value === 'true' || value === 'false') setOnce(into, name, value === 'true');
    else into.faults.push(`--${name}=${value}: must be true or false`);
    return;
  }
  const value = inline.length > 0 ? inline.join('=') : rest.shift();
  if (value === undefined) into.faults.push(`--${name} needs a value (${option.value ?? 'VALUE'})`);
  else store(into, name, option, value);
  // `--rules a b c`: a list flag takes the words up to the next flag.
  while (option.type === 'list' && inline.length === 0 && rest[0] !== undefined && !rest[0].startsWith('--'))
    store(into, name, option, rest.shift() ?? '');
};

/** How many words may stand beside the flags, and what they are. */
type Positionals = {readonly max: number; readonly what?: string};

/**
 * Reads the words after the command's name. `--flag value`, `--flag=value`, `--switch`, `--list a b`, `-n value` where the table has the letter, `--` ends flags.
 * A flag with a fault has its default.
 */
export const readOptions = <T extends OptionTable>(
  words: readonly string[],
  table: T,
  positionals: Positionals = {max: 0},
): {options: Parsed<T>; positionals: readonly string[]; faults: readonly string[]} => {
  const into: Collector = {values: {}, faults: []};
  const found: string[] = [];
  const rest = [...words];
  while (rest.length > 0) {
    const word = rest.shift() ?? '';
    if (word === '--') found.push(...rest.splice(0));
    else if (word.startsWith('--')) takeFlag(into, table, word, rest);
    else if (word.startsWith('-') && word.length > 1) {
      const long = fromShort(table, word);
      if (long === undefined) into.faults.push(unknownShort(word, table));
      else takeFlag(into, table, long, rest);
    } else found.push(word);
  }
  for (const surplus of found.slice(positionals.max))
    into.faults.push(`unexpected word "${surplus}"${positionals.what === undefined ? '' : `: ${positionals.what}`}`);
  const options: Record<string, unknown> = {};
  for (const [name, option] of Object.entries(table)) {
    const fallback = option.type === 'boolean' ? false : option.type === 'list' ? [] : option.default;
    options[name] = into.values[name] ?? fallback;
  }
  return {options: options as Parsed<T>, positionals: found, faults: into.faults};
};

/** `readOptions` that throws UsageError naming every fault. */
export const parseOptions = <T extends OptionTable>(
  words: readonly string[],
  table: T,
  positionals?: Positionals,
): {options: Parsed<T>; positionals: readonly string[]} => {
  const {faults, ...read} = readOptions(words, table, positionals);
  if (faults.length > 0) throw new UsageError(faults.join('\n'));
  return read;
};

/** Lines for `--help` and for docs/reference/options.md. */
export const describeOptions = (table: OptionTable): string[] =>
  shownNames(table).map(name => {
    const o = table[name] as Option;
    const head = `  ${o.short === undefined ? '' : `-${o.short}, `}--${name}${o.type === 'boolean' ? '' : ` ${o.value ?? 'VALUE'}${o.type === 'list' ? '…' : ''}`}`;
    const notes = [
      o.oneOf === undefined ? '' : o.oneOf.join(' | '),
      o.default === undefined ? '' : `default ${o.default}`,
    ];
    const tail = notes.filter(n => n !== '').join('; ');
    return `${head.padEnd(34)} ${o.doc}${tail === '' ? '' : ` (${tail})`}`;
  });
