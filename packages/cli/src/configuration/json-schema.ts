// SPDX-License-Identifier: Apache-2.0
/** The JSON schema of a configuration file, for editors: from the same table as its check. */
import {FILE_KEYS, type FileKeys} from './file-keys.ts';
import {type Fields, type Shape, UNIT_PATTERNS} from './shape.ts';

type Schema = Readonly<Record<string, unknown>>;

const objectOf = (fields: Fields): Schema => {
  const required = Object.entries(fields).flatMap(([name, field]) => (field.required === true ? [name] : []));
  return {
    type: 'object',
    properties: Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, schemaOf(field)])),
    ...(required.length === 0 ? {} : {required}),
    additionalProperties: false,
  };
};

const typeOf = (shape: Shape): Schema => {
  switch (shape.kind) {
    case 'text':
      return {
        type: shape.orNumber === true ? ['string', 'number'] : 'string',
        minLength: 1,
        ...(shape.oneOf === undefined ? {} : {enum: shape.oneOf}),
        ...(shape.pattern === undefined ? {} : {pattern: `^(?:${shape.pattern.source.replaceAll('a-f', 'a-fA-F')})$`}),
      };
    case 'number':
      return {
        type: shape.isWhole === true ? 'integer' : 'number',
        ...(shape.min === undefined ? {} : {minimum: shape.min}),
      };
    case 'flag':
      return {type: 'boolean'};
    case 'size':
      return {type: ['string', 'integer'], pattern: UNIT_PATTERNS.size, exclusiveMinimum: 0};
    case 'duration':
      return {type: 'string', pattern: UNIT_PATTERNS.duration};
    case 'list':
      return {type: 'array', items: schemaOf(shape.of), ...(shape.isFilled === true ? {minItems: 1} : {})};
    case 'map':
      return {type: 'object', additionalProperties: schemaOf(shape.of)};
    case 'object':
      return objectOf(shape.fields);
  }
};

const schemaOf = (shape: Shape): Schema => ({
  ...(shape.doc === undefined ? {} : {description: shape.doc}),
  ...typeOf(shape),
});

export const configurationSchema = (keys: FileKeys = FILE_KEYS): Schema => {
  const shown = Object.entries(keys).filter(([, {refused}]) => refused === undefined);
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Configuration file of palisade serve',
    ...objectOf(Object.fromEntries(shown.map(([key, {shape}]) => [key, shape]))),
  };
};
