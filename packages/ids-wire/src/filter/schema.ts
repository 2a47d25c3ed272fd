// SPDX-License-Identifier: Apache-2.0
/** What a list knows of its items: which fields there are, of what kind, and how to read them. */
import {toSnakeCase} from '../endpoint-json.ts';
import {similarNames} from './similar-names.ts';

/** The only texts that a field can hold. `is`: what they are, for the message that refuses another. */
export type TextForm = {readonly pattern: RegExp; readonly is: string};

/**
 * How a field compares. `enum`: by exact name, ordered by position only where `ordered`; `number`: whole numbers from `min` to `max`,
 * also those that are kept as strings; `timestamp`: RFC 3339 text; `ip`: addresses by value, and CIDR blocks (`mayBeEmpty`: an item may
 * have none); `map`: string to string; `list`: of strings, where `:` looks for an equal element, and for a piece of those that match
 * `freeText`. A `form` narrows what a string, or an element of a list, can be.
 */
export type FieldKind =
  | {readonly kind: 'string'; readonly form?: TextForm}
  | {readonly kind: 'number'; readonly min: number; readonly max: number}
  | {readonly kind: 'ip'; readonly mayBeEmpty?: true}
  | {readonly kind: 'bool'}
  | {readonly kind: 'timestamp'}
  | {readonly kind: 'enum'; readonly values: readonly string[]; readonly ordered: boolean}
  | {readonly kind: 'map'}
  | {readonly kind: 'list'; readonly form?: TextForm; readonly freeText?: RegExp};

/** `get` returns undefined where the item holds the default. */
export type ListField<T> = FieldKind & {readonly get: (item: T) => unknown};

export type ListSchema<T> = {
  /** Paths such as `createTime` or `metadata.target`; found in camelCase and in snake_case. */
  readonly fields: ReadonlyMap<string, ListField<T>>;
  /** The texts that a bare literal is looked for in. */
  readonly texts: (item: T) => readonly string[];
};

/** Builds a schema from camelCase paths; each is found by its snake_case spelling too. */
export const listSchema = <T>(
  fields: Readonly<Record<string, ListField<T>>>,
  texts: (item: T) => readonly string[],
): ListSchema<T> => ({
  fields: new Map(
    Object.entries(fields).flatMap(([path, field]) => [
      [path, field] as const,
      [path.split('.').map(toSnakeCase).join('.'), field] as const,
    ]),
  ),
  texts,
});

export type FoundField<T> = {
  readonly field: ListField<T> /** The key below a map. */;
  readonly key: string | undefined;
};

/** The field of a path; the last segment may be the key of a map (which may hold dots only when quoted). */
export const findField = <T>(schema: ListSchema<T>, path: readonly string[]): FoundField<T> | undefined => {
  const field = schema.fields.get(path.join('.'));
  if (field !== undefined) return {field, key: undefined};
  const map = schema.fields.get(path.slice(0, -1).join('.'));
  const key = path.at(-1);
  return map?.kind === 'map' && key !== undefined && path.length > 1 ? {field: map, key} : undefined;
};

/** Names of the fields, in snake_case. */
export const fieldNames = <T>(schema: ListSchema<T>): readonly string[] =>
  [...schema.fields.keys()].filter(name => name === toSnakeCase(name));

/** What a message says of a path that no field has, with the fields that it may stand for, spelled as it is. */
export const noField = <T>(schema: ListSchema<T>, path: string): string => {
  const word = toSnakeCase(path);
  const parts = fieldNames(schema).filter(name => name.includes(word));
  const similar = parts.length > 0 ? parts : similarNames(word, fieldNames(schema));
  const shown =
    word === path ? similar : similar.map(name => name.replace(/_([a-z])/g, (_, c: string) => c.toUpperCase()));
  const hint = shown.length > 0 && shown.length <= HINTS_MAX ? `; did you mean ${shown.join(' or ')}?` : '';
  return `there is no field "${path}"${hint}`;
};
const HINTS_MAX = 3;
