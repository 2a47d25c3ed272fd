// SPDX-License-Identifier: Apache-2.0
/** A kind that the product has never heard of behaves as Endpoints do. Ref: requirements E.3 to E.13. */
import {deletionTimers, everyoneIsMaster, garbageCollection, mastersOnly} from '@palisade/apiserver';
import {serveKubeApi, type TestKubeApi} from '@palisade/apiserver/testing';
import {kubeKinds} from '@palisade/endpoints';
import {openMemoryStore} from '@palisade/store/memory';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {widgetKind} from '../kinds/widget.ts';
import {
  APPLY,
  type Body,
  ENDPOINTS,
  endpoints,
  fields,
  freshName,
  JSON_PATCH,
  MERGE,
  STRATEGIC,
  WireClient,
} from '../support.ts';

const API = '/apis/test.palisade.dev/v1';
const WIDGETS = `${API}/namespaces/one/widgets`;
let served: TestKubeApi;
let wire: WireClient;
beforeAll(async () => {
  served = await serveKubeApi({
    store: await openMemoryStore(),
    kinds: [...kubeKinds, widgetKind],
    controllers: [garbageCollection, deletionTimers],
    compat: 'spec',
    authenticator: everyoneIsMaster,
    authorizer: mastersOnly,
  });
  wire = new WireClient(served.url);
  for (const name of ['one', 'two', 'doomed'])
    await wire.send('POST', '/api/v1/namespaces', {body: {metadata: {name}}});
});
afterAll(() => served[Symbol.asyncDispose]());

const widget = (name: string, spec: object = {}, metadata: object = {}): Body => ({
  apiVersion: 'test.palisade.dev/v1',
  kind: 'Widget',
  metadata: {name, ...metadata},
  spec,
});
const create = async (spec: object = {}, metadata: object = {}, path = WIDGETS): Promise<Body> => {
  const answer = await wire.send('POST', path, {body: widget(freshName(), spec, metadata)});
  expect(answer.status, answer.text).toBe(201);
  return answer.body;
};
const at = ({kind, metadata}: Body): string =>
  `${kind === 'Widget' ? API : '/api/v1'}/namespaces/${metadata.namespace}/${kind === 'Widget' ? 'widgets' : 'endpoints'}/${metadata.name}`;
const patch = (object: Body, type: string, body: unknown, query: Record<string, string> = {}) =>
  wire.send('PATCH', at(object), {body: JSON.stringify(body), headers: {'content-type': type}, query});
const apply = (name: string, fieldManager: string, spec: object, query: Record<string, string> = {}) =>
  patch({kind: 'Widget', metadata: {namespace: 'one', name}}, APPLY, widget(name, spec), {fieldManager, ...query});
const gone = (object: Body) =>
  expect.poll(async () => (await wire.send('GET', at(object))).status, {timeout: 10_000}).toBe(404);
const refTo = ({apiVersion, kind, metadata}: Body) => ({apiVersion, kind, name: metadata.name, uid: metadata.uid});

describe('reads', () => {
  test('E-270 discovery and OpenAPI list the kind', async () => {
    const group = await wire.send('GET', API);
    expect(group.body.resources.map((r: Body) => r.name)).toEqual(['widgets', 'widgets/status']);
    expect(JSON.parse((await wire.send('GET', '/openapi/v3')).text).paths).toHaveProperty('apis/test.palisade.dev/v1');
    const v3 = (await wire.send('GET', '/openapi/v3/apis/test.palisade.dev/v1')).body;
    expect(v3.components.schemas['dev.palisade.test.v1.WidgetSpec'].properties.parts).toMatchObject({
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
    });
    const v2 = (await wire.send('GET', '/openapi/v2')).body;
    expect(Object.keys(v2.paths)).toContain(`${API}/namespaces/{namespace}/widgets/{name}/status`);
  });

  test('E-271 lists go in pages and by selectors', async () => {
    const label = freshName();
    for (let i = 0; i < 3; i++) await create({size: i}, {labels: {set: label}});
    const query = {labelSelector: `set=${label}`, limit: '2'};
    const first = (await wire.send('GET', WIDGETS, {query})).body;
    expect(first.kind).toBe('WidgetList');
    expect(first.items.map((w: Body) => w.spec.size ?? 0)).toEqual([0, 1]);
    const rest = (await wire.send('GET', WIDGETS, {query: {...query, continue: first.metadata.continue}})).body;
    expect(rest.items.map((w: Body) => w.spec.size)).toEqual([2]);
    const {name} = rest.items[0].metadata;
    const found = await wire.send('GET', `${API}/widgets`, {query: {fieldSelector: `metadata.name=${name}`}});
    expect(found.body.items).toHaveLength(1);
  });

  test('E-271 E-275 a watch goes on where another ended', async () => {
    const before = (await wire.send('GET', WIDGETS)).body.metadata.resourceVersion;
    const made = await create({size: 1});
    await patch(made, MERGE, {spec: {size: 2}});
    const first = await wire.watch(WIDGETS, {resourceVersion: before});
    const added = await first.next();
    first.close();
    expect([added.type, added.object.spec.size]).toEqual(['ADDED', 1]);
    await wire.send('DELETE', at(made));
    const second = await wire.watch(WIDGETS, {resourceVersion: added.object.metadata.resourceVersion});
    expect(await second.take(2)).toEqual([`MODIFIED ${made.metadata.name}`, `DELETED ${made.metadata.name}`]);
    second.close();
  });

  test('E-272 the Table has the columns of the kind', async () => {
    const made = await create({size: 7});
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
    const table = (await wire.send('GET', at(made), {headers: {accept}})).body;
    expect(table.columnDefinitions.map((c: Body) => c.name)).toEqual(['Name', 'Size', 'Age']);
    expect(table.rows[0].cells.slice(0, 2)).toEqual([made.metadata.name, 7]);
  });

  test('E-272 protobuf goes out and comes in again', async () => {
    const spec = {size: 3, settings: {a: '1'}, tags: ['x'], parts: [{name: 'p', amount: 2}], steps: ['s', 's']};
    const made = await create(spec);
    const media = 'application/vnd.kubernetes.protobuf';
    const bytes = Buffer.from(await (await fetch(served.url + at(made), {headers: {accept: media}})).arrayBuffer());
    await patch(made, MERGE, {spec: {size: 4, parts: null}, metadata: {resourceVersion: null}});
    const stale = await wire.send('PUT', at(made), {body: bytes, headers: {'content-type': media}});
    expect(stale.status).toBe(409);
    await wire.send('DELETE', at(made));
    expect(bytes.subarray(0, 3).toString()).toBe('k8s');
    const fresh = await create(spec);
    const copy = await fetch(served.url + at(fresh), {headers: {accept: media}});
    const put = await wire.send('PUT', at(fresh), {
      body: Buffer.from(await copy.arrayBuffer()),
      headers: {'content-type': media},
    });
    expect(put.body.spec, put.text).toEqual(spec);
  });
});

describe('writes', () => {
  test('E-271 PUT: an old resourceVersion is a conflict; status has its own door', async () => {
    const made = await create({size: 1});
    const put = await wire.send('PUT', at(made), {body: {...made, spec: {size: 2}, status: {phase: 'no'}}});
    expect([put.status, put.body.spec.size, put.body.status.phase]).toEqual([200, 2, undefined]);
    expect((await wire.send('PUT', at(made), {body: made})).status).toBe(409);
    const status = await wire.send('PUT', `${at(made)}/status`, {
      body: {...put.body, spec: {size: 9}, status: {phase: 'Ready'}},
    });
    expect([status.body.spec.size, status.body.status.phase]).toEqual([2, 'Ready']);
  });

  test('E-271 all faults at once, by path; a dry run keeps nothing', async () => {
    const refused = await wire.send('POST', WIDGETS, {body: widget(freshName(), {size: 101, parts: [{amount: 1}]})});
    expect(refused.status).toBe(422);
    expect(fields(refused)).toEqual(['spec.size', 'spec.parts[0].name']);
    const name = freshName();
    expect((await wire.send('POST', WIDGETS, {body: widget(name), query: {dryRun: 'All'}})).status).toBe(201);
    expect((await wire.send('GET', `${WIDGETS}/${name}`)).status).toBe(404);
  });

  test('E-271 unknown fields are refused, told or dropped', async () => {
    const send = (fieldValidation: string) =>
      wire.send('POST', WIDGETS, {body: widget(freshName(), {colour: 'red'}), query: {fieldValidation}});
    expect((await send('Strict')).body.message).toContain('unknown field "spec.colour"');
    expect((await send('Warn')).warnings).toEqual(['unknown field "spec.colour"']);
    const ignored = await send('Ignore');
    expect([ignored.status, ignored.warnings]).toEqual([201, []]);
  });

  test('E-271 the four patches, each by the schema of the kind', async () => {
    const made = await create({tags: ['a'], parts: [{name: 'p', amount: 1, note: 'n'}], steps: ['one']});
    const strategic = await patch(made, STRATEGIC, {
      spec: {tags: ['b'], parts: [{name: 'p', amount: 2}, {name: 'q'}], steps: ['two']},
    });
    expect(strategic.body.spec.tags.toSorted()).toEqual(['a', 'b']);
    expect(strategic.body.spec.parts).toContainEqual({name: 'p', amount: 2, note: 'n'});
    expect(strategic.body.spec.parts).toContainEqual({name: 'q'});
    expect(strategic.body.spec.steps).toEqual(['two']);
    const removed = await patch(made, STRATEGIC, {spec: {parts: [{name: 'p', $patch: 'delete'}]}});
    expect(removed.body.spec.parts).toEqual([{name: 'q'}]);
    expect((await patch(made, MERGE, {spec: {tags: ['c']}})).body.spec.tags).toEqual(['c']);
    const json = await patch(made, JSON_PATCH, [{op: 'add', path: '/spec/tags/-', value: 'd'}]);
    expect(json.body.spec.tags).toEqual(['c', 'd']);
    const applied = await apply(made.metadata.name, 'me', {tags: ['e']});
    expect(applied.body.spec.tags.toSorted()).toEqual(['c', 'd', 'e']);
  });
});

describe('server-side apply', () => {
  test('E-218 E-219 conflicts are told item by item; force takes the field over', async () => {
    const name = freshName();
    await apply(name, 'a', {
      parts: [
        {name: 'p', amount: 1},
        {name: 'q', amount: 1},
      ],
      tags: ['x'],
      settings: {k: '1'},
    });
    const clash = await apply(name, 'b', {parts: [{name: 'p', amount: 2}, {name: 'r'}], tags: ['x', 'y']});
    expect(clash.status).toBe(409);
    expect(fields(clash)).toEqual(['.spec.parts[name="p"].amount']);
    const forced = await apply(
      name,
      'b',
      {parts: [{name: 'p', amount: 2}, {name: 'r'}], tags: ['x', 'y']},
      {force: 'true'},
    );
    expect(forced.body.spec.parts).toEqual([{name: 'p', amount: 2}, {name: 'q', amount: 1}, {name: 'r'}]);
    const left = await apply(name, 'a', {});
    expect(left.body.spec).toEqual({parts: [{name: 'p', amount: 2}, {name: 'r'}], tags: ['x', 'y']});
  });

  test('E-218 an atomic list is owned as a whole', async () => {
    const name = freshName();
    await apply(name, 'a', {steps: ['one']});
    expect((await apply(name, 'b', {steps: ['one']})).status).toBe(200);
    expect(fields(await apply(name, 'b', {steps: ['one', 'two']}))).toEqual(['.spec.steps']);
  });

  test('E-211 E-215 managedFields name the paths of the schema, status apart', async () => {
    const name = freshName();
    const made = await apply(name, 'a', {parts: [{name: 'p', amount: 1}], tags: ['x'], steps: ['s']});
    expect(made.body.metadata.managedFields[0]).toMatchObject({
      manager: 'a',
      operation: 'Apply',
      apiVersion: 'test.palisade.dev/v1',
      fieldsV1: {
        'f:spec': {
          'f:parts': {'k:{"name":"p"}': {'.': {}, 'f:name': {}, 'f:amount': {}}},
          'f:tags': {'v:"x"': {}},
          'f:steps': {},
        },
      },
    });
    const status = await wire.send('PATCH', `${at(made.body)}/status`, {
      body: JSON.stringify({status: {phase: 'Ready'}}),
      headers: {'content-type': MERGE},
    });
    expect(status.body.metadata.managedFields.map((m: Body) => m.subresource)).toContain('status');
  });
});

describe('deletion', () => {
  test('E-119 finalizers hold the object, a grace period ends in time', async () => {
    const held = await create({}, {finalizers: ['example.com/slow']});
    expect((await wire.send('DELETE', at(held))).body.metadata.deletionTimestamp).toBeTypeOf('string');
    await patch(held, MERGE, {metadata: {finalizers: null}});
    await gone(held);
    const timed = await create();
    const marked = await wire.send('DELETE', at(timed), {query: {gracePeriodSeconds: '1'}});
    expect(marked.body.metadata.deletionGracePeriodSeconds).toBe(1);
    await gone(timed);
  });

  test('E-153 a Widget takes its Endpoints along and the other way round', async () => {
    const owner = await create();
    const answer = await wire.send('POST', ENDPOINTS, {
      body: endpoints(freshName(), undefined, {ownerReferences: [refTo(owner)]}),
    });
    const middle = answer.body;
    const last = await create({}, {ownerReferences: [refTo(middle)]});
    await wire.send('DELETE', at(owner));
    await gone(middle);
    await gone(last);
  });

  test('E-271 deletecollection and the deletion of a namespace reach the kind', async () => {
    const label = freshName();
    const [a, b] = [await create({}, {labels: {set: label}}), await create({})];
    await wire.send('DELETE', WIDGETS, {query: {labelSelector: `set=${label}`}});
    await gone(a);
    expect((await wire.send('GET', at(b))).status).toBe(200);
    const inside = await create({}, {}, `${API}/namespaces/doomed/widgets`);
    await wire.send('DELETE', '/api/v1/namespaces/doomed');
    await gone(inside);
    await expect.poll(async () => (await wire.send('GET', '/api/v1/namespaces/doomed')).status).toBe(404);
  });
});
