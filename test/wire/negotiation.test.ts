// SPDX-License-Identifier: Apache-2.0
/** How refusals are sent, and what is indented, as kube-apiserver 1.36.3 does it. */
import {afterAll, beforeAll, expect, test} from 'vitest';
import {ENDPOINTS, endpoints, freshName, startWire, type Wire} from './support.ts';

const UNKNOWN_FORMAT =
  'the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/strategic-merge-patch+json, application/apply-patch+yaml';

let wire: Wire;
beforeAll(async () => {
  wire = await startWire({compat: 'kubernetes'});
});
afterAll(() => wire[Symbol.asyncDispose]());

test.each([
  {accept: 'application/yaml', type: 'application/yaml', indented: false},
  {accept: 'application/yaml;as=Table;v=v1;g=meta.k8s.io', type: 'application/json', indented: true},
  {accept: 'application/yaml;as=Table;v=v1;g=meta.k8s.io, application/yaml', type: 'application/yaml', indented: false},
  {accept: 'application/json;as=Table;v=v1;g=meta.k8s.io', type: 'application/json', indented: true},
  {accept: 'text/html, */*', type: 'application/json', indented: false},
])('a refusal to $accept is $type', async ({accept, type, indented}) => {
  const answer = await wire.send('GET', `${ENDPOINTS}/none`, {headers: {accept}});
  expect([answer.status, answer.headers['content-type'], answer.text.startsWith('{\n')]).toEqual([404, type, indented]);
});

test.each([
  {pretty: 'true', agent: 'x', indented: true},
  {pretty: 'T', agent: 'x', indented: true},
  {pretty: 'yes', agent: 'curl/8', indented: false},
  {pretty: '0', agent: 'curl/8', indented: false},
  {pretty: '', agent: 'curl/8', indented: true},
  {pretty: '', agent: 'x', indented: false},
])('pretty=$pretty from $agent: indented $indented', async ({pretty, agent, indented}) => {
  const answer = await wire.send('GET', `${ENDPOINTS}/none`, {query: {pretty}, headers: {'user-agent': agent}});
  expect(answer.text.startsWith('{\n')).toBe(indented);
});

test('a path that asks to watch nothing is 500 in plain text', async () => {
  const answer = await wire.send('GET', '/api/v1/watch');
  expect([answer.status, answer.headers['content-type'], answer.text]).toEqual([
    500,
    'text/plain; charset=utf-8',
    'Internal Server Error: "/api/v1/watch": failed to create RequestInfo: unable to determine kind and namespace from url, /api/v1/watch\n',
  ]);
  expect(answer.headers['x-content-type-options']).toBe('nosniff');
});

test.each([
  ['text/plain', '415: Unsupported Media Type', false],
  ['application/merge-patch+json,application/json-patch+json', UNKNOWN_FORMAT, true],
  ['application/merge-patch+json ; charset=utf-8', UNKNOWN_FORMAT, true],
])('E-253 a patch as %s: the route refuses, or the handler', async (type, message, warned) => {
  const answer = await wire.send('PATCH', `${ENDPOINTS}/none`, {body: '{}', headers: {'content-type': type}});
  expect([answer.status, answer.body.message, answer.warnings.length > 0]).toEqual([415, message, warned]);
});

test('the finalizers of a Namespace are not answered as a Table', async () => {
  const finalize = async (accept: string) => {
    const body = {metadata: {name: 'default'}, spec: {finalizers: ['kubernetes']}};
    return (await wire.send('PUT', '/api/v1/namespaces/default/finalize', {body, headers: {accept}})).status;
  };
  const table = 'application/json;as=Table;v=v1;g=meta.k8s.io';
  expect([await finalize(table), await finalize(`${table},application/json`)]).toEqual([406, 200]);
});

/** YAML is made from JSON that is read as YAML: some characters do not come through. */
test.each([
  ['a\x7fb', 500, /^message: 'yaml: control characters are not allowed'$/m],
  ['a\x9fb', 500, /^code: 500$/m],
  ['a\uffffb', 500, /^status: Failure$/m],
  ['a\x1bb', 200, /^ {4}k: "a\\eb"$/m],
  ['a \x85 b', 200, /^ {4}k: a b$/m],
  ['a\x85\x85\x85b', 200, /^ {4}k: \|-\n {6}a\n\n {6}b$/m],
])('E-272 %j as YAML is %i', async (text, status, line) => {
  const name = freshName();
  await wire.send('POST', ENDPOINTS, {body: endpoints(name, [], {annotations: {k: text}})});
  const accept = 'application/yaml';
  const answer = await wire.send('GET', `${ENDPOINTS}/${name}`, {headers: {accept}});
  expect([answer.status, answer.headers['content-type']]).toEqual([status, accept]);
  expect(answer.text).toMatch(line);
  expect((await wire.send('GET', `${ENDPOINTS}/${name}`)).status).toBe(200);
});

test('E-272 a refusal that cannot be YAML keeps its code', async () => {
  const answer = await wire.send('GET', `${ENDPOINTS}/%7f`, {headers: {accept: 'application/yaml'}});
  expect([answer.status, /^code: 500$/m.test(answer.text)]).toEqual([404, true]);
});
