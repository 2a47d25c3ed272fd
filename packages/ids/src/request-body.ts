// SPDX-License-Identifier: Apache-2.0
/** Bodies of our own methods, which no schema decodes. */
import type {FieldViolation} from '@palisade/ids-wire';
import {invalidArgument} from './rpc-error.ts';

export type Body = Readonly<Record<string, unknown>>;

export const isObject = (body: unknown): body is Body =>
  typeof body === 'object' && body !== null && !Array.isArray(body);

export const NO_OBJECT: FieldViolation = {field: 'body', description: 'must be a JSON object'};

/** Throws INVALID_ARGUMENT for what is no object of JSON. */
export const objectOf = (body: unknown): Body => {
  if (isObject(body)) return body;
  throw invalidArgument([NO_OBJECT]);
};

export const unknownFields = (body: object, known: readonly string[]): FieldViolation[] =>
  Object.keys(body)
    .filter(name => !known.includes(name))
    .map(name => ({field: name, description: `Unknown name "${name}": Cannot find field.`}));
