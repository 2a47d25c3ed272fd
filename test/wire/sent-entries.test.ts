// SPDX-License-Identifier: Apache-2.0
/** Entries of managedFields that a client gives back changed. */
import {afterAll, beforeAll, expect, test} from 'vitest';
import {ManualTime} from './manual-time.ts';
import {APPLY, type Body, ENDPOINTS, endpoints, freshName, MERGE, startWire, subset, type Wire} from './support.ts';

let wire: Wire;
let spec: Wire;
beforeAll(async () => {
  const clock = new ManualTime(); // entries are sorted by their times
  wire = await startWire({compat: 'kubernetes', clock});
  spec = await startWire({clock});
});
afterAll(async () => {
  await wire[Symbol.asyncDispose]();
  await spec[Symbol.asyncDispose]();
});

/** An object with two managers: m2 and m3. */
const twice = async (to: Wire): Promise<Body> => {
  const name = freshName();
  const body = endpoints(name, [subset()], {labels: {a: '1'}});
  await to.send('POST', ENDPOINTS, {body, query: {fieldManager: 'm2'}});
  const patched = await to.send('PATCH', `${ENDPOINTS}/${name}`, {
    body: {metadata: {labels: {b: '1'}}},
    query: {fieldManager: 'm3'},
    headers: {'content-type': MERGE},
  });
  return patched.body;
};
const put = (to: Wire, body: Body, query: Record<string, string> = {}) =>
  to.send('PUT', `${ENDPOINTS}/${body.metadata.name}`, {body, query: {fieldManager: 'm1', ...query}});
const managersOf = (body: Body): string[] =>
  (body.metadata.managedFields ?? []).map((entry: {manager: string}) => entry.manager);

test('E-210 a version that is none ends the tracking, and is refused in the default mode', async () => {
  const live = await twice(wire);
  live.metadata.managedFields[0].apiVersion = 'a/b/c';
  live.metadata.labels.a = '2';
  const {status, body} = await put(wire, live);
  expect([status, body.metadata.managedFields]).toEqual([200, undefined]);

  const ours = await twice(spec);
  ours.metadata.managedFields[0].apiVersion = 'a/b/c';
  const refused = await put(spec, ours);
  expect([refused.status, refused.body.details.causes]).toEqual([
    422,
    [expect.objectContaining({field: 'metadata.managedFields[0].apiVersion'})],
  ]);
});

test('E-210 who claims what nobody owns is met by an apply, and loses it to any write that changes it', async () => {
  const claimed = async (): Promise<string> => {
    const live = await twice(wire);
    const fieldsV1 = {'f:metadata': {'f:generation': {}, 'f:labels': {'f:a': {}}}};
    live.metadata.managedFields = [
      {manager: 'z', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1},
    ];
    expect((await put(wire, live)).body.metadata.managedFields).toEqual(live.metadata.managedFields);
    return live.metadata.name;
  };
  const patch = (name: string, type: string, body: Body, query: Record<string, string> = {}) =>
    wire.send('PATCH', `${ENDPOINTS}/${name}`, {
      body,
      query: {fieldManager: 'm2', ...query},
      headers: {'content-type': type},
    });
  const left = [{manager: 'z', fieldsV1: {'f:metadata': {'f:labels': {'f:a': {}}}}}];

  const applied = await claimed();
  const configuration = {...endpoints(applied, []), metadata: {name: applied, generation: 7}};
  const refused = await patch(applied, APPLY, configuration);
  expect([refused.status, refused.body.message]).toEqual([
    409,
    'Apply failed with 1 conflict: conflict with "z" using v1: .metadata.generation',
  ]);
  const forced = await patch(applied, APPLY, configuration, {force: 'true'});
  expect(forced.body.metadata.managedFields.filter(({manager}: Body) => manager === 'z')).toMatchObject(left);

  const merged = await patch(await claimed(), MERGE, {metadata: {generation: 7}});
  expect(merged.body.metadata.managedFields).toMatchObject(left);
});

test('E-213 a user agent is UTF-8, and what is none of it one sign each', async () => {
  const managerFor = async (agent: Buffer): Promise<string[]> => {
    // As bytes: node sends headers in the encoding of a text.
    const body = Buffer.from(JSON.stringify(endpoints(freshName(), [], {labels: {a: '1'}})));
    const created = await wire.send('POST', ENDPOINTS, {body, headers: {'user-agent': agent.toString('latin1')}});
    return managersOf(created.body);
  };
  expect(await managerFor(Buffer.from('Zoë/1.0'))).toEqual(['Zoë']);
  expect(await managerFor(Buffer.from([0xfc, 0x2f, 0x31]))).toEqual(['\ufffd']);
});

test('E-210 entries of another version go, and the others stay', async () => {
  const live = await twice(wire);
  live.metadata.managedFields[0].apiVersion = 'x/v1';
  live.metadata.labels.c = '2';
  expect(managersOf((await put(wire, live)).body)).toEqual(['m1', 'm3']);
});

test('E-216 a time that moves its entry is a change upstream, and none in the default mode', async () => {
  const move = async (to: Wire): Promise<{live: Body; next: Body}> => {
    const live = await twice(to);
    const sent = structuredClone(live);
    sent.metadata.managedFields[1].time = '2020-01-01T00:00:00Z';
    return {live, next: (await put(to, sent)).body};
  };
  const upstream = await move(wire);
  expect(managersOf(upstream.next)).toEqual(['m3', 'm2']);
  expect(upstream.next.metadata.resourceVersion).not.toBe(upstream.live.metadata.resourceVersion);
  const ours = await move(spec);
  expect(ours.next).toEqual(ours.live);
});

test('E-218 conflicts are sorted by who holds the fields; who has no name comes last', async () => {
  const name = freshName();
  const entry = {operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: {'f:subsets': {}}};
  const live = endpoints(name, [subset()], {managedFields: [entry, {...entry, manager: 'm3'}]});
  await wire.send('POST', ENDPOINTS, {body: endpoints(name, [subset()]), query: {fieldManager: 'm3'}});
  await put(wire, live);
  const {status, body} = await wire.send('PATCH', `${ENDPOINTS}/${name}`, {
    body: endpoints(name, []),
    query: {fieldManager: 'm2'},
    headers: {'content-type': APPLY},
  });
  expect([status, body.message]).toEqual([
    409,
    'Apply failed with 2 conflicts: conflicts with "m3" using v1:\n- .subsets\nconflicts with "" using v1:\n- .subsets',
  ]);
});

test('E-162 upstream, a dry run of an update gives back the selfLink that was sent', async () => {
  const live = await twice(wire);
  live.metadata.selfLink = '/x';
  const dry = await put(wire, live, {dryRun: 'All'});
  expect(dry.body.metadata.selfLink).toBe('/x');
  const fresh = {...live, metadata: {name: freshName(), selfLink: '/x'}};
  expect((await put(wire, fresh, {dryRun: 'All'})).body.metadata.selfLink).toBe('/x');
  const posted = await wire.send('POST', ENDPOINTS, {body: fresh, query: {dryRun: 'All'}});
  expect([posted.status, posted.body.metadata.selfLink]).toEqual([201, undefined]);
  expect((await put(wire, live)).body.metadata.selfLink).toBeUndefined();

  const ours = await twice(spec);
  ours.metadata.selfLink = '/x';
  expect((await put(spec, ours, {dryRun: 'All'})).body.metadata.selfLink).toBeUndefined();
});

test.each(['1e400', `${'['.repeat(1200)}${']'.repeat(1200)}`])(
  'an unknown field that is ignored does not hinder that entries are given back: %s',
  async value => {
    const {metadata, subsets} = await twice(wire);
    const text = JSON.stringify({metadata, subsets}).replace('{', `{"unknown":${value},`);
    const answer = await wire.send('PUT', `${ENDPOINTS}/${metadata.name}`, {
      body: text,
      query: {fieldValidation: 'Ignore'},
    });
    expect([answer.status, answer.body.metadata.managedFields]).toEqual([200, metadata.managedFields]);
  },
);

test.each([
  [MERGE, (entry: string) => `{"metadata":{"managedFields":[${entry}]}}`],
  [
    'application/json-patch+json',
    (entry: string) => `[{"op":"add","path":"/metadata/managedFields","value":[${entry}]}]`,
  ],
])('E-211 entries in a patch mean the same however their texts are written (%s)', async (type, patchOf) => {
  const {metadata} = await twice(wire);
  const entry = String.raw`{"manager":"\u0061<","operation":"Update","apiVersion":"v1","time":"2020-01-01T00:00:00Z","fieldsType":"FieldsV1","fieldsV1":{"\u0066:metadata":{"f:labels":{"f:a":{}}}}}`;
  const {body} = await wire.send('PATCH', `${ENDPOINTS}/${metadata.name}`, {
    body: patchOf(entry),
    query: {fieldManager: 'm1'},
    headers: {'content-type': type},
  });
  expect(body.metadata.managedFields).toEqual([JSON.parse(entry)]);
});

test('E-215 steps are read and written as upstream does: what follows their first value is dropped, some escapes are long', async () => {
  const owner = {apiVersion: 'example.com/v1', kind: 'Foo', name: 'n', uid: 'u\b\f\n'};
  const fieldsV1 = {
    'f:metadata': {
      'f:finalizers': {'v:"example.com/a" x': {}},
      'f:ownerReferences': {'k:{"uid":"1"} 2': {}, 'v:9007199254740993x': {}, 'i:+9007199254740993': {}},
    },
  };
  const entry = {manager: 'x', operation: 'Apply', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1};
  const body = endpoints(freshName(), [], {managedFields: [entry], ownerReferences: [owner]});
  const created = await wire.send('POST', ENDPOINTS, {body, query: {fieldManager: 'm'}});
  expect(created.body.metadata.managedFields.map((each: {fieldsV1: Body}) => each.fieldsV1['f:metadata'])).toEqual([
    {
      'f:finalizers': {'v:"example.com/a"': {}},
      'f:ownerReferences': {'k:{"uid":"1"}': {}, 'v:9007199254740993': {}, 'i:9007199254740993': {}},
    },
    {'f:ownerReferences': {'.': {}, [String.raw`k:{"uid":"u\u0008\u000c\n"}`]: {}}},
  ]);
});

test('E-048 an empty list within an item is not stored; upstream, who sends it comes to own the list', async () => {
  const write = async (to: Wire, type: string | undefined, given: object) => {
    const {metadata, subsets} = await twice(to);
    const body = type === undefined ? {metadata: {name: metadata.name, labels: metadata.labels}, ...given} : given;
    const {body: next} = await to.send(type === undefined ? 'PUT' : 'PATCH', `${ENDPOINTS}/${metadata.name}`, {
      body,
      query: {fieldManager: 'm1'},
      headers: type === undefined ? {} : {'content-type': type},
    });
    expect(next.subsets).toEqual(subsets);
    return managersOf(next);
  };
  const empty = {subsets: [{...subset(), notReadyAddresses: []}]};
  const none = {subsets: [{...subset(), notReadyAddresses: null}]};
  for (const type of [undefined, MERGE, 'application/strategic-merge-patch+json']) {
    expect(await write(wire, type, empty)).toContain('m1');
    expect(await write(wire, type, none)).not.toContain('m1');
    expect(await write(spec, type, empty)).not.toContain('m1');
  }
});
