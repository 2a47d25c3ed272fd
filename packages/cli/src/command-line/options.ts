// SPDX-License-Identifier: Apache-2.0
/**
 * Option tables and their parser. One table per command makes the flags, the defaults, `--help`, completion and docs/reference/options.md.
 * `parseArgs` of Node splits the words; what a table says about values is checked here. Every fault is reported at once.
 */
import {parseArgs} from 'node:util';
import {nearest} from '@palisade/engine/nearest';
import {UsageError} from './io.ts';

/** What completes a value. `endpoint`: of the IDS side; `endpoints`, `group`, `registration`: names of Endpoints objects, EndpointGroups, EndpointRegistrations; `accessToken`: of AccessTokens; `object`: RESOURCE/NAME; `rule`: sids. */
export type Completes =
  | 'stack'
  | 'endpoint'
  | 'endpoints'
  | 'group'
  | 'registration'
  | 'accessToken'
  | 'namespace'
  | 'object'
  | 'described'
  | 'rule'
  | 'ruleSet'
  | 'file'
  | 'folder'
  | 'nothing';

export type Option = {
  readonly type: 'string' | 'boolean' | 'list';
  /** One letter: `n` for `-n NS`, `-n=NS`, `-nNS`. */
  readonly short?: string;
  /** Placeholder in help, for example `HOST:PORT`. */
  readonly value?: string;
  readonly default?: string;
  /** Closed set of values. */
  readonly oneOf?: readonly string[];
  /** Known values that do not work yet: why, and the way out. Help does not show them. */
  readonly notYet?: Readonly<Record<string, string>>;
  /** The flag does not work yet with any value: why, and the way out. Help does not show it. */
  readonly refused?: string;
  /** The way out without the flag, for the message about a wrong value. */
  readonly leftOut?: string;
  /** The environment variable that gives the value when the flag is left out. */
  readonly env?: string;
  /** Of a switch: undefined when it is left out, where that means something else than false. */
  readonly threeState?: true;
  readonly completes?: Completes;
  /** What a configuration file holds for it, where `type` does not say so. `none`: it has no key. `map`: NAME=VALUE by name. */
  readonly inFile?: InFile;
  /** Imperative, lower case, without a full stop, under 72 characters. */
  readonly doc: string;
};
/** `count`: a whole number from 1. `size`: text, or a number of bytes. `words`: a list whose words may have commas; `words-or-numbers`: one that may hold whole numbers. */
export type InFile = 'none' | 'number' | 'count' | 'size' | 'map' | 'words' | 'words-or-numbers';
export type OptionTable = Readonly<Record<string, Option>>;

export type Parsed<T extends OptionTable> = {
  readonly [K in keyof T]: T[K]['type'] extends 'boolean'
    ? T[K] extends {readonly threeState: true}
      ? boolean | undefined
      : boolean
    : T[K]['type'] extends 'list'
      ? readonly string[]
      : T[K] extends {readonly default: string}
        ? string
        : string | undefined;
};

export type Reading = {
  /** How many words there may be in addition to flags (default 0), and what they are. */
  readonly max?: number;
  readonly what?: string;
  /** For options with `env`. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** As the Pulumi CLI: the last value of a repeated flag counts, an empty value is a value, a list flag takes one word at a time. */
  readonly likePulumi?: boolean;
};

/** Where the value of an option is from that is no default. */
export type Given = ReadonlyMap<string, 'flag' | 'environment'>;

/** Names of the flags that work. */
export const shownNames = (table: OptionTable): string[] =>
  Object.entries(table).flatMap(([name, {refused}]) => (refused === undefined ? [name] : []));

const isLetter = (rawName: string): boolean => !rawName.startsWith('--');

const unknownFlag = (rawName: string, table: OptionTable): string => {
  if (isLetter(rawName)) return `unknown flag "${rawName}"`;
  const near = nearest(rawName.slice(2), shownNames(table));
  return `unknown flag "${rawName}"${near === undefined ? '' : `: did you mean "--${near}"?`}`;
};

class Collector {
  readonly values = new Map<string, string | boolean | string[]>();
  readonly faults: string[] = [];
  readonly #likePulumi: boolean;

  constructor(likePulumi: boolean) {
    this.#likePulumi = likePulumi;
  }

  takeSwitch(name: string, value: string): void {
    if (value === 'true' || value === 'false') this.#setOnce(name, value === 'true');
    else this.faults.push(`--${name}=${value}: must be true or false`);
  }

  takeValue(name: string, option: Option, value: string): void {
    const fault = this.#faultOf(name, option, value);
    if (fault !== undefined) this.faults.push(fault);
    else if (option.type === 'list') {
      const items = this.values.get(name);
      this.values.set(name, [...(Array.isArray(items) ? items : []), value]);
    } else this.#setOnce(name, value);
  }

  #faultOf(name: string, option: Option, value: string): string | undefined {
    // Most likely a variable that is not set: `--data "$DATA"` must not mean the current folder.
    if (value === '' && !this.#likePulumi)
      return `--${name} is empty: give a value (${option.value ?? 'VALUE'}), or leave the flag out where it is not needed`;
    const why = option.refused ?? option.notYet?.[value];
    if (why !== undefined) return `--${name} ${value}: ${why}`;
    if (option.oneOf === undefined || option.oneOf.includes(value)) return undefined;
    const [only, ...others] = option.oneOf;
    const choice = others.length > 0 ? `one of ${option.oneOf.join(', ')}` : String(only);
    return `--${name} ${value}: must be ${choice}${option.leftOut === undefined ? '' : `; ${option.leftOut}`}`;
  }

  /** One value only: a second one would silently win over the first. The same switch twice says nothing new. */
  #setOnce(name: string, value: string | boolean): void {
    const before = this.values.get(name);
    if (before === undefined || this.#likePulumi || (before === value && typeof value === 'boolean'))
      this.values.set(name, value);
    else this.faults.push(`--${name} is given twice: give it once`);
  }
}

/** The words as flags and positionals; `=` in `-n=NS` and `-y=false` is not part of the value, which `parseArgs` does not know. */
const split = (words: readonly string[], table: OptionTable) => {
  const options = Object.fromEntries(
    Object.entries(table).map(([name, {type, short}]) => {
      const kind = type === 'boolean' ? ('boolean' as const) : ('string' as const);
      return [name, {type: kind, multiple: true, ...(short === undefined ? {} : {short})}];
    }),
  );
  const {tokens} = parseArgs({args: [...words], options, strict: false, allowPositionals: true, tokens: true});
  let done = -1;
  return tokens.flatMap((token, i) => {
    if (token.index === done) return [];
    if (token.kind !== 'option' || !isLetter(token.rawName)) return [token];
    if (token.inlineValue) return [{...token, value: token.value.replace(/^=/, '')}];
    const next = tokens[i + 1];
    if (next?.index !== token.index || next.kind !== 'option' || next.rawName !== '-=') return [token];
    done = token.index; // of `-y=false` parseArgs makes the letters y, =, f, a, l, s, e
    const [, value = ''] = /=(.*)/s.exec(words[token.index] ?? '') ?? [];
    return [{...token, value, inlineValue: true as const}];
  });
};

/** What the environment gives for a flag that is left out. As with the Pulumi CLI a switch is on for `1` and `true`, in any case. */
const fromEnvironment = (into: Collector, table: OptionTable, env: Reading['env'] = {}): void => {
  for (const [name, option] of Object.entries(table)) {
    const text = option.env === undefined ? undefined : env[option.env];
    if (text === undefined || text === '' || into.values.has(name)) continue;
    if (option.type === 'boolean') into.values.set(name, /^(1|true)$/i.test(text));
    else into.takeValue(name, option, text);
  }
};

/**
 * Reads the words after the command's name: `--flag value`, `--flag=value`, `--switch`, `--list a b`, `-n value` where the table has
 * the letter; `--` ends flags. A flag with a fault has its default.
 */
export const readOptions = <T extends OptionTable>(
  words: readonly string[],
  table: T,
  {max = 0, what, env, likePulumi = false}: Reading = {},
): {options: Parsed<T>; positionals: readonly string[]; faults: readonly string[]; given: Given} => {
  const into = new Collector(likePulumi);
  const found: string[] = [];
  const tokens = split(words, table);
  for (let token = tokens.shift(); token !== undefined; token = tokens.shift()) {
    if (token.kind === 'positional') found.push(token.value);
    if (token.kind !== 'option') continue;
    const {name, rawName, value} = token;
    const option = Object.hasOwn(table, name) ? table[name] : undefined;
    if (option === undefined) {
      into.faults.push(unknownFlag(rawName, table));
      if (value === undefined && tokens[0]?.kind === 'positional') tokens.shift(); // most likely its value
    } else if (option.type === 'boolean') into.takeSwitch(name, value ?? 'true');
    else if (value === undefined) into.faults.push(`--${name} needs a value (${option.value ?? 'VALUE'})`);
    else {
      into.takeValue(name, option, value);
      if (option.type !== 'list' || token.inlineValue === true || likePulumi) continue;
      for (let next = tokens[0]; next?.kind === 'positional'; next = tokens[0]) {
        into.takeValue(name, option, next.value); // `--rules a b c`
        tokens.shift();
      }
    }
  }
  const given = new Map([...into.values.keys()].map(name => [name, 'flag' as 'flag' | 'environment']));
  fromEnvironment(into, table, env);
  for (const name of into.values.keys()) if (!given.has(name)) given.set(name, 'environment');
  for (const surplus of found.slice(max))
    into.faults.push(`unexpected word "${surplus}"${what === undefined ? '' : `: ${what}`}`);
  const options = Object.fromEntries(
    Object.entries(table).map(([name, option]) => {
      const off = option.threeState === true ? undefined : false;
      const fallback = option.type === 'boolean' ? off : option.type === 'list' ? [] : option.default;
      return [name, into.values.get(name) ?? fallback];
    }),
  );
  return {options: options as Parsed<T>, positionals: found, faults: into.faults, given};
};

/** `readOptions` that throws UsageError naming every fault. */
export const parseOptions = <T extends OptionTable>(
  words: readonly string[],
  table: T,
  reading?: Reading,
): {options: Parsed<T>; positionals: readonly string[]} => {
  const {faults, options, positionals} = readOptions(words, table, reading);
  if (faults.length > 0) throw new UsageError(faults.join('\n'));
  return {options, positionals};
};
