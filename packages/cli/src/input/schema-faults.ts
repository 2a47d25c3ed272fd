// SPDX-License-Identifier: Apache-2.0
/**
 * Whether a value that a user wrote fits a struct of the type tables: every fault at once, each with field, value and way out.
 * (The server's own decoder stops at the first one, in Go's words.)
 */
import {nearest} from '@palisade/engine/nearest';
import type {FieldType, TypeTable} from '@palisade/kube-wire';

/** How much of a value is shown. */
const SHOWN_MAX = 60;

type Scalar = Exclude<FieldType, {type: 'ref' | 'list' | 'map' | 'any'}>;
const SCALARS: Readonly<Record<Scalar['type'], {fits: (value: unknown) => boolean; must: string}>> = {
  string: {fits: value => typeof value === 'string', must: 'must be a string; write it in quotes'},
  integer: {fits: value => Number.isInteger(value), must: 'must be a whole number'},
  number: {fits: value => typeof value === 'number', must: 'must be a number'},
  boolean: {fits: value => typeof value === 'boolean', must: 'must be true or false'},
  'int-or-string': {
    fits: value => typeof value === 'string' || Number.isInteger(value),
    must: 'must be a whole number or a string',
  },
  quantity: {
    fits: value => typeof value === 'string' || typeof value === 'number',
    must: 'must be an amount, for example 500m or 4Gi',
  },
};

export const shown = (value: unknown): string => {
  const text = JSON.stringify(value) ?? 'null';
  return text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}…` : text;
};
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
export const below = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

const scalarFaults = (type: Scalar, value: unknown, path: string): string[] => {
  const {fits, must} = SCALARS[type.type];
  if (fits(value)) {
    const choices = type.type === 'string' ? type.enum : undefined;
    return choices === undefined || value === '' || choices.includes(value as string)
      ? []
      : [`${path} ${shown(value)}: must be one of ${choices.join(', ')}`];
  }
  const quoted = type.type !== 'string' && typeof value === 'string' && fits(Number(value)) && value.trim() !== '';
  const fromWord =
    type.type === 'string' && typeof value === 'boolean'
      ? ' (in YAML, n, no, off, y, yes and on are booleans too)'
      : '';
  return [`${path} ${shown(value)}: ${must}${fromWord}${quoted ? `; write ${value.trim()} without quotes` : ''}`];
};

const structFaults = (types: TypeTable, name: string, value: unknown, path: string): string[] => {
  if (!isObject(value)) return [`${path} ${shown(value)}: must be an object with fields`.trimStart()];
  const fields = types[name]?.fields ?? [];
  const known = fields.map(field => field.name);
  const unknown = Object.keys(value)
    .filter(key => !known.includes(key))
    .map(key => {
      const near = nearest(key, known);
      const wayOut = near === undefined ? `known fields are ${known.join(', ')}` : `did you mean "${near}"?`;
      return `unknown field "${below(path, key)}": ${wayOut}`;
    });
  const faults = fields.flatMap(({name: key, type, required}) => {
    const field = value[key];
    if (field === undefined || field === null) return required ? [`${below(path, key)}: required, but missing`] : [];
    return valueFaults(types, type, field, below(path, key));
  });
  return [...unknown, ...faults];
};

/** Faults of one value; `path` is how the user finds it. Null counts as absent. */
const valueFaults = (types: TypeTable, type: FieldType, value: unknown, path: string): string[] => {
  switch (type.type) {
    case 'any':
      return [];
    case 'ref':
      return structFaults(types, type.ref, value, path);
    case 'list':
      return Array.isArray(value)
        ? value.flatMap((item, i) => valueFaults(types, type.item, item, `${path}[${i}]`))
        : [`${path} ${shown(value)}: must be a list`];
    case 'map':
      return isObject(value)
        ? Object.entries(value).flatMap(([key, item]) => valueFaults(types, type.value, item, `${path}[${key}]`))
        : [`${path} ${shown(value)}: must be an object with fields`];
    default:
      return scalarFaults(type, value, path);
  }
};

/** Unknown fields, wrong types, missing fields and words outside a closed set; empty where there are none. */
export const schemaFaults: (types: TypeTable, name: string, value: unknown, path: string) => string[] = structFaults;
