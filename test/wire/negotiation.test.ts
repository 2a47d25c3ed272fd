// SPDX-License-Identifier: Apache-2.0
/** How refusals are sent, and what is indented, as kube-apiserver 1.36.3 does it. */
import {afterAll, beforeAll, expect, test} from 'vitest';
import {ENDPOINTS, startWire, type Wire} from './support.ts';

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
});
