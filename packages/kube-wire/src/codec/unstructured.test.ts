// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {kubeTypes} from '../gen/kube-types.ts';
import {arbitraryObject, SAMPLE_TYPES} from '../testing/arbitrary-object.ts';
import {decodeValue} from './decode.ts';
import {convertUnstructured} from './unstructured.ts';

const ENDPOINTS = 'io.k8s.api.core.v1.Endpoints';
const port = (value: unknown) => ({subsets: [{ports: [{port: value}]}]}) as never;

test.each([
  ['a string for a list', {subsets: 'x'}, 'cannot restore slice from string'],
  ['an object for a list', {subsets: {a: 1}}, 'cannot restore slice from map'],
  ['a string for a struct', {subsets: ['x']}, 'cannot restore struct from: string'],
  ['a list for a map', {metadata: {labels: ['a']}}, 'cannot restore map from slice'],
  ['a number for a string', {metadata: {name: 5}}, 'cannot convert int64 to string'],
  ['a number for a named string', {metadata: {uid: 5}}, 'cannot convert int64 to types.UID'],
  ['a fraction for a string', {metadata: {name: 1.5}}, 'unrecognized type: string'],
  ['a string for a number', port('80'), 'unrecognized type: int32'],
  ['a fraction for a number', port(80.5), 'cannot convert float64 to int32'],
  [
    'a time that is none',
    {metadata: {creationTimestamp: 'x'}},
    'parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"',
  ],
])('%s', (_, value, message) => {
  expect(() => convertUnstructured(kubeTypes, ENDPOINTS, value)).toThrow(
    expect.objectContaining({name: 'DecodeError', message}),
  );
});

test('unknown fields are sorted', () => {
  const {strictErrors} = convertUnstructured(kubeTypes, ENDPOINTS, {spec: 1, metadata: {z: 1, a: 1}});
  expect(strictErrors).toEqual(['unknown field "metadata.a"', 'unknown field "metadata.z"', 'unknown field "spec"']);
});

test('a number that does not fit is cut off, as Go converts it', () => {
  const {object} = convertUnstructured(kubeTypes, ENDPOINTS, port(2147483648));
  expect(object).toMatchObject({subsets: [{ports: [{port: -2147483648}]}]});
});

test.each(SAMPLE_TYPES)('%s: what is well typed is what the decoder makes of it', typeName => {
  fc.assert(
    fc.property(arbitraryObject(kubeTypes, typeName), sent => {
      const value = JSON.parse(JSON.stringify(sent));
      expect(convertUnstructured(kubeTypes, typeName, value)).toEqual(decodeValue(kubeTypes, typeName, value));
    }),
    {numRuns: 100, seed: 20260501},
  );
});
