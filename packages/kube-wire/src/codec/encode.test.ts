// SPDX-License-Identifier: Apache-2.0
import {describe, expect, test} from 'vitest';
import {kubeTypes} from '../gen/kube-types.ts';
import {encodeJson, encodeUntyped, prettyJson, quoteJson} from './encode.ts';

const ENDPOINTS = 'io.k8s.api.core.v1.Endpoints';

describe('strings as Go writes them', () => {
  test.each([
    ['plain text', 'a b', '"a b"'],
    ['markup', '<a href="x">&</a>', '"\\u003ca href=\\"x\\"\\u003e\\u0026\\u003c/a\\u003e"'],
    ['line separators', '\u2028\u2029', '"\\u2028\\u2029"'],
    ['control characters', '\b\f\n\r\t\u0001', '"\\b\\f\\n\\r\\t\\u0001"'],
    ['what is not ASCII', 'é日😀', '"é日😀"'],
    ['half a pair', '\ud800', '"\ufffd"'],
    ['delete', '\u007f', '"\u007f"'],
  ])('%s', (_, text, want) => expect(quoteJson(text)).toBe(want));
});

test('map keys are in the order of their bytes', () => {
  const labels = {b: '1', a: '2', Z: '3', '10': '4', '9': '5', '\uffee': '6', '😀': '7'};
  expect(encodeJson(kubeTypes, ENDPOINTS, {metadata: {labels}})).toBe(
    '{"metadata":{"labels":{"10":"4","9":"5","Z":"3","a":"2","b":"1","\uffee":"6","😀":"7"}}}',
  );
});

test('keys that the type does not have are left out', () => {
  expect(encodeJson(kubeTypes, ENDPOINTS, {metadata: {name: 'a'}, spec: {x: 1}})).toBe('{"metadata":{"name":"a"}}');
});

test('pretty text has no final newline', () => {
  expect(prettyJson('{"metadata":{},"a":[1,{"b":"x, {y}: \\"z\\""}],"c":[]}\n')).toBe(
    '{\n  "metadata": {},\n  "a": [\n    1,\n    {\n      "b": "x, {y}: \\"z\\""\n    }\n  ],\n  "c": []\n}',
  );
});

test('numbers without a schema', () => {
  expect(encodeUntyped([1, -0, 1.5, 1e21, 1e-7, 2n ** 62n])).toBe('[1,-0,1.5,1e+21,1e-7,4611686018427387904]');
});
