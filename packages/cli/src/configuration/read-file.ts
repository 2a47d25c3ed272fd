// SPDX-License-Identifier: Apache-2.0
/** A configuration file: its values by key, where each of them is, and every fault with line and column. */
import {readFile, stat} from 'node:fs/promises';
import {dirname, resolve} from 'node:path';
import {whyUnreadable} from '@palisade/engine/file-faults';
import {depthFault, yamlFaults} from '@palisade/engine/yaml-faults';
import {type Document, isMap, isScalar, LineCounter, parseDocument} from 'yaml';
import {type Place, ValueChecker} from './check-value.ts';
import {FILE_KEYS, type FileKeys} from './file-keys.ts';

const FILE_BYTES_MAX = 1024 * 1024;

export type FileReading = {
  /** As the user names it. */
  readonly name: string;
  /** By key; without those that have a fault. */
  readonly values: Readonly<Record<string, unknown>>;
  /** By path, such as `ruleSets[0].name`. */
  readonly places: ReadonlyMap<string, Place>;
  /** One line each. */
  readonly faults: readonly string[];
};

/** `name`: the path, relative to `cwd`. `said`: how the user named it, for a file that cannot be read. */
export const readConfigurationFile = async (
  name: string,
  cwd: string,
  said: string,
  keys: FileKeys = FILE_KEYS,
): Promise<FileReading> => {
  const path = resolve(cwd, name);
  const nothing = (fault: string): FileReading => ({name, values: {}, places: new Map(), faults: [fault]});
  try {
    const {size} = await stat(path);
    if (size > FILE_BYTES_MAX)
      return nothing(`${said} ${name}: has ${size} bytes, at most ${FILE_BYTES_MAX} are read; name a smaller file`);
    return parseConfiguration(await readFile(path, 'utf8'), name, dirname(path), keys);
  } catch (error) {
    return nothing(`${said} ${name}: cannot be read: ${whyUnreadable(error)}`);
  }
};

/** A tag is taken for a local one and dropped, as of `!10.1.0.0/16`. */
const tagFaults = ({warnings}: Document, lines: LineCounter): string[] =>
  warnings.map(({pos: [at], message}) => {
    const {line, col} = lines.linePos(at);
    return `${line}:${col}: ${message}: write a text that begins with ! in quotes`;
  });

/** `folder`: that of the file. */
export const parseConfiguration = (
  text: string,
  name: string,
  folder: string,
  keys: FileKeys = FILE_KEYS,
): FileReading => {
  const tooDeep = depthFault(text);
  if (tooDeep !== undefined) return {name, values: {}, places: new Map(), faults: [`${name}:${tooDeep}`]};
  const lines = new LineCounter();
  const document = parseDocument(text, {lineCounter: lines, prettyErrors: false, uniqueKeys: true});
  const at = (fault: string): string => `${name}:${fault}`;
  const syntax = [...yamlFaults([document], lines), ...tagFaults(document, lines)].map(at);
  // Of a text that is no YAML the tree is a guess.
  if (document.errors.some(({code}) => code !== 'DUPLICATE_KEY'))
    return {name, values: {}, places: new Map(), faults: syntax};
  const checker = new ValueChecker(document, lines, folder);
  const root = document.contents;
  if (root === null || (isScalar(root) && root.value === null))
    return {name, values: {}, places: new Map(), faults: syntax};
  if (!isMap(root)) {
    const fault = at('1:1: must be a mapping of keys to values, such as driver: relay');
    return {name, values: {}, places: new Map(), faults: [...syntax, fault]};
  }
  const shapes = Object.fromEntries(Object.entries(keys).map(([key, {shape}]) => [key, shape]));
  const found = checker.fields(root, shapes, '', key => keys[key]?.refused);
  const faults = checker.faults.map(({place: {line, column}, text: said}) => at(`${line}:${column}: ${said}`));
  const values = Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined));
  return {name, values, places: checker.places, faults: [...syntax, ...faults]};
};
