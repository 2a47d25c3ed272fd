// SPDX-License-Identifier: Apache-2.0
/**
 * Parts of suricata.yaml of users. Only sections that palisade leaves to them are taken; lists of reputations that they name become files of
 * the rule set.
 */
import {readFile, stat} from 'node:fs/promises';
import {dirname, relative, resolve} from 'node:path';
import {isAlias, isMap, isNode, parseAllDocuments, visit} from 'yaml';
import {SETTINGS_BYTES_MAX} from '../../limits.ts';
import {messageOf, systemCode} from '../../sensor-error.ts';
import {merge, type Sections} from '../../suricata/settings/sections.ts';
import {besideOnDisk} from '../source/beside.ts';
import {OPEN_SECTIONS, OWNED_SECTIONS} from './owned-sections.ts';

export type Included = {
  readonly sections: Sections;
  /** Lists of reputations, by name in the rule set's folder. */
  readonly side: ReadonlyMap<string, Buffer>;
};
export const NOTHING_INCLUDED: Included = {sections: {}, side: new Map()};

const ALIASES_MAX = 100;
const CATEGORIES = 'reputation-categories-file';
const LISTS = 'reputation-files';
const REPUTATION_FOLDER = 'default-reputation-path';
/** Suricata reads the names of these files once, and their content at each reload: so the names stay. */
const CATEGORIES_NAME = 'iprep-categories.txt';
const listName = (index: number): string => `iprep-${index}.list`;

const isSections = (value: unknown): value is Sections =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Suricata reads another file for this key, at every depth. Ref: Suricata 7 conf-yaml-loader.c. */
const includesFile = (value: unknown): boolean =>
  Array.isArray(value)
    ? value.some(includesFile)
    : isSections(value) && (Object.hasOwn(value, 'include') || Object.values(value).some(includesFile));

type Reading = {readonly sections: Sections; readonly faults: readonly string[]};

const TOO_DEEP = /Maximum call stack size exceeded/;

/** The sections, or what is wrong with the file. */
export const parseInclude = (text: string): Reading => {
  const tooDeep: Reading = {sections: {}, faults: ['is nested too deeply']};
  try {
    const reading = readInclude(text);
    return reading.faults.some(fault => TOO_DEEP.test(fault)) ? tooDeep : reading;
  } catch (error) {
    if (error instanceof RangeError && TOO_DEEP.test(error.message)) return tooDeep;
    throw error;
  }
};

const readInclude = (text: string): Reading => {
  // Every scalar stays a string, as Suricata reads them.
  const documents = parseAllDocuments(text.replace(/^%YAML 1\.1\s*\n/, ''), {schema: 'failsafe', prettyErrors: true});
  const [document] = Array.isArray(documents) ? documents : [];
  if (document === undefined) return {sections: {}, faults: []};
  if (documents.length > 1) return {sections: {}, faults: ['holds more than one YAML document']};
  const [error] = document.errors;
  if (error !== undefined) return {sections: {}, faults: [`not YAML: ${error.message.split('\n')[0]}`]};
  const faults: string[] = [];
  visit(document, (_, node) => {
    if (isNode(node) && !isAlias(node) && node.tag !== undefined && !node.tag.startsWith('tag:yaml.org,2002:'))
      faults.push(`the tag ${node.tag} is not allowed: give each file to --suricata-include`);
  });
  if (faults.length > 0) return {sections: {}, faults};
  if (document.contents === null) return {sections: {}, faults};
  if (!isMap(document.contents)) return {sections: {}, faults: ['must be sections of suricata.yaml, such as "flow:"']};
  try {
    const sections = document.toJS({maxAliasCount: ALIASES_MAX}) as Sections;
    if (includesFile(sections)) faults.push('the key include is not allowed: give each file to --suricata-include');
    return {sections, faults};
  } catch (thrown) {
    return {sections: {}, faults: [`not YAML: ${messageOf(thrown)}`]};
  }
};

const at = (sections: Sections, path: string): boolean => {
  let value: unknown = sections;
  for (const key of path.split('.')) {
    if (!isSections(value) || !Object.hasOwn(value, key)) return false;
    value = value[key];
  }
  return true;
};

/** One for each section that cannot be included. */
export const sectionFaults = (sections: Sections): string[] => {
  const owned = Object.entries(OWNED_SECTIONS).flatMap(([path, why]) =>
    at(sections, path) ? [`${path} cannot be included: ${why}`] : [],
  );
  const unknown = Object.keys(sections).filter(
    key => !OPEN_SECTIONS.includes(key) && !Object.hasOwn(OWNED_SECTIONS, key),
  );
  const open = OPEN_SECTIONS.join(', ');
  return [...owned, ...unknown.map(key => `${key} cannot be included; sections that can: ${open}`)];
};

const readOne = async (path: string): Promise<{readonly sections: Sections; readonly faults: readonly string[]}> => {
  try {
    if ((await stat(path)).size > SETTINGS_BYTES_MAX)
      return {sections: {}, faults: [`larger than ${SETTINGS_BYTES_MAX} bytes`]};
    const {sections, faults} = parseInclude(await readFile(path, 'utf8'));
    return {sections, faults: faults.length > 0 ? faults : sectionFaults(sections)};
  } catch (error) {
    return {sections: {}, faults: [systemCode(error) === 'ENOENT' ? 'no such file' : messageOf(error)]};
  }
};

/** The sections with reputation files under the names that they have in the rule set. */
const withReputation = async (
  sections: Sections,
  path: string,
  side: Map<string, Buffer>,
  faults: string[],
): Promise<Sections> => {
  const {[CATEGORIES]: categories, [LISTS]: lists, [REPUTATION_FOLDER]: folder, ...rest} = sections;
  const named = [categories, ...(Array.isArray(lists) ? lists : [lists])].filter(value => value !== undefined);
  if (named.length === 0) return rest;
  const root = dirname(path);
  const below = typeof folder === 'string' ? relative(root, resolve(root, folder)) : '';
  const beside = besideOnDisk(root, path);
  const place = async (value: unknown, name: string): Promise<string> => {
    const text = String(value);
    const found = await beside(below === '' || text.startsWith('/') ? text : `${below}/${text}`);
    if (typeof found === 'string') faults.push(`it names the file ${JSON.stringify(text)}: ${found}`);
    else side.set(name, found);
    return name;
  };
  const made: Record<string, unknown> = {...rest, [REPUTATION_FOLDER]: '/proc/self/cwd'};
  if (categories !== undefined) made[CATEGORIES] = `/proc/self/cwd/${await place(categories, CATEGORIES_NAME)}`;
  const all = Array.isArray(lists) ? lists : lists === undefined ? [] : [lists];
  const names: string[] = [];
  for (const [index, list] of all.entries()) names.push(await place(list, listName(index)));
  if (all.length > 0) made[LISTS] = names;
  return made;
};

/** All files, later ones over earlier ones. `faults`: one each, beginning with the file. */
export const readIncludes = async (
  paths: readonly string[],
): Promise<{readonly included: Included; readonly faults: readonly string[]}> => {
  const side = new Map<string, Buffer>();
  const faults: string[] = [];
  let sections: Sections = {};
  for (const path of paths) {
    const one = await readOne(path);
    const own: string[] = [...one.faults];
    if (own.length === 0) sections = merge(sections, await withReputation(one.sections, path, side, own));
    faults.push(...own.map(fault => `${path}: ${fault}`));
  }
  return {included: {sections, side}, faults};
};
