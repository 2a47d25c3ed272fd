// SPDX-License-Identifier: Apache-2.0
/**
 * Where the contents of a rule are: in the payload, or in a field of its protocol. They are found by their text alone, without the
 * offsets and distances of the rule, so a short content may be found at more places than Suricata looked at.
 */
import type {Range} from './bytes.ts';
import type {RuleContent} from './rule-text.ts';

/** `http.url`, as EVE has it. */
export type NamedText = {readonly path: string; readonly text: string};
/** Where one content was found. */
export type Found = {readonly ranges: readonly Range[]; readonly fields: readonly string[]};
export type Matches = {
  /** By the index of the content; none of negated ones. */
  readonly found: ReadonlyMap<number, Found>;
  /** In the payload, all of them. */
  readonly ranges: readonly Range[];
};

/** How many of the contents of a rule were found, in a sentence. `wanted`: not 0, and not the negated ones. */
export function foundText(found: number, wanted: number): string {
  if (wanted === 1)
    return found === 1
      ? 'The text that the rule looks for was found in the stored data and is marked.'
      : 'The text that the rule looks for was not found in the stored data.';
  if (found === 0) return `The ${wanted} texts that the rule looks for were not found in the stored data.`;
  const were =
    found === 1 ? 'was found in the stored data and is marked' : 'were found in the stored data and are marked';
  return found === wanted
    ? `All ${wanted} texts that the rule looks for ${were}.`
    : `${found} of the ${wanted} texts that the rule looks for ${were}.`;
}

/** Of one content; a payload of one letter would be all marks. */
const PLACES_MAX = 100;

const lower = (byte: number): number => (byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte);

/** Not overlapping. */
export function placesOf(bytes: Uint8Array, wanted: Uint8Array, isNoCase: boolean): readonly Range[] {
  const fold = isNoCase ? lower : (byte: number): number => byte;
  const [hay, needle] = [bytes.map(fold), wanted.map(fold)];
  const ranges: Range[] = [];
  if (needle.length === 0) return ranges;
  for (let at = 0; at + needle.length <= hay.length && ranges.length < PLACES_MAX; at++) {
    if (hay[at] !== needle[0] || !needle.every((byte, index) => hay[at + index] === byte)) continue;
    ranges.push({start: at, end: at + needle.length});
    at += needle.length - 1;
  }
  return ranges;
}

/** `http.uri` is looked for in the fields of `http`. */
const layerOf = (buffer: string): string => /^[a-z0-9]+/.exec(buffer)?.[0] ?? '';

export function matchesOf(
  contents: readonly RuleContent[],
  payload: Uint8Array | undefined,
  fields: readonly NamedText[],
): Matches {
  const found = new Map<number, Found>();
  const encoder = new TextEncoder();
  for (const {index, bytes, isNoCase, isNegated, buffer} of contents) {
    if (isNegated) continue;
    const ranges = payload === undefined ? [] : placesOf(payload, bytes, isNoCase);
    const layer = layerOf(buffer);
    const inFields = fields.filter(
      ({path, text}) =>
        // Buffers may be normalised, such as names in lower case.
        layer !== '' && layerOf(path) === layer && placesOf(encoder.encode(text), bytes, true).length > 0,
    );
    if (ranges.length > 0 || inFields.length > 0) found.set(index, {ranges, fields: inFields.map(({path}) => path)});
  }
  return {found, ranges: [...found.values()].flatMap(({ranges}) => ranges)};
}
