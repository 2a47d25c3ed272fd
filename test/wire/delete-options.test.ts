// SPDX-License-Identifier: Apache-2.0
/** Options of deletes, in body and query, as kube-apiserver 1.36.3 reads and refuses them. */
import {afterAll, beforeAll, expect, test} from 'vitest';
import {ENDPOINTS, endpoints, freshName, startWire, type Wire} from './support.ts';

const UID = '11111111-2222-3333-4444-555555555555';

let wire: Wire;
beforeAll(async () => {
  wire = await startWire({compat: 'kubernetes'});
});
afterAll(() => wire[Symbol.asyncDispose]());

const make = async (metadata: Record<string, unknown> = {}) => {
  const name = freshName();
  const {body} = await wire.send('POST', ENDPOINTS, {body: endpoints(name, [], metadata)});
  return {path: `${ENDPOINTS}/${name}`, metadata: body.metadata};
};

test('a body that is no DeleteOptions is 400, and nothing is deleted', async () => {
  const {path} = await make();
  const answer = await wire.send('DELETE', path, {body: {kind: 'Pod', apiVersion: 'v1'}});
  expect([answer.status, answer.body.message]).toEqual([
    400,
    'no kind "Pod" is registered for version "v1" in scheme "pkg/runtime/scheme.go:111"',
  ]);
  expect((await wire.send('GET', path)).status).toBe(200);
});

test('the query has preconditions too, and a body stands for all of it', async () => {
  const {path, metadata} = await make();
  const wrong = await wire.send('DELETE', path, {query: {uid: UID}});
  expect([wrong.status, wrong.body.reason]).toEqual([409, 'Conflict']);
  expect((await wire.send('DELETE', path, {query: {resourceVersion: '1'}})).status).toBe(409);
  expect((await wire.send('DELETE', path, {query: {uid: UID}, body: {dryRun: ['All']}})).status).toBe(200);
  const right = {uid: metadata.uid, resourceVersion: metadata.resourceVersion};
  expect((await wire.send('DELETE', path, {query: right})).body.status).toBe('Success');
});

test('who does not orphan in the old way is told 202 while the object stays', async () => {
  const {path} = await make({finalizers: ['example.com/x']});
  expect((await wire.send('DELETE', path, {query: {orphanDependents: 'false'}})).status).toBe(202);
  expect((await wire.send('DELETE', path)).status).toBe(200);
});

test('a trial run that would let go of a held object shows an empty one', async () => {
  const {path} = await make({finalizers: ['orphan']});
  const answer = await wire.send('DELETE', path, {query: {propagationPolicy: 'Background', dryRun: 'All'}});
  expect(answer.body).toEqual({kind: 'Endpoints', apiVersion: 'v1', metadata: {}});
});

test('deletecollection deletes what the list of the same parameters shows', async () => {
  const labels = {set: 'pages'};
  for (let i = 0; i < 3; i++) await make({labels});
  const query = {labelSelector: 'set=pages'};
  const first = await wire.send('DELETE', ENDPOINTS, {query: {...query, limit: '2'}});
  expect([first.body.items.length, typeof first.body.metadata.continue]).toEqual([2, 'string']);
  const stale = await wire.send('DELETE', ENDPOINTS, {query: {...query, resourceVersion: 'abc'}});
  expect(stale.body.message).toBe(
    'invalid resource version: resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax',
  );
  expect((await wire.send('DELETE', ENDPOINTS, {query: {...query, continue: '!'}})).status).toBe(400);
  expect((await wire.send('DELETE', ENDPOINTS, {query})).body.items).toHaveLength(1);
});

test('E-271 a limited deletecollection answers what it marked as it was', async () => {
  const namespace = freshName();
  await wire.send('POST', '/api/v1/namespaces', {body: {metadata: {name: namespace}}});
  const path = `/api/v1/namespaces/${namespace}/endpoints`;
  const metadata = {name: 'a', finalizers: ['example.com/x']};
  const {body: made} = await wire.send('POST', path, {body: {metadata}});
  const {body} = await wire.send('DELETE', path, {query: {limit: '2'}});
  expect(body.items[0].metadata).toEqual(made.metadata);
});

test('E-271 a deletecollection with preconditions ends at the first object that they refuse', async () => {
  const labels = {set: freshName()};
  const query = {labelSelector: `set=${labels.set}`};
  for (const name of ['a', 'b', 'c']) await make({name: `${labels.set}-${name}`, labels});
  const {body} = await wire.send('GET', ENDPOINTS, {query});
  const {resourceVersion, uid, name} = body.items[1].metadata;
  const options = {preconditions: {resourceVersion, uid}};
  const answer = await wire.send('DELETE', ENDPOINTS, {query, body: options});
  expect([answer.status, answer.body.details.name]).toEqual([409, body.items[0].metadata.name]);
  expect((await wire.send('GET', `${ENDPOINTS}/${name}`)).status).toBe(200);
});

test('deletecollection at a version deletes what was there then, but with a limit below zero what is there now', async () => {
  const {path} = await make();
  const {resourceVersion} = (await wire.send('GET', ENDPOINTS)).body.metadata;
  await wire.send('DELETE', path);
  await make({labels: {set: 'later'}});
  const query = {labelSelector: 'set=later', resourceVersion};
  const body = {dryRun: ['All']};
  expect((await wire.send('DELETE', ENDPOINTS, {query, body})).body.items).toHaveLength(0);
  expect((await wire.send('DELETE', ENDPOINTS, {query: {...query, limit: '-1'}, body})).body.items).toHaveLength(1);
});

test('an empty namespace in the path lists all, but deletes none', async () => {
  const {path} = await make();
  const everywhere = '/api/v1/namespaces//endpoints';
  expect((await wire.send('GET', everywhere)).status).toBe(200);
  const answer = await wire.send('DELETE', everywhere);
  expect([answer.status, answer.body.message]).toEqual([400, 'Namespace parameter required.']);
  expect((await wire.send('DELETE', `${everywhere}/a`)).body.message).toBe('Namespace parameter required.');
  expect((await wire.send('GET', path)).status).toBe(200);
});

test('a namespace tells of preconditions as the storage does, before it is protected', async () => {
  const one = await wire.send('DELETE', '/api/v1/namespaces/default', {body: {preconditions: {uid: UID}}});
  expect([one.status, one.body.message.split(': ').slice(0, 2).join(': '), one.body.details.kind]).toEqual([
    409,
    'Operation cannot be fulfilled on namespaces "default": Precondition failed',
    'namespaces',
  ]);
  expect((await wire.send('DELETE', '/api/v1/namespaces/default')).status).toBe(403);
});

test('values of named string types are told as JSON, as upstream', async () => {
  const told = async (method: string, path: string, query: Record<string, string>) =>
    (await wire.send(method, path, {query})).body.message;
  expect(await told('DELETE', `${ENDPOINTS}/x`, {propagationPolicy: '<x>'})).toContain(
    String.raw`propagationPolicy: Unsupported value: "\u003cx\u003e"`,
  );
  expect(await told('GET', ENDPOINTS, {resourceVersion: '1', resourceVersionMatch: '<x>'})).toContain(
    String.raw`resourceVersionMatch: Unsupported value: "\u003cx\u003e"`,
  );
});
