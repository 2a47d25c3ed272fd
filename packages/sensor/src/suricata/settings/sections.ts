// SPDX-License-Identifier: Apache-2.0
/** Sections of suricata.yaml as values: maps, lists and strings. */
import {parse, stringify} from 'yaml';

export type Sections = {readonly [key: string]: unknown};

const isMap = (value: unknown): value is Sections =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Maps are merged at every depth; a list or a word of `over` replaces that of `base`. */
export const merge = (base: Sections, over: Sections): Sections => {
  const made: Record<string, unknown> = {...base};
  for (const [key, value] of Object.entries(over)) {
    const before = made[key];
    Object.defineProperty(made, key, {
      value: isMap(before) && isMap(value) ? merge(before, value) : value,
      ...{enumerable: true, writable: true, configurable: true},
    });
  }
  return made;
};

const HEAD = '%YAML 1.1\n---\n';

/** A configuration with sections over its own. Without any it stays as it is, letter for letter. */
export const withSections = (config: string, sections: Sections): string => {
  if (Object.keys(sections).length === 0) return config;
  // Every scalar stays a string, as Suricata reads them.
  const base = parse(config.slice(config.indexOf('---\n') + '---\n'.length), {schema: 'failsafe'}) as Sections;
  return `${HEAD}# Made by palisade; changes are overwritten.\n${stringify(merge(base, sections), {schema: 'failsafe', lineWidth: 0})}`;
};
