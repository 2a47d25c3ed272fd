// SPDX-License-Identifier: Apache-2.0
/**
 * The OpenAPI v2 document as protobuf (`application/com.github.proto-openapi.spec.v2@v1.0+protobuf`): what kubectl and
 * client-go ask for first. Ref: google/gnostic-models v0.7.0 openapiv2/OpenAPIv2.proto.
 */
import type {JsonObject} from '../schema.ts';
import {encodeGnostic, isReference, type Messages} from './gnostic.ts';

const MESSAGES: Messages = {
  Document: [
    [1, 'swagger', 'string'],
    [2, 'info', {message: 'Info'}],
    [8, 'paths', {named: 'PathItem', field: 2}],
    [9, 'definitions', {named: 'Schema'}],
    [10, 'parameters', {named: 'Parameter'}],
    [12, 'security', {list: 'SecurityRequirement'}],
    [13, 'securityDefinitions', {named: 'SecurityDefinition'}],
  ],
  Info: [
    [1, 'title', 'string'],
    [2, 'version', 'string'],
  ],
  PathItem: [
    [2, 'get', {message: 'Operation'}],
    [3, 'put', {message: 'Operation'}],
    [4, 'post', {message: 'Operation'}],
    [5, 'delete', {message: 'Operation'}],
    [8, 'patch', {message: 'Operation'}],
    [9, 'parameters', {list: 'ParametersItem'}],
  ],
  Operation: [
    [1, 'tags', 'strings'],
    [3, 'description', 'string'],
    [5, 'operationId', 'string'],
    [6, 'produces', 'strings'],
    [7, 'consumes', 'strings'],
    [8, 'parameters', {list: 'ParametersItem'}],
    [9, 'responses', {named: 'ResponseValue'}],
    [10, 'schemes', 'strings'],
    [13, 'x-*', 'any'],
  ],
  ParametersItem: value => (isReference(value) ? [2, {message: 'JsonReference'}] : [1, {message: 'Parameter'}]),
  JsonReference: [[1, '$ref', 'string']],
  Parameter: value =>
    (value as JsonObject)['in'] === 'body' ? [1, {message: 'BodyParameter'}] : [2, {message: 'NonBodyParameter'}],
  NonBodyParameter: value =>
    (value as JsonObject)['in'] === 'path' ? [4, {message: 'PathParameter'}] : [3, {message: 'QueryParameter'}],
  BodyParameter: [
    [1, 'description', 'string'],
    [2, 'name', 'string'],
    [3, 'in', 'string'],
    [4, 'required', 'bool'],
    [5, 'schema', {message: 'Schema'}],
  ],
  QueryParameter: [
    [1, 'required', 'bool'],
    [2, 'in', 'string'],
    [3, 'description', 'string'],
    [4, 'name', 'string'],
    [6, 'type', 'string'],
    [20, 'uniqueItems', 'bool'],
  ],
  PathParameter: [
    [1, 'required', 'bool'],
    [2, 'in', 'string'],
    [3, 'description', 'string'],
    [4, 'name', 'string'],
    [5, 'type', 'string'],
    [19, 'uniqueItems', 'bool'],
  ],
  ResponseValue: () => [1, {message: 'Response'}],
  Response: [
    [1, 'description', 'string'],
    [2, 'schema', {wrap: {message: 'Schema'}}],
  ],
  Schema: [
    [1, '$ref', 'string'],
    [2, 'format', 'string'],
    [4, 'description', 'string'],
    [19, 'required', 'strings'],
    [20, 'enum', 'anys'],
    [21, 'additionalProperties', {wrap: {message: 'Schema'}}],
    [22, 'type', {wrap: 'string'}],
    [23, 'items', {wrap: {message: 'Schema'}}],
    [25, 'properties', {named: 'Schema'}],
    [31, 'x-*', 'any'],
  ],
  SecurityDefinition: () => [2, {message: 'ApiKey'}],
  ApiKey: [
    [1, 'type', 'string'],
    [2, 'name', 'string'],
    [3, 'in', 'string'],
    [4, 'description', 'string'],
  ],
  SecurityRequirement: [[1, '*', {wrap: 'strings'}]],
};

/** Encodes the document that `openApiV2` makes. Throws for what the tables have no field for. */
export const encodeOpenApiV2Protobuf = (document: JsonObject): Buffer => encodeGnostic(MESSAGES, document);
