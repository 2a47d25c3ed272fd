// SPDX-License-Identifier: Apache-2.0
/**
 * Flags, environment and configuration file → one ServeConfig, and for every value where it is from. The first of these that gives a
 * value counts: flag, environment, file, default. Variables are settled name by name. Faults of all of them are reported together.
 */
import {resolve} from 'node:path';
import {type ServeConfig, type ServeFlags, toServeConfig} from '@palisade/server/config';
import {UsageError} from '../command-line/io.ts';
import type {Given, Option, OptionTable, Parsed} from '../command-line/options.ts';
import {serveOptions} from '../serve/serve-options.ts';
import {EXTRA_KEYS, FILE_KEYS, fileSettings, keyOfFlag} from './file-keys.ts';
import type {FileReading} from './read-file.ts';

export type ReadFlags = {
  readonly options: Parsed<typeof serveOptions>;
  readonly faults: readonly string[];
  readonly given: Given;
};

/** In words: `flag --driver`, `palisade.yaml:12`, `environment XDG_STATE_HOME` or `default`. */
export type Origin = string;
export const DEFAULT_ORIGIN: Origin = 'default';

export type Settled = {
  readonly config: ServeConfig;
  /** By key, and by field of `limits` (`limits.records`), in the form of the file; undefined: nobody gives a value. */
  readonly values: ReadonlyMap<string, unknown>;
  /** Of each of them, and of each variable (`vars.DNS_SERVERS`). */
  readonly origins: ReadonlyMap<string, Origin>;
  /** A message about flags, about keys where a value is from the file. */
  readonly inFileWords: (message: string) => string;
};

type Context = {readonly env: Readonly<Record<string, string | undefined>>; readonly cwd: string};
const DEFAULT_SET = 'default';
const OPTIONS: OptionTable = serveOptions;

const nameOfVariable = (word: string): string => word.split('=', 1)[0] ?? '';

/** A value of the file as a flag says it. */
const asFlag = (value: unknown): string | boolean | readonly string[] => {
  if (typeof value === 'boolean') return value;
  if (Array.isArray(value)) return value.map(String);
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value).map(([name, text]) => `${name}=${text}`);
};

/** A value of a flag as the file has it. */
const asValue = (value: unknown, {inFile, type, completes}: Option, cwd: string): unknown => {
  if (inFile === 'map' && Array.isArray(value))
    return Object.fromEntries(value.map(word => [nameOfVariable(word), word.slice(nameOfVariable(word).length + 1)]));
  const isPath = completes === 'file' || completes === 'folder';
  const absolute = (word: string): string => (isPath && !/^https?:\/\//i.test(word) ? resolve(cwd, word) : word);
  if (Array.isArray(value)) {
    const isSplit = !isPath && inFile === undefined; // NAME,NAME
    return isSplit ? value.flatMap(word => String(word).split(',')).filter(word => word !== '') : value.map(absolute);
  }
  if (typeof value !== 'string') return value;
  return type === 'string' && (inFile === 'number' || inFile === 'count') ? Number(value) : absolute(value);
};

const inPlace = ({name, places}: FileReading, path: string): Origin => `${name}:${places.get(path)?.keyLine ?? 1}`;

/** What the flags say with what the file says for those that were left out. */
const mergedFlags = ({options, given}: ReadFlags, file: FileReading | undefined) => {
  const merged: Record<string, unknown> = {...options};
  const origins = new Map<string, Origin>();
  for (const [flag, option] of Object.entries(OPTIONS)) {
    const key = keyOfFlag(flag, option);
    const from = given.get(flag);
    const value = file?.values[key];
    if (from !== undefined) origins.set(key, from === 'flag' ? `flag --${flag}` : `environment ${option.env}`);
    else origins.set(key, file === undefined || value === undefined ? DEFAULT_ORIGIN : inPlace(file, key));
    if (option.inFile === 'map') {
      const own = merged[flag] as readonly string[];
      const names = new Set(own.map(nameOfVariable));
      for (const name of names) origins.set(`${key}.${name}`, `flag --${flag}`);
      const others =
        value === undefined ? [] : (asFlag(value) as string[]).filter(word => !names.has(nameOfVariable(word)));
      for (const word of others)
        if (file !== undefined)
          origins.set(`${key}.${nameOfVariable(word)}`, inPlace(file, `${key}.${nameOfVariable(word)}`));
      merged[flag] = [...others, ...own];
    } else if (from === undefined && value !== undefined) merged[flag] = asFlag(value);
  }
  return {merged, origins};
};

/** Rule files of a flag replace the default set of the file. */
const extraValues = (file: FileReading | undefined, given: Given): Readonly<Record<string, unknown>> => {
  const all = Object.fromEntries(Object.keys(EXTRA_KEYS).map(key => [key, file?.values[key]]));
  const sets = all['ruleSets'];
  if (!given.has('rules') || !Array.isArray(sets)) return all;
  return {...all, ruleSets: sets.filter(({name}: {name: unknown}) => name !== DEFAULT_SET)};
};

/** Paths of values of the file, the longest first, for a message that begins with one of them. */
const pathIn = (message: string, {places}: FileReading): string | undefined => {
  const [path = ''] = /^[A-Za-z0-9_.[\]-]+/.exec(message) ?? [];
  for (let end = path.length; end > 0; end -= 1) {
    const part = path.slice(0, end);
    if (places.has(part)) return part;
  }
  return undefined;
};

const wordsOf = (file: FileReading | undefined, origins: ReadonlyMap<string, Origin>) => {
  if (file === undefined) return (message: string): string => message;
  const keys = new Map(Object.entries(OPTIONS).map(([flag, option]) => [flag, keyOfFlag(flag, option)]));
  const isOfFile = (path: string): boolean => origins.get(path)?.startsWith(`${file.name}:`) === true;
  const at = (path: string): string => {
    const {line, column} = file.places.get(path) ?? {line: 1, column: 1};
    return `${file.name}:${line}:${column}: `;
  };
  const line = (text: string): string => {
    let first: string | undefined;
    const said = text.replace(
      /--([a-z][a-z0-9-]*)(?: ([^\s=]+)(?==| is given))?/g,
      (whole, flag: string, name?: string) => {
        const key = keys.get(flag);
        if (key === undefined) return whole;
        const path = name === undefined ? key : `${key}.${name}`;
        // What is to be set in addition to a key of the file is set there too.
        const belongsInFile = first !== undefined && origins.get(path) === DEFAULT_ORIGIN;
        if (!isOfFile(path) && !belongsInFile) return whole;
        first ??= path;
        return name === undefined ? key : `${key} ${name}`;
      },
    );
    if (first !== undefined) return `${at(first)}${said}`;
    const path = pathIn(text, file);
    return path === undefined ? text : `${at(path)}${text}`;
  };
  return (message: string): string => message.split('\n').map(line).join('\n');
};

const shownValues = (
  merged: Readonly<Record<string, unknown>>,
  extra: Readonly<Record<string, unknown>>,
  cwd: string,
) => {
  const values = new Map<string, unknown>();
  for (const [key, {flag, shape, refused}] of Object.entries(FILE_KEYS)) {
    if (refused !== undefined) continue;
    if (flag !== undefined) values.set(key, asValue(merged[flag], OPTIONS[flag] as Option, cwd));
    else if (shape.kind !== 'object') values.set(key, extra[key] ?? []);
    else {
      const fields = (extra[key] ?? {}) as Readonly<Record<string, unknown>>;
      for (const field of Object.keys(shape.fields)) values.set(`${key}.${field}`, fields[field]);
    }
  }
  return values;
};

const extraOrigins = (file: FileReading | undefined, values: ReadonlyMap<string, unknown>): [string, Origin][] =>
  [...values.keys()]
    .filter(path => FILE_KEYS[path]?.flag === undefined)
    .map(path => [path, file?.places.has(path) === true ? inPlace(file, path) : DEFAULT_ORIGIN]);

/** It may be one of those that have faults. */
const UNKNOWN_SET = /^ruleBindings\[\d+\]\.set .*: no rule set has this name/;

/** Throws UsageError with all faults: of the words, of the file, and of what both say together. `onMissing`: as of toServeConfig. */
export const settle = (
  read: ReadFlags,
  file: FileReading | undefined,
  {env, cwd}: Context,
  onMissing?: (fault: string) => void,
): Settled => {
  const {merged, origins} = mergedFlags(read, file);
  const extra = extraValues(file, read.given);
  const values = shownValues(merged, extra, cwd);
  for (const [path, origin] of extraOrigins(file, values)) if (!origins.has(path)) origins.set(path, origin);
  const inFileWords = wordsOf(file, origins);
  const faults = [...read.faults, ...(file?.faults ?? [])];
  const flags = {...merged, inFile: fileSettings(extra)} as ServeFlags;
  try {
    return {config: toServeConfig(flags, env, cwd, faults, onMissing), values, origins, inFileWords};
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    const lines = error.message.split('\n');
    const hasFaultySet = file?.faults.some(fault => fault.includes(' ruleSets')) === true;
    const known = faults.length === 0 ? 0 : faults.join('\n').split('\n').length;
    const own = lines.slice(known).filter(line => !(hasFaultySet && UNKNOWN_SET.test(line)));
    throw new UsageError([...lines.slice(0, known), ...own.map(inFileWords)].join('\n'), {cause: error});
  }
};
