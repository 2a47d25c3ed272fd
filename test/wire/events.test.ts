// SPDX-License-Identifier: Apache-2.0
/** Events over the wire: watches of both groups on one store, in each encoding. Ref: issue 45, point 1. */
import {openEnvelope} from '@palisade/kube-wire';
import {afterAll, beforeAll, expect, test} from 'vitest';
import {type Body, freshName, hastyTimers, MERGE, startWire, type Wire} from './support.ts';

const CORE = '/api/v1/namespaces/one/events';
const GROUPED = '/apis/events.k8s.io/v1/namespaces/one/events';
const TABLE = {accept: 'application/json;as=Table;v=v1;g=meta.k8s.io'};
const PROTOBUF = {accept: 'application/vnd.kubernetes.protobuf'};

let wire: Wire;
beforeAll(async () => {
  wire = await startWire({compat: 'kubernetes', timers: hastyTimers});
});
afterAll(() => wire[Symbol.asyncDispose]());

const core = (name: string, more: object = {}): Body => ({
  apiVersion: 'v1',
  kind: 'Event',
  metadata: {name},
  involvedObject: {kind: 'Pod', namespace: 'one', name},
  message: 'text',
  ...more,
});

test('45-1 each watch gets its own form of the same change, however many share the store', async () => {
  const name = freshName();
  const queries = [
    [CORE, {fieldSelector: `involvedObject.name=${name}`}],
    [GROUPED, {fieldSelector: `regarding.name=${name}`}],
    [CORE, {fieldSelector: `metadata.name=${name}`}],
    [GROUPED, {fieldSelector: `metadata.name=${name}`}],
  ] as const;
  const watches = await Promise.all(queries.map(([path, query]) => wire.watch(path, query)));
  const {body} = await wire.send('POST', CORE, {body: core(name)});
  await wire.send('PATCH', `${GROUPED}/${name}`, {
    body: {metadata: {labels: {a: '1'}}},
    headers: {'content-type': MERGE},
  });
  await wire.send('DELETE', `${GROUPED}/${name}`);
  for (const [index, watch] of watches.entries()) {
    const events = [await watch.next(), await watch.next(), await watch.next()];
    watch.close();
    expect(events.map(({type}) => type)).toEqual(['ADDED', 'MODIFIED', 'DELETED']);
    const isCore = queries[index]?.[0] === CORE;
    for (const {object} of events) {
      expect(object.apiVersion).toBe(isCore ? 'v1' : 'events.k8s.io/v1');
      expect(isCore ? object.message : object.note).toBe('text');
      expect(object.metadata.uid).toBe(body.metadata.uid);
    }
    expect(events[0].object.metadata.resourceVersion).toBe(body.metadata.resourceVersion);
  }
});

test('45-1 the bookmark behind the initial events is an event of the group that was asked', async () => {
  const query = {sendInitialEvents: 'true', resourceVersionMatch: 'NotOlderThan', allowWatchBookmarks: 'true'};
  const watch = await wire.watch(GROUPED, {...query, fieldSelector: 'reason=none'});
  const {type, object} = await watch.next();
  watch.close();
  expect([type, object.apiVersion, object.deprecatedSource]).toEqual(['BOOKMARK', 'events.k8s.io/v1', {}]);
});

test('45-1 a Table of either group has the same rows, and holds the objects of its own', async () => {
  const name = freshName();
  await wire.send('POST', CORE, {body: core(name, {count: 7, source: {component: 'kubelet'}})});
  const query = {fieldSelector: `metadata.name=${name}`, includeObject: 'Object'};
  const [ofCore, ofGroup] = await Promise.all(
    [CORE, GROUPED].map(async path => (await wire.send('GET', path, {query, headers: TABLE})).body.rows[0]),
  );
  expect(ofCore.cells).toEqual(['<unknown>', '', '', `pod/${name}`, '', 'kubelet', 'text', '<unknown>', 7, name]);
  expect(ofGroup.cells).toEqual(ofCore.cells);
  expect([ofCore.object.count, ofGroup.object.deprecatedCount]).toEqual([7, 7]);
});

test('45-1 protobuf names the group that was asked, alone and in a list', async () => {
  const name = freshName();
  await wire.send('POST', CORE, {body: core(name)});
  const read = async (path: string): Promise<string> => {
    const response = await fetch(wire.url + path, {headers: PROTOBUF});
    return openEnvelope(Buffer.from(await response.arrayBuffer())).apiVersion;
  };
  expect(await read(`${GROUPED}/${name}`)).toBe('events.k8s.io/v1');
  expect(await read(GROUPED)).toBe('events.k8s.io/v1');
  expect(await read(`${CORE}/${name}`)).toBe('v1');
});

test('45-1 pages go on in the past that the first one showed, in the form of the group', async () => {
  const run = freshName();
  const labels = {run};
  for (const name of ['a', 'b', 'c']) {
    await wire.send('POST', CORE, {body: {...core(`${run}${name}`), metadata: {name: `${run}${name}`, labels}}});
  }
  const query = {labelSelector: `run=${run}`, limit: '2', resourceVersion: '0'};
  const {body: first} = await wire.send('GET', GROUPED, {query});
  expect(first.items.map(({note}: Body) => note)).toEqual(['text', 'text']); // served without a watch cache upstream
  await wire.send('PATCH', `${CORE}/${run}c`, {body: {message: 'later'}, headers: {'content-type': MERGE}});
  const next = {labelSelector: `run=${run}`, continue: first.metadata.continue};
  const {body: second} = await wire.send('GET', GROUPED, {query: next});
  expect(second.items.map(({metadata, note}: Body) => [metadata.name, note])).toEqual([[`${run}c`, 'text']]);
});

test('45-1 a version that is not there yet is refused at once, and without a time to try again, as upstream without its cache', async () => {
  const name = freshName();
  await wire.send('POST', CORE, {body: core(name)});
  const query = {resourceVersion: '999999999'};
  for (const path of [CORE, GROUPED, `${CORE}/${name}`]) {
    const {status, headers, body} = await wire.send('GET', path, {query});
    expect([status, headers['retry-after'], body.details.retryAfterSeconds]).toEqual([504, undefined, undefined]);
  }
});

test('45-1 the events of a namespace go with it, once', async () => {
  await wire.send('POST', '/api/v1/namespaces', {body: {metadata: {name: 'leaving'}}});
  const events = '/api/v1/namespaces/leaving/events';
  const made = core('a', {involvedObject: {kind: 'Pod', namespace: 'leaving', name: 'p'}});
  await wire.send('POST', events, {body: made});
  const watch = await wire.watch('/apis/events.k8s.io/v1/namespaces/leaving/events');
  await wire.send('DELETE', '/api/v1/namespaces/leaving');
  expect(await watch.take(2)).toEqual(['ADDED a', 'DELETED a']);
  watch.close();
});
