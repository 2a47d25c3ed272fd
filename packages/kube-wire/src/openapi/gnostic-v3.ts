// SPDX-License-Identifier: Apache-2.0
/**
 * The OpenAPI v3 document of a group version as protobuf (`application/com.github.proto-openapi.spec.v3@v1.0+protobuf`):
 * what kubectl asks for before it validates. Ref: google/gnostic-models v0.7.0 openapiv3/OpenAPIv3.proto.
 */
import type {JsonObject} from '../schema.ts';
import {encodeGnostic, isReference, type Messages} from './gnostic.ts';

const orReference =
  (message: string): Messages[string] =>
  value =>
    isReference(value) ? [2, {message: 'Reference'}] : [1, {message}];

const MESSAGES: Messages = {
  Document: [
    [1, 'openapi', 'string'],
    [2, 'info', {message: 'Info'}],
    [4, 'paths', {named: 'PathItem'}],
    [5, 'components', {message: 'Components'}],
  ],
  Info: [
    [1, 'title', 'string'],
    [6, 'version', 'string'],
  ],
  Components: [
    [1, 'schemas', {named: 'SchemaOrReference'}],
    [7, 'securitySchemes', {named: 'SecuritySchemeOrReference'}],
  ],
  PathItem: [
    [4, 'get', {message: 'Operation'}],
    [5, 'put', {message: 'Operation'}],
    [6, 'post', {message: 'Operation'}],
    [7, 'delete', {message: 'Operation'}],
    [10, 'patch', {message: 'Operation'}],
    [13, 'parameters', {list: 'ParameterOrReference'}],
  ],
  Operation: [
    [1, 'tags', 'strings'],
    [3, 'description', 'string'],
    [5, 'operationId', 'string'],
    [6, 'parameters', {list: 'ParameterOrReference'}],
    [7, 'requestBody', {message: 'RequestBodyOrReference'}],
    [8, 'responses', {named: 'ResponseOrReference', field: 2}],
    [13, 'x-*', 'any'],
  ],
  ParameterOrReference: orReference('Parameter'),
  Parameter: [
    [1, 'name', 'string'],
    [2, 'in', 'string'],
    [3, 'description', 'string'],
    [4, 'required', 'bool'],
    [10, 'schema', {message: 'SchemaOrReference'}],
  ],
  RequestBodyOrReference: orReference('RequestBody'),
  RequestBody: [
    [2, 'content', {named: 'MediaType'}],
    [3, 'required', 'bool'],
  ],
  ResponseOrReference: orReference('Response'),
  Response: [
    [1, 'description', 'string'],
    [3, 'content', {named: 'MediaType'}],
  ],
  MediaType: [[1, 'schema', {message: 'SchemaOrReference'}]],
  SchemaOrReference: orReference('Schema'),
  Schema: [
    [20, 'uniqueItems', 'bool'],
    [23, 'required', 'strings'],
    [24, 'enum', 'anys'],
    [25, 'type', 'string'],
    [26, 'allOf', {list: 'SchemaOrReference'}],
    [27, 'oneOf', {list: 'SchemaOrReference'}],
    [30, 'items', {wrap: {message: 'SchemaOrReference'}}],
    [31, 'properties', {named: 'SchemaOrReference'}],
    [32, 'additionalProperties', {wrap: {message: 'SchemaOrReference'}}],
    [33, 'default', {message: 'DefaultType'}],
    [34, 'description', 'string'],
    [35, 'format', 'string'],
    [36, 'x-*', 'any'],
  ],
  /** Objects and lists have no field: they are there, without a value. */
  DefaultType: value => {
    if (typeof value === 'number') return [1, 'double'];
    if (typeof value === 'boolean') return [2, 'bool'];
    return typeof value === 'string' ? [3, 'string'] : undefined;
  },
  SecuritySchemeOrReference: orReference('SecurityScheme'),
  SecurityScheme: [
    [1, 'type', 'string'],
    [2, 'description', 'string'],
    [3, 'name', 'string'],
    [4, 'in', 'string'],
  ],
  Reference: [[1, '$ref', 'string']],
};

/** Encodes one of the documents that `openApiV3` makes. Throws for what the tables have no field for. */
export const encodeOpenApiV3Protobuf = (document: JsonObject): Buffer => encodeGnostic(MESSAGES, document);
