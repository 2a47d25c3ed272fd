// SPDX-License-Identifier: Apache-2.0
/** What Suricata says of files under names that only we know, in the names that the user gave. */
import type {GivenRule} from '../rule-files.ts';
import {filesNamedIn, type SideFiles} from './side-files.ts';

/** Names of the user by names in the rule set's folder. */
export type UserNames = ReadonlyMap<string, string>;

const PLACE = /(?:\/proc\/self\/cwd\/|\.\/)?(?:each\/)?(side-[0-9a-f]{20}\.lst)/g;
/** `dataset data parse failed NAME/FILE: VALUE`. Ref: Suricata 7 datasets.c. */
const PARSE_FAILED =
  /dataset data parse failed (\S*?)\/(?:\/proc\/self\/cwd\/)?(?:each\/)?(side-[0-9a-f]{20}\.lst): (.*)$/s;
/** `bad base64 encoding NAME/FILE` and others: the line is not named. */
const OF_DATASET = /([a-z][a-z0-9 ]*?) ([^\s/'"]+)\/(?:\/proc\/self\/cwd\/)?(?:each\/)?(side-[0-9a-f]{20}\.lst)/g;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/;
const SHOWN_MAX = 80;

const shown = (value: string): string => JSON.stringify(value.slice(0, SHOWN_MAX));

const linesOf = (content: Buffer | undefined): string[] =>
  (content?.toString() ?? '').split('\n').map(line => line.replace(/\r$/, ''));

type Place = {readonly words: string; readonly line: string};

/** `names.lst, line 3: "x"` of the first line that the test finds; undefined: it finds no line. */
const placeOf = (name: string, content: Buffer | undefined, isIt: (line: string) => boolean): Place | undefined => {
  const lines = linesOf(content);
  const at = lines.findIndex(line => line !== '' && isIt(line));
  const line = lines[at];
  return line === undefined ? undefined : {words: `${name}, line ${at + 1}: ${shown(line)}`, line};
};

/** Of the files that the rules name. */
export const userNamesOf = (rules: readonly Pick<GivenRule, 'text' | 'engineText'>[]): UserNames =>
  new Map(
    rules.flatMap(({text, engineText}): [string, string][] => {
      if (text === engineText) return [];
      const own = filesNamedIn(text);
      return filesNamedIn(engineText).map((placed, at) => [placed, own[at] ?? placed]);
    }),
  );

/** The words of Suricata with the names of the user, and with the faulty value where it can be known. */
export const inUserNames = (words: string, names: UserNames, side: SideFiles): string => {
  const nameOf = (placed: string): string => names.get(placed) ?? placed;
  return words
    .replace(PARSE_FAILED, (_, dataset: string, placed: string, value: string) => {
      const name = nameOf(placed);
      // Suricata says an address up to its comma, and perhaps more after the value
      const isOf = (line: string): boolean =>
        value === line || value.startsWith(`${line}; `) || line.startsWith(`${value},`);
      const place = placeOf(name, side.get(placed), isOf);
      const more = value.slice(place?.line.length ?? value.length);
      return `${place?.words ?? `${name}: ${shown(value)}`} is not a value of the type of dataset "${dataset}"${more}`;
    })
    .replace(OF_DATASET, (_, what: string, dataset: string, placed: string) => {
      const name = nameOf(placed);
      const place = what.endsWith('base64 encoding')
        ? placeOf(name, side.get(placed), line => !BASE64.test(line.split(',')[0] ?? ''))
        : undefined;
      return place === undefined
        ? `${what.replace(/ for$/, '')} in ${name} of dataset "${dataset}"`
        : `${place.words} is not base64, in which strings of dataset "${dataset}" are written`;
    })
    .replace(PLACE, (_, placed: string) => nameOf(placed));
};
