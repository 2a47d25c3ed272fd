// SPDX-License-Identifier: Apache-2.0
/** ConfigMaps as kube-apiserver takes them. */
import {MemoryApi, type Resource} from '@palisade/apiserver/testing';
import {afterEach, beforeEach, expect, test} from 'vitest';
import {namespacesKind} from '../namespaces/kind.ts';
import {configMapsKind} from './kind.ts';

let api: MemoryApi;
let maps: Resource;
beforeEach(async () => {
  api = await MemoryApi.open({kinds: [configMapsKind, namespacesKind], compat: 'kubernetes'});
  maps = api.of(configMapsKind, '');
  await api.of(namespacesKind).make({name: 'default'});
  maps = maps.in('default');
});
afterEach(() => api[Symbol.asyncDispose]());

const KEY_RULE =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";
const BYTES_MAX = 1024 * 1024;

test.each<[string, object, string]>([
  ['a key with a blank', {data: {'a b': '1'}}, `data[a b]: Invalid value: "a b": ${KEY_RULE}`],
  ['an empty key', {binaryData: {'': 'AA=='}}, `binaryData[]: Invalid value: "": ${KEY_RULE}`],
  ['the key ..', {data: {'..': '1'}}, `data[..]: Invalid value: "..": must not be '..'`],
  ['a key of 254 characters', {data: {['k'.repeat(254)]: '1'}}, 'must be no more than 253 characters'],
  [
    'a key in both',
    {data: {a: '1'}, binaryData: {a: 'AA=='}},
    'data[a]: Invalid value: "a": duplicate of key present in binaryData',
  ],
  ['too many bytes', {data: {d: 'x'.repeat(BYTES_MAX), e: 'é'}}, '[]: Too long: may not be more than 1048576 bytes'],
  [
    'too many bytes of both kinds',
    {data: {d: 'x'.repeat(BYTES_MAX - 1)}, binaryData: {b: 'AAA='}},
    '[]: Too long: may not be more than 1048576 bytes',
  ],
])('45-1 a ConfigMap with %s is refused', async (_, content, text) => {
  const {status, body} = await maps.post({name: 'a'}, content);
  expect([status, body.message]).toEqual([422, expect.stringContaining(text)]);
});

test('45-1 a ConfigMap of exactly 1 MiB is stored, its bytes counted decoded', async () => {
  const content = {data: {d: 'x'.repeat(BYTES_MAX - 2)}, binaryData: {b: 'AAA='}};
  expect((await maps.post({name: 'a'}, content)).status).toBe(201);
});

test('45-1 a null among bytes is stored as no bytes, and a PUT does not create', async () => {
  expect((await maps.make({name: 'a'}, {binaryData: {b: null}})).binaryData).toEqual({b: ''});
  expect((await maps.put('b', {data: {}})).status).toBe(404);
});

test('45-1 texts that are none do not count as a change of an immutable ConfigMap, bytes that are none do', async () => {
  await maps.make({name: 'a'}, {immutable: true});
  expect((await maps.put('a', {immutable: true, data: {}})).status).toBe(200);
  expect((await maps.put('a', {immutable: true, binaryData: {}})).status).toBe(422);
});

const IMMUTABLE = 'field is immutable when `immutable` is set';

test.each<[string, object, readonly string[]]>([
  ['the flag taken back', {immutable: false, data: {k: '1'}}, ['immutable']],
  ['the flag left out', {data: {k: '1'}}, ['immutable']],
  ['another value', {immutable: true, data: {k: '2'}}, ['data']],
  ['a new key', {immutable: true, data: {k: '1'}, binaryData: {b: ''}}, ['binaryData']],
  ['everything at once', {data: {}, binaryData: {b: 'AA=='}}, ['immutable', 'data', 'binaryData']],
])('45-1 an immutable ConfigMap is refused %s, in a PUT as in patches', async (_, content, fields) => {
  await maps.make({name: 'a'}, {immutable: true, data: {k: '1'}});
  const {status, body} = await maps.put('a', content);
  expect([status, body.details.causes]).toEqual([
    422,
    fields.map(field => ({reason: 'FieldValueForbidden', message: `Forbidden: ${IMMUTABLE}`, field})),
  ]);
});

test.each(['merge', 'strategic-merge'])(
  '45-1 a %s patch of an immutable ConfigMap changes metadata only',
  async type => {
    await maps.make({name: 'a'}, {immutable: true, data: {k: '1'}});
    expect((await maps.patch('a', type, {metadata: {labels: {x: 'y'}}})).status).toBe(200);
    expect((await maps.patch('a', type, {data: {k: '2'}})).status).toBe(422);
    expect((await maps.patch('a', type, {binaryData: {}})).status).toBe(422);
  },
);

test('45-1 the table counts the keys of both kinds', () => {
  const {columns, cells} = configMapsKind.strategy.table;
  expect(columns.map(({name}) => name)).toEqual(['Name', 'Data', 'Age']);
  const object = {metadata: {name: 'a'}, data: {k: '1', l: '2'}, binaryData: {b: ''}};
  expect(cells(object as never, 0)).toEqual(['a', 3, '<unknown>']);
});
