// SPDX-License-Identifier: Apache-2.0
/**
 * Files that rules name: datasets, reputations and lists of checksums. Each becomes part of the rule set under a name made of its content,
 * so that a changed list is another rule set, and no two of them meet under one name.
 */
import {createHash} from 'node:crypto';
import {SIDE_FILES_MAX} from '../../limits.ts';
import {type GivenRule, tooLong} from '../rule-files.ts';
import type {LoadedFile} from './rule-file.ts';

/** By name in the rule set's folder. */
export type SideFiles = ReadonlyMap<string, Buffer>;

export const SIDE_PREFIX = 'side-';
const SETS = new Set(['dataset', 'datarep']);
const LISTS = new Set(['filemd5', 'filesha1', 'filesha256']);
const NAMES_A_FILE = /(?:dataset|datarep|filemd5|filesha1|filesha256)\s*:/i;
const LOAD = /(^|,)(\s*load\s+)([^,]*[^,\s])/;
const LIST = /^(\s*!?\s*"?)([^"]*[^"\s])/;

const nameOf = (content: Buffer): string =>
  `${SIDE_PREFIX}${createHash('sha256').update(content).digest('hex').slice(0, 20)}.lst`;

/** The rule with other values of some options; `next` gives undefined for a value that stays. */
export const withValues = (rule: string, next: (name: string, value: string) => string | undefined): string => {
  const from = rule.indexOf('(') + 1;
  const to = rule.lastIndexOf(')');
  if (to < from) return rule; // no rule: Suricata says why
  let made = rule.slice(0, from);
  let start = from;
  for (let at = from; at <= to; at++) {
    if (rule[at] === '\\' && at + 1 < to) {
      at++;
      continue;
    }
    if (at < to && rule[at] !== ';') continue;
    const option = rule.slice(start, at);
    const [, head = '', value] = /^([^:]*:)(.*)$/s.exec(option) ?? [];
    const other = value === undefined ? undefined : next(head.slice(0, -1).trim().toLowerCase(), value);
    made += (other === undefined ? option : head + other) + (at < to ? ';' : '');
    start = at + 1;
  }
  return made + rule.slice(to);
};

/** The value with another file name, or undefined when it names none. */
const renamed = (option: string, value: string, other: (name: string) => string): string | undefined => {
  if (SETS.has(option) && LOAD.test(value))
    return value.replace(LOAD, (_, before: string, verb: string, name: string) => `${before}${verb}${other(name)}`);
  if (LISTS.has(option)) return value.replace(LIST, (_, before: string, name: string) => `${before}${other(name)}`);
  return undefined;
};

export const filesNamedIn = (rule: string): string[] => {
  if (!NAMES_A_FILE.test(rule)) return [];
  const names: string[] = [];
  withValues(rule, (option, value) =>
    renamed(option, value, name => {
      names.push(name);
      return name;
    }),
  );
  return names;
};

type Lookup = (rule: GivenRule, name: string) => Promise<{readonly name: string} | string>;

const lookupIn = (files: readonly LoadedFile[], side: Map<string, Buffer>): Lookup => {
  const found = new Map<string, Promise<Buffer | string>>();
  return async ({fileIndex}, name) => {
    const key = `${fileIndex} ${name}`;
    const content = found.get(key) ?? files[fileIndex]?.beside(name) ?? Promise.resolve('it cannot be looked up');
    found.set(key, content);
    const bytes = await content;
    if (typeof bytes === 'string') return bytes;
    const placed = nameOf(bytes);
    if (!side.has(placed) && side.size >= SIDE_FILES_MAX) return `the rules name more than ${SIDE_FILES_MAX} files`;
    side.set(placed, bytes);
    return {name: placed};
  };
};

/** The rules as Suricata gets them, and the files that they name. A rule whose file is missing has that as its fault. */
export const withSideFiles = async (
  rules: readonly GivenRule[],
  files: readonly LoadedFile[],
): Promise<{readonly rules: readonly GivenRule[]; readonly side: SideFiles}> => {
  const side = new Map<string, Buffer>();
  const lookup = lookupIn(files, side);
  const placed: GivenRule[] = [];
  for (const rule of rules) {
    const names = rule.fault === undefined ? filesNamedIn(rule.text) : [];
    const others = new Map<string, string>();
    const faults: string[] = [];
    for (const name of names) {
      const found = await lookup(rule, name);
      if (typeof found === 'string') faults.push(`it names the file ${JSON.stringify(name)}: ${found}`);
      else others.set(name, found.name);
    }
    if (names.length === 0) placed.push(rule);
    else if (faults.length > 0) placed.push({...rule, fault: faults.join('; ')});
    else {
      const engineText = withValues(rule.text, (option, value) =>
        renamed(option, value, name => others.get(name) ?? name),
      );
      placed.push({...rule, engineText, fault: tooLong(engineText)});
    }
  }
  return {rules: placed, side};
};
