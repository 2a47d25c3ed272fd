// SPDX-License-Identifier: Apache-2.0
/** Small values as YAML in blocks: how extensions and the values of an enum stand in gnostic's messages. Ref: go.yaml.in/yaml/v3 emitterc.go. */
import {encodeUntyped} from '../codec/encode.ts';
import type {Json, JsonObject} from '../schema.ts';

/** The text, with a final newline. Maps keep the order of their keys. */
export const blockYaml = (value: Json): string => `${linesOf(value).join('\n')}\n`;

function linesOf(value: Json): string[] {
  if (typeof value !== 'object' || value === null || Object.keys(value).length === 0) return [scalar(value)];
  if (Array.isArray(value)) return (value as readonly Json[]).flatMap(item => hung('- ', '  ', linesOf(item)));
  return Object.entries(value as JsonObject).flatMap(([key, member]) => {
    const lines = linesOf(member);
    const isBlock = typeof member === 'object' && member !== null && Object.keys(member).length > 0;
    return isBlock ? [`${scalar(key)}:`, ...lines.map(line => `    ${line}`)] : hung(`${scalar(key)}: `, '', lines);
  });
}

const hung = (first: string, rest: string, lines: readonly string[]): string[] =>
  lines.map((line, i) => (i === 0 ? first : rest) + line);

/** Words of YAML 1.2 that are no strings. */
const NO_STRING = /^(true|false|null)$/i;

/** Plain where it begins with a letter and has none of YAML's marks; else as JSON, which YAML reads too. */
const scalar = (value: Json): string =>
  typeof value === 'string' && /^[A-Za-z][\w./-]*( [\w./-]+)*$/.test(value) && !NO_STRING.test(value)
    ? value
    : encodeUntyped(value);
