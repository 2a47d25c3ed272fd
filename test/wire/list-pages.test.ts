// SPDX-License-Identifier: Apache-2.0
/** Pages of lists as kube-apiserver 1.36.3 cuts them, and what it refuses. */
import {afterAll, beforeAll, expect, test} from 'vitest';
import {type Answer, type Body, ENDPOINTS, endpoints, startWire, type Wire} from './support.ts';

const NAMES = ['a', 'b', 'c', 'd', 'e'];
const METADATA_LIST = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io';

let wire: Wire;
beforeAll(async () => {
  wire = await startWire({compat: 'kubernetes'});
  for (const [n, name] of NAMES.entries()) {
    await wire.send('POST', ENDPOINTS, {body: endpoints(name, [], {labels: {n: String(n)}})});
  }
});
afterAll(() => wire[Symbol.asyncDispose]());

const list = (query: Record<string, string>) => wire.send('GET', ENDPOINTS, {query});
const tokenOf = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

test('a version of 0 takes no limit: the list is whole', async () => {
  const {body} = await list({limit: '2', resourceVersion: '0'});
  expect([body.items.length, body.metadata.continue, body.metadata.remainingItemCount]).toEqual([
    5,
    undefined,
    undefined,
  ]);
});

test('a full page has a next one when anything is behind it, though nothing there matches', async () => {
  const first = (await list({limit: '4', labelSelector: 'n!=4'})).body;
  expect(first.metadata).toEqual({resourceVersion: first.metadata.resourceVersion, continue: expect.any(String)});
  const second = (await list({limit: '4', labelSelector: 'n!=4', continue: first.metadata.continue})).body;
  expect([second.items, second.metadata.continue]).toEqual([[], undefined]);
});

test('a page behind the first one of a list by one label holds only what matches', async () => {
  const first = (await list({limit: '1', labelSelector: 'n=0'})).body;
  expect(first.items).toHaveLength(1);
  const second = (await list({limit: '1', labelSelector: 'n=0', continue: first.metadata.continue})).body;
  expect([second.items, second.metadata.continue]).toEqual([[], undefined]);
});

test('a token says where to go on relative to what is listed', async () => {
  const {body} = await list({limit: '2'});
  expect(JSON.parse(Buffer.from(body.metadata.continue, 'base64url').toString())).toEqual({
    v: 'meta.k8s.io/v1',
    rv: Number(body.metadata.resourceVersion),
    start: 'b\0',
  });
  const everywhere = await wire.send('GET', '/api/v1/endpoints', {query: {limit: '2'}});
  expect(JSON.parse(Buffer.from(everywhere.body.metadata.continue, 'base64url').toString()).start).toBe('one/b\0');
});

test('a token without a version goes on in the newest state, from its key on', async () => {
  const {body} = await list({continue: tokenOf({v: 'meta.k8s.io/v1', rv: -1, start: 'c'})});
  expect(body.items.map((item: {metadata: {name: string}}) => item.metadata.name)).toEqual(['c', 'd', 'e']);
});

test('a list of one name has no pages, but it reads a token', async () => {
  const one = await list({fieldSelector: 'metadata.name=e', limit: '1'});
  expect([one.status, one.body.items.length, one.body.metadata.continue]).toEqual([200, 1, undefined]);
  const {body} = await list({limit: '2'});
  const behind = {continue: body.metadata.continue};
  expect((await list({fieldSelector: 'metadata.name=a', ...behind})).body.items).toEqual([]);
  expect((await list({fieldSelector: 'metadata.name=e', ...behind})).body.items).toHaveLength(1);
  expect((await list({fieldSelector: 'metadata.name=e', continue: '!'})).status).toBe(400);
});

test.each([
  {compat: 'spec', second: ['c', 'd']},
  {compat: 'kubernetes', second: ['a', 'b']}, // the token is relative to the namespace, and upstream reads it otherwise
] as const)('E-271 pages over all namespaces that select one, --compat $compat', async ({compat, second}) => {
  await using server = await startWire({compat});
  for (const name of NAMES) await server.send('POST', ENDPOINTS, {body: endpoints(name, [])});
  const query = {fieldSelector: 'metadata.namespace=one', limit: '2'};
  const names = ({body}: Answer): string[] => body.items.map((item: Body) => item.metadata.name);
  const first = await server.send('GET', '/api/v1/endpoints', {query});
  expect(names(first)).toEqual(['a', 'b']);
  const next = {...query, continue: first.body.metadata.continue};
  expect(names(await server.send('GET', '/api/v1/endpoints', {query: next}))).toEqual(second);
});

test.each([
  {query: {limit: ''}, message: 'strconv.ParseInt: parsing "": invalid syntax'},
  {query: {limit: 'x', timeoutSeconds: 'y'}, message: 'strconv.ParseInt: parsing "y": invalid syntax'},
  {
    query: {continue: tokenOf({v: 'meta.k8s.io/v1', rv: 1, start: '../x'})},
    message: 'invalid continue token: continue key is not valid: ../x',
  },
  {query: {timeout: 'x'}, message: 'invalid timeout specified in the request URL - time: invalid duration "x"'},
])('400 for $query', async ({query, message}) => {
  const answer = await list(query as never);
  expect([answer.status, answer.body.message]).toEqual([400, message]);
});

test('a list of metadata without items says null', async () => {
  const answer = await wire.send('GET', '/api/v1/namespaces/none/endpoints', {headers: {accept: METADATA_LIST}});
  expect(answer.body.items).toBeNull();
});
