// SPDX-License-Identifier: Apache-2.0
/** Secrets as kube-apiserver takes them. */
import {MemoryApi, type Resource} from '@palisade/apiserver/testing';
import {afterEach, beforeEach, expect, test} from 'vitest';
import {namespacesKind} from '../namespaces/kind.ts';
import {secretsKind} from './kind.ts';

let api: MemoryApi;
let secrets: Resource;
beforeEach(async () => {
  api = await MemoryApi.open({kinds: [secretsKind, namespacesKind], compat: 'kubernetes'});
  await api.of(namespacesKind).make({name: 'default'});
  secrets = api.of(secretsKind, 'default');
});
afterEach(() => api[Symbol.asyncDispose]());

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const BYTES_MAX = 1024 * 1024;

test('45-1 texts become bytes over what has the same key, and are neither stored nor answered nor owned', async () => {
  const made = await secrets.make({name: 'a'}, {data: {k: 'dmFsdWU=', l: 'QQ=='}, stringData: {k: 'é😀', e: null}});
  expect([made.data, made.stringData, made.type]).toEqual([{k: 'w6nwn5iA', l: 'QQ==', e: ''}, undefined, 'Opaque']);
  expect(made.metadata.managedFields[0].fieldsV1).toEqual({
    'f:data': {'.': {}, 'f:e': {}, 'f:k': {}, 'f:l': {}},
    'f:type': {},
  });
  const put = await secrets.put('a', {stringData: {only: '1'}});
  expect(put.body.data).toEqual({only: 'MQ=='});
  for (const type of ['merge', 'strategic-merge'])
    expect((await secrets.patch('a', type, {stringData: {[type]: '2'}})).body.data[type]).toBe('Mg==');
});

test('45-1 who applies texts owns texts, and what was made of them stays when they are given up', async () => {
  await secrets.apply('m1', 'a', {stringData: {s: 'text'}});
  const {body} = await secrets.apply('m1', 'a', {stringData: {t: 'other'}});
  expect(body.data).toEqual({s: base64('text'), t: base64('other')});
  expect(body.metadata.managedFields.map(({fieldsV1}: {fieldsV1: object}) => fieldsV1)).toEqual([
    {'f:stringData': {'f:t': {}}},
  ]);
});

test.each<[string, object, readonly string[]]>([
  ['a bad key among texts', {stringData: {'..': 'x'}}, ['data[..]: Invalid value: "..": must not be \'..\'']],
  [
    'too many bytes',
    {stringData: {d: 'x'.repeat(BYTES_MAX + 1)}},
    ['data: Too long: may not be more than 1048576 bytes'],
  ],
  [
    'of a service account without its name',
    {type: 'kubernetes.io/service-account-token'},
    ['metadata.annotations[kubernetes.io/service-account.name]: Required value'],
  ],
  ['of Docker without its key', {type: 'kubernetes.io/dockercfg', data: {x: ''}}, ['data[.dockercfg]: Required value']],
  [
    'of Docker with what is no JSON',
    {type: 'kubernetes.io/dockerconfigjson', stringData: {'.dockerconfigjson': 'value'}},
    [
      'data[.dockerconfigjson]: Invalid value: "<secret contents redacted>": invalid character \'v\' looking for beginning of value',
    ],
  ],
  [
    'of Docker with no bytes',
    {type: 'kubernetes.io/dockerconfigjson', data: {'.dockerconfigjson': null}},
    ['data[.dockerconfigjson]: Invalid value: "<secret contents redacted>": unexpected end of JSON input'],
  ],
  [
    'of Docker with a list',
    {type: 'kubernetes.io/dockercfg', stringData: {'.dockercfg': '[]'}},
    [
      'data[.dockercfg]: Invalid value: "<secret contents redacted>": json: cannot unmarshal array into Go value of type map[string]interface {}',
    ],
  ],
  [
    'of basic authentication with neither key',
    {type: 'kubernetes.io/basic-auth'},
    ['data[username]: Required value', 'data[password]: Required value'],
  ],
  [
    'of SSH with an empty key',
    {type: 'kubernetes.io/ssh-auth', data: {'ssh-privatekey': ''}},
    ['data[ssh-privatekey]: Required value'],
  ],
  [
    'of TLS without either',
    {type: 'kubernetes.io/tls'},
    ['data[tls.crt]: Required value', 'data[tls.key]: Required value'],
  ],
])('45-1 a Secret %s is refused', async (_, content, texts) => {
  const {status, body} = await secrets.post({name: 'a'}, content);
  const shown = texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`;
  expect([status, body.message]).toEqual([422, `Secret "a" is invalid: ${shown}`]);
});

test.each<[string, object]>([
  ['any type', {type: 'any text'}],
  ['a type that JavaScript knows', {type: 'constructor'}],
  ['an account', {type: 'kubernetes.io/service-account-token'}],
  ['Docker, null', {type: 'kubernetes.io/dockercfg', stringData: {'.dockercfg': 'null'}}],
  ['Docker, an object', {type: 'kubernetes.io/dockerconfigjson', stringData: {'.dockerconfigjson': '{"auths":{}}'}}],
  ['a user alone', {type: 'kubernetes.io/basic-auth', data: {username: ''}}],
  ['a password alone', {type: 'kubernetes.io/basic-auth', data: {password: ''}}],
  ['an SSH key', {type: 'kubernetes.io/ssh-auth', stringData: {'ssh-privatekey': 'x'}}],
  ['exactly 1 MiB', {stringData: {d: 'x'.repeat(BYTES_MAX)}}],
])('45-1 a Secret of %s is stored', async (_, content) => {
  const annotations = {'kubernetes.io/service-account.name': 'default'};
  expect((await secrets.post({name: 'a', annotations}, content)).status).toBe(201);
});

test('45-1 a Secret of TLS whose parts are no pair is stored with a warning', async () => {
  const content = {type: 'kubernetes.io/tls', data: {'tls.crt': 'QQ==', 'tls.key': ''}};
  const warnings = ['tls: failed to find any PEM data in certificate input'];
  expect(await secrets.post({name: 'a'}, content)).toMatchObject({status: 201, warnings});
  expect(await secrets.merge('a', {labels: {x: 'y'}})).toMatchObject({status: 200, warnings});
});

test('45-1 the type never changes; left out, it is Opaque', async () => {
  await secrets.make({name: 'a'}, {type: 'example.com/t'});
  const {status, body} = await secrets.put('a', {data: {}});
  expect([status, body.message]).toEqual([
    422,
    'Secret "a" is invalid: type: Invalid value: "Opaque": field is immutable',
  ]);
});

test('45-1 faults of immutable fields come before all other faults', async () => {
  await secrets.make({name: 'a'}, {immutable: true, data: {k: ''}});
  const {body} = await secrets.put('a', {type: 'kubernetes.io/ssh-auth', data: {'a/b': ''}});
  expect(body.details.causes.map(({field}: {field: string}) => field)).toEqual([
    'type',
    'immutable',
    'data',
    'data[a/b]',
    'data[ssh-privatekey]',
  ]);
});

test.each<[object, number]>([
  [{immutable: true}, 200],
  [{immutable: true, data: {}}, 422],
  [{immutable: true, stringData: {k: ''}}, 422],
  [{immutable: false}, 422],
])('45-1 an immutable Secret without data: %j is answered %i', async (content, status) => {
  await secrets.make({name: 'a'}, {immutable: true});
  expect((await secrets.put('a', content)).status).toBe(status);
});

test('45-1 lists select by type', async () => {
  await secrets.make({name: 'a'});
  await secrets.make({name: 'b'}, {type: 'example.com/t'});
  expect(await secrets.names({fieldSelector: 'type=example.com/t'})).toEqual(['b']);
  expect(await secrets.names({fieldSelector: 'type!=example.com/t'})).toEqual(['a']);
  const {body} = await secrets.send('list', '', {query: {fieldSelector: 'data.k=x'}});
  expect(body.message).toBe('field label not supported: data.k');
});

test('45-1 the table shows the type and how many keys there are', () => {
  const {columns, cells} = secretsKind.strategy.table;
  expect(columns.map(({name}) => name)).toEqual(['Name', 'Type', 'Data', 'Age']);
  expect(cells({metadata: {name: 'a'}, type: 'Opaque', data: {k: ''}} as never, 0)).toEqual([
    'a',
    'Opaque',
    1,
    '<unknown>',
  ]);
});

test('45-1 what is no base64 is refused where an apply becomes an object, in the words of that step', async () => {
  const {status, body} = await secrets.apply('m1', 'a', {data: {k: 'YQ'}});
  expect([status, body.message]).toEqual([
    500,
    'failed to convert new object (/a; /v1, Kind=Secret) to proper version: unable to convert unstructured object to /v1, Kind=Secret: error decoding from json: illegal base64 data at input byte 0',
  ]);
});
