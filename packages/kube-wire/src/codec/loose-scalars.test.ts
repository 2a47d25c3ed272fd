// SPDX-License-Identifier: Apache-2.0
/** Fields that are a number or a text, and quantities, in every form that a request or a store has. Ref: apimachinery pkg/util/intstr. */
import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {manageApply, manageUpdate} from '../apply/index.ts';
import {kubeTypes} from '../gen/kube-types.ts';
import {openApiV3} from '../openapi/documents.ts';
import {decodeProtobuf, encodeProtobuf, openEnvelope} from '../proto/envelope.ts';
import type {Json, JsonObject} from '../schema.ts';
import {decodeObject} from './decode.ts';
import {encodeJson} from './encode.ts';
import {convertUnstructured} from './unstructured.ts';

const SERVICE = 'io.k8s.api.core.v1.Service';
const NODE = 'io.k8s.api.core.v1.Node';
const service = (targetPort: Json): JsonObject => ({spec: {ports: [{port: 80, targetPort}]}});
const node = (cpu: Json): JsonObject => ({status: {capacity: {cpu}}});
const portOf = (object: JsonObject): Json | undefined =>
  (object as {spec: {ports: [{targetPort?: Json}]}}).spec.ports[0].targetPort;
const cpuOf = (object: JsonObject): Json | undefined =>
  (object as {status: {capacity: {cpu?: Json}}}).status.capacity.cpu;
const portFrom = (json: string): Json | undefined =>
  portOf(
    decodeObject(kubeTypes, SERVICE, `{"spec":{"ports":[{"port":80,"targetPort":${json}}]}}`).object as JsonObject,
  );

describe('a number or a text', () => {
  test.each([
    ['8080', 8080],
    ['-1', -1],
    ['"8080"', '8080'],
    ['"http"', 'http'],
    ['""', ''],
    ['2147483647', 2_147_483_647],
  ])('45-1 JSON %s', (json, want) => {
    expect(portFrom(json)).toBe(want);
  });

  test.each([
    ['1.5', 'number 1.5'],
    ['2147483648', 'number 2147483648'],
    ['1e3', 'number 1e3'],
    ['true', 'bool'],
    ['{}', 'object'],
    ['[]', 'array'],
  ])('45-1 JSON %s is refused with the name of the field', (json, what) => {
    expect(() => portFrom(json)).toThrow(
      `json: cannot unmarshal ${what} into Go struct field ServicePort.spec.ports.targetPort of type int32`,
    );
  });

  test('45-1 a strategic patch takes whole numbers and texts, and refuses the rest without the name of the field', () => {
    const read = (value: Json): Json | undefined =>
      portOf(convertUnstructured(kubeTypes, SERVICE, service(value)).object as JsonObject);
    expect([read(80), read('http')]).toEqual([80, 'http']);
    expect(() => read(true)).toThrow('json: cannot unmarshal bool into Go value of type int32');
  });

  test('45-1 JSON and protobuf keep which of the two it is', () => {
    fc.assert(
      fc.property(fc.oneof(fc.integer({min: -(2 ** 31), max: 2 ** 31 - 1}), fc.string()), value => {
        const bytes = encodeProtobuf(kubeTypes, SERVICE, service(value));
        expect(portOf(decodeProtobuf(kubeTypes, SERVICE, openEnvelope(bytes)) as JsonObject)).toBe(value);
        const json = encodeJson(kubeTypes, SERVICE, service(value));
        expect(portOf(decodeObject(kubeTypes, SERVICE, json).object as JsonObject)).toBe(value);
      }),
    );
  });
});

describe('to those who own fields', () => {
  const context = {
    types: kubeTypes,
    typeName: NODE,
    apiVersion: 'v1',
    now: '2026-01-01T00:00:00Z',
    specTimes: false,
    kind: 'Node',
    force: false,
  };
  const named = {apiVersion: 'v1', kind: 'Node', metadata: {name: 'a', uid: 'u', labels: {x: '1'}}};
  const stored = manageUpdate({...context, manager: 'm1', live: undefined, next: {...named, ...node('500m')}}).object;
  const apply = (cpu: Json): boolean => {
    const {metadata: _, ...rest} = named;
    return manageApply({
      ...context,
      manager: 'm2',
      live: stored,
      applied: {...rest, metadata: {name: 'a'}, ...node(cpu)},
    }).ok;
  };

  test('45-1 a quantity is owned as a whole, and a text of the same amount is another value, as upstream compares', () => {
    expect([apply('500m'), apply('0.5'), apply(0.5)]).toEqual([true, false, false]);
    expect(cpuOf(stored)).toBe('500m');
  });
});

test('45-1 OpenAPI describes both as upstream does', () => {
  const kinds = [
    {kind: 'Node', listKind: 'NodeList', resource: 'nodes', singular: 'node', typeName: NODE},
    {kind: 'Service', listKind: 'ServiceList', resource: 'services', singular: 'service', typeName: SERVICE},
  ].map(kind => ({...kind, group: '', version: 'v1', namespaced: false, verbs: ['get'] as const}));
  type Document = {components: {schemas: Record<string, JsonObject>}};
  const {schemas} = (openApiV3(kubeTypes, kinds).get('api/v1') as unknown as Document).components;
  const bare = (name: string): JsonObject => {
    const {description: _, ...rest} = schemas[name] ?? {};
    return rest;
  };
  expect(bare('io.k8s.apimachinery.pkg.api.resource.Quantity')).toEqual({oneOf: [{type: 'string'}, {type: 'number'}]});
  expect(bare('io.k8s.apimachinery.pkg.util.intstr.IntOrString')).toEqual({
    format: 'int-or-string',
    oneOf: [{type: 'integer'}, {type: 'string'}],
  });
});
