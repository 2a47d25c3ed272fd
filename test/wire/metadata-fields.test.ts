// SPDX-License-Identifier: Apache-2.0
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {
  APPLY,
  ENDPOINTS,
  endpoints,
  fields,
  freshName,
  JSON_PATCH,
  MERGE,
  STRATEGIC,
  startWire,
  subset,
  type Wire,
} from './support.ts';

const SECOND_MS = 1_000;

describe.each(['spec', 'kubernetes'] as const)('metadata, --compat %s', compat => {
  let wire: Wire;
  beforeAll(async () => {
    wire = await startWire({compat});
  });
  afterAll(() => wire[Symbol.asyncDispose]());

  const post = (metadata: object) =>
    wire.send('POST', ENDPOINTS, {body: endpoints(freshName(), [subset()], metadata as Record<string, unknown>)});
  const merge = (name: string, metadata: object) =>
    wire.send('PATCH', `${ENDPOINTS}/${name}`, {body: {metadata}, headers: {'content-type': MERGE}});
  const read = async (name: string) => (await wire.send('GET', `${ENDPOINTS}/${name}`)).body;

  test.each([
    {what: 'plain text', value: 'x'},
    {what: 'emoji', value: '🦊 ☃ é'},
    {what: 'newlines and tabs', value: 'a\nb\r\n\tc'},
    {what: 'quotes and markup', value: '"\\ <&> \u2028'},
    {what: 'JSON', value: '{"a": [1, 2]}'},
    {what: '200 KiB', value: 'v'.repeat(200 * 1024)},
    {what: 'nothing', value: ''},
  ])('E-110 E-113 an annotation keeps $what byte for byte', async ({value}) => {
    const {body} = await post({annotations: {note: value}});
    expect((await read(body.metadata.name)).metadata.annotations).toEqual({note: value});
  });

  test('E-111 annotations cannot be selected by', async () => {
    for (const fieldSelector of ['metadata.annotations.note=x', 'metadata.annotations=x']) {
      expect((await wire.send('GET', ENDPOINTS, {query: {fieldSelector}})).status).toBe(400);
    }
    await post({annotations: {note: 'only-an-annotation'}});
    expect((await wire.send('GET', ENDPOINTS, {query: {labelSelector: 'note=only-an-annotation'}})).body.items).toEqual(
      [],
    );
  });

  test('E-112 annotations of others survive patches and applies', async () => {
    const {body} = await post({annotations: {theirs: '1'}});
    const {name} = body.metadata;
    const patch = (type: string, sent: unknown, query = {}) =>
      wire.send('PATCH', `${ENDPOINTS}/${name}`, {body: sent, query, headers: {'content-type': type}});
    await patch(MERGE, {metadata: {annotations: {a: '1'}}});
    await patch(STRATEGIC, {metadata: {annotations: {b: '1'}}});
    await patch(JSON_PATCH, [{op: 'add', path: '/metadata/annotations/c', value: '1'}]);
    await patch(APPLY, endpoints(name, undefined, {annotations: {d: '1'}}), {fieldManager: 'm'});
    expect((await read(name)).metadata.annotations).toEqual({theirs: '1', a: '1', b: '1', c: '1', d: '1'});
  });

  test("E-115 creationTimestamp is the server's time in UTC", async () => {
    const before = Math.floor(Date.now() / SECOND_MS) * SECOND_MS;
    const {body} = await post({});
    expect(body.metadata.creationTimestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    const created = Date.parse(body.metadata.creationTimestamp);
    expect(created).toBeGreaterThanOrEqual(before);
    expect(created).toBeLessThanOrEqual(Date.now());
  });

  test('E-116 creationTimestamp of a client is ignored', async () => {
    const creationTimestamp = '2001-01-01T00:00:00Z';
    const created = await post({creationTimestamp});
    const {name, creationTimestamp: real} = created.body.metadata;
    expect(real).not.toBe(creationTimestamp);
    const put = await wire.send('PUT', `${ENDPOINTS}/${name}`, {
      body: endpoints(name, [subset()], {creationTimestamp}),
    });
    expect([
      put.body.metadata.creationTimestamp,
      (await merge(name, {creationTimestamp})).body.metadata.creationTimestamp,
    ]).toEqual([real, real]);
  });

  test('E-117 a list has no creationTimestamp', async () => {
    const {body} = await wire.send('GET', ENDPOINTS);
    expect(Object.keys(body.metadata)).toEqual(['resourceVersion']);
  });

  test.each([
    {id: 'E-121', field: 'deletionGracePeriodSeconds', value: 30},
    {id: 'E-123', field: 'deletionTimestamp', value: '2001-01-01T00:00:00Z'},
  ])('$id a client cannot set $field; leaving it out changes nothing', async ({field, value}) => {
    const created = await post({[field]: value});
    expect([created.status, created.body.metadata[field]]).toEqual([201, undefined]);
    const {name} = created.body.metadata;
    const set = {[field]: value};
    const answers = [
      await wire.send('PUT', `${ENDPOINTS}/${name}`, {body: endpoints(name, [subset()], set)}),
      await merge(name, set),
      await wire.send('PATCH', `${ENDPOINTS}/${name}`, {
        query: {fieldManager: 'm', force: 'true'},
        body: endpoints(name, undefined, set),
        headers: {'content-type': APPLY},
      }),
    ];
    for (const answer of answers) {
      expect([answer.status, answer.body.details.causes[0]]).toEqual([
        422,
        {
          reason: 'FieldValueInvalid',
          field: `metadata.${field}`,
          message: `Invalid value: ${JSON.stringify(value)}: field is immutable`,
        },
      ]);
    }
    await merge(name, {finalizers: ['example.com/x']});
    const marked = (await wire.send('DELETE', `${ENDPOINTS}/${name}`)).body.metadata;
    const changed = await merge(name, {[field]: field === 'deletionTimestamp' ? '2099-01-01T00:00:00Z' : 77});
    expect(changed.status).toBe(422);
    const left = await merge(name, {[field]: null, labels: {a: 'b'}});
    expect([left.status, left.body.metadata[field]]).toEqual([200, marked[field]]);
    await merge(name, {finalizers: null});
  });

  test('E-119 E-122 E-124 the marks of deletion come together, and only with it', async () => {
    const {body} = await post({finalizers: ['example.com/x']});
    const {name} = body.metadata;
    expect(body.metadata).not.toHaveProperty('deletionTimestamp');
    expect(body.metadata).not.toHaveProperty('deletionGracePeriodSeconds');
    const marked = (await wire.send('DELETE', `${ENDPOINTS}/${name}`)).body.metadata;
    expect(marked.deletionTimestamp).toMatch(/Z$/);
    expect(marked.deletionGracePeriodSeconds).toBe(0);
    await merge(name, {finalizers: null});
  });

  test('E-125 an object with a finalizer stays until the list is empty', async () => {
    const {body} = await post({finalizers: ['example.com/a', 'example.com/b']});
    const {name} = body.metadata;
    expect((await wire.send('DELETE', `${ENDPOINTS}/${name}`)).status).toBe(200);
    expect((await merge(name, {finalizers: ['example.com/b']})).status).toBe(200);
    expect((await read(name)).metadata.finalizers).toEqual(['example.com/b']);
    const last = await merge(name, {finalizers: []});
    expect([last.status, last.body.kind]).toEqual([200, 'Endpoints']);
    expect((await wire.send('GET', `${ENDPOINTS}/${name}`)).status).toBe(404);
  });

  test.each([{finalizer: 'x'}, {finalizer: ''}, {finalizer: 'a/b/c'}, {finalizer: 'Bad_/x'}])(
    'E-126 refuses the finalizer "$finalizer"',
    async ({finalizer}) => {
      const answer = await post({finalizers: [finalizer]});
      expect(answer.status).toBe(422);
      expect(fields(answer).every(field => field.startsWith('metadata.finalizers'))).toBe(true);
    },
  );

  test.each([{finalizer: 'example.com/Mixed-Case_1'}, {finalizer: 'orphan'}, {finalizer: 'foregroundDeletion'}])(
    'E-126 keeps the finalizer $finalizer as written',
    async ({finalizer}) => {
      expect((await post({finalizers: [finalizer]})).body.metadata.finalizers).toEqual([finalizer]);
    },
  );

  test('E-127 while an object is being deleted, finalizers can only go', async () => {
    const {body} = await post({finalizers: ['example.com/a', 'example.com/b']});
    const {name} = body.metadata;
    await wire.send('DELETE', `${ENDPOINTS}/${name}`);
    const added = await merge(name, {finalizers: ['example.com/a', 'example.com/b', 'example.com/c']});
    expect([added.status, added.body.message]).toEqual([
      422,
      `Endpoints "${name}" is invalid: metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"example.com/c"}`,
    ]);
    expect((await merge(name, {finalizers: ['example.com/a']})).status).toBe(200);
    await merge(name, {finalizers: null});
  });

  test('E-128 finalizers may be reordered, also during deletion, and go in any order', async () => {
    const {body} = await post({finalizers: ['example.com/a', 'example.com/b', 'example.com/c']});
    const {name} = body.metadata;
    const order = ['example.com/c', 'example.com/a', 'example.com/b'];
    expect((await merge(name, {finalizers: order})).body.metadata.finalizers).toEqual(order);
    await wire.send('DELETE', `${ENDPOINTS}/${name}`);
    expect((await merge(name, {finalizers: order.toReversed()})).body.metadata.finalizers).toEqual(order.toReversed());
    expect((await merge(name, {finalizers: ['example.com/a', 'example.com/c']})).status).toBe(200);
    expect((await merge(name, {finalizers: ['example.com/c']})).status).toBe(200);
    expect((await merge(name, {finalizers: null})).status).toBe(200);
    expect((await wire.send('GET', `${ENDPOINTS}/${name}`)).status).toBe(404);
  });

  test('E-137 E-139 labels select lists, watches and deletecollection', async () => {
    const run = freshName();
    const names = await Promise.all(
      ['odd', 'even', 'odd'].map(
        async set => (await post({labels: {run, set, tier: 'x'}})).body.metadata.name as string,
      ),
    );
    const select = async (labelSelector: string) =>
      (await wire.send('GET', ENDPOINTS, {query: {labelSelector: `run=${run},${labelSelector}`}})).body.items
        .map((item: {metadata: {name: string}}) => item.metadata.name)
        .sort();
    const odd = [names[0], names[2]].sort();
    expect(await select('set=odd')).toEqual(odd);
    expect(await select('set in (odd)')).toEqual(odd);
    expect(await select('set!=even')).toEqual(odd);
    expect(await select('set notin (even,x)')).toEqual(odd);
    expect(await select('tier')).toEqual([...names].sort());
    expect(await select('!tier')).toEqual([]);
    expect(await select('set=odd,tier=x')).toEqual(odd);
    const watch = await wire.watch(ENDPOINTS, {labelSelector: `run=${run},set=even`});
    expect(await watch.take(1)).toEqual([`ADDED ${names[1]}`]);
    watch.close();
    await wire.send('DELETE', ENDPOINTS, {query: {labelSelector: `run=${run},set=odd`}});
    expect(await select('tier')).toEqual([names[1]]);
  });

  test('E-138 labels and annotations follow the qualified-name rules', async () => {
    const good = await post({labels: {app: 'x', 'example.com/y': 'z', e: ''}, annotations: {'Example.com/B': 'x'}});
    expect(good.status, good.text).toBe(201);
    for (const labels of [
      {'': 'x'},
      {'a b': 'x'},
      {x: 'a b'},
      {'example.com/': 'x'},
      {'/x': 'x'},
      {'a/b/c': 'x'},
      {['a'.repeat(64)]: 'x'},
      {a: 'v'.repeat(64)},
      {'UPPER.com/a': 'x'},
      {a: '-x'},
    ]) {
      const answer = await post({labels});
      expect([answer.status, new Set(fields(answer))]).toEqual([422, new Set(['metadata.labels'])]);
    }
    for (const annotations of [{'': 'x'}, {'a b': 'x'}, {'a/b/c': 'x'}, {_a: 'x'}]) {
      const answer = await post({annotations});
      expect([answer.status, new Set(fields(answer))]).toEqual([422, new Set(['metadata.annotations'])]);
    }
  });

  test('E-138 all annotations together have 256 KiB', async () => {
    const size = 256 * 1024;
    expect((await post({annotations: {a: 'v'.repeat(size - 1)}})).status).toBe(201);
    const over = await post({annotations: {a: 'v'.repeat(size)}});
    expect([over.status, over.body.details.causes]).toEqual([
      422,
      [
        {
          reason: 'FieldValueTooLong',
          message: 'Too long: may not be more than 262144 bytes',
          field: 'metadata.annotations',
        },
      ],
    ]);
  });

  test('E-140 E-141 the server keeps managedFields by itself', async () => {
    const {body} = await post({labels: {a: 'b'}});
    expect(body.metadata.managedFields).toEqual([
      {
        manager: 'wire-test',
        operation: 'Update',
        apiVersion: 'v1',
        time: expect.stringMatching(/Z$/),
        fieldsType: 'FieldsV1',
        fieldsV1: {'f:metadata': {'f:labels': {'.': {}, 'f:a': {}}}, 'f:subsets': {}},
      },
    ]);
  });

  const OWNER = {apiVersion: 'v1', kind: 'Endpoints', name: 'own', uid: '11111111-2222-3333-4444-555555555555'};
  test('E-152 E-154 E-190 E-196 owner references are kept as sent', async () => {
    const ownerReferences = [
      {...OWNER, controller: true, blockOwnerDeletion: false},
      {...OWNER, kind: 'ReplicaSet', apiVersion: 'apps/v1', uid: 'x'},
    ];
    // Unknown kinds are never collected, and a missing Endpoints owner is only collected by the garbage collector.
    const answer = await post({ownerReferences: ownerReferences.slice(1)});
    expect([answer.status, answer.body.metadata.ownerReferences]).toEqual([201, ownerReferences.slice(1)]);
    const dry = await wire.send('POST', ENDPOINTS, {
      query: {dryRun: 'All'},
      body: endpoints(freshName(), [], {ownerReferences}),
    });
    expect([dry.status, dry.body.metadata.ownerReferences]).toEqual([201, ownerReferences]);
  });

  test('E-155 one controller at most', async () => {
    const answer = await post({
      ownerReferences: [
        {...OWNER, controller: true},
        {...OWNER, name: 'own2', uid: 'y', controller: true},
      ],
    });
    expect([answer.status, fields(answer)]).toEqual([422, ['metadata.ownerReferences']]);
    expect(answer.body.message).toContain(
      'Only one reference can have Controller set to true. Found "true" in references for Endpoints/own and Endpoints/own2',
    );
  });

  test.each([
    {missing: 'apiVersion', text: 'version must not be empty'},
    {missing: 'kind', text: 'must not be empty'},
    {missing: 'name', text: 'must not be empty'},
    {missing: 'uid', text: 'must not be empty'},
  ])('E-191 an owner needs $missing', async ({missing, text}) => {
    const answer = await post({ownerReferences: [{...OWNER, [missing]: ''}]});
    expect(answer.body.details.causes).toEqual([
      {
        reason: 'FieldValueInvalid',
        message: `Invalid value: "": ${text}`,
        field: `metadata.ownerReferences.${missing}`,
      },
    ]);
  });

  test('E-191 an Event is no owner', async () => {
    expect((await post({ownerReferences: [{...OWNER, kind: 'Event'}]})).body.message).toContain(
      '/v1, Kind=Event is disallowed from being an owner',
    );
  });

  test('E-192 blockOwnerDeletion is false by default: absent stays absent', async () => {
    const {kind: _, ...rest} = OWNER;
    const answer = await post({ownerReferences: [{...rest, kind: 'Unknown', apiVersion: 'example.com/v1'}]});
    expect(answer.body.metadata.ownerReferences[0]).not.toHaveProperty('blockOwnerDeletion');
  });

  test('E-162 selfLink is ignored and never there', async () => {
    const created = await post({selfLink: '/x/y'});
    const {name} = created.body.metadata;
    const put = await wire.send('PUT', `${ENDPOINTS}/${name}`, {body: endpoints(name, [], {selfLink: '/x/y'})});
    expect([created.status, put.status]).toEqual([201, 200]);
    expect(created.text + put.text).not.toContain('selfLink');
  });

  test('E-166 E-112 a read-only user changes no finalizers', async () => {
    await using guarded = await startWire({
      compat,
      authenticator: {
        authenticate: ({headers}) => ({
          outcome: 'user',
          user: {name: String(headers['x-user'] ?? 'admin'), groups: []},
        }),
      },
      authorizer: {authorize: ({user, verb}) => ({allowed: user.name !== 'viewer' || verb === 'get'})},
    });
    await guarded.send('POST', ENDPOINTS, {
      body: endpoints('a', [subset()], {finalizers: ['example.com/x'], annotations: {theirs: '1'}}),
    });
    const refused = await guarded.send('PATCH', `${ENDPOINTS}/a`, {
      body: {metadata: {finalizers: []}},
      headers: {'content-type': MERGE, 'x-user': 'viewer'},
    });
    expect([refused.status, refused.body.reason]).toEqual([403, 'Forbidden']);
    expect(
      (await guarded.send('GET', `${ENDPOINTS}/a`, {headers: {'x-user': 'viewer'}})).body.metadata.finalizers,
    ).toEqual(['example.com/x']);
  });
});

describe('clusterName', () => {
  const sent = (name: string) => endpoints(name, [subset()], {clusterName: 'east'});

  test('E-114 spec: accepted and ignored, also under Strict, in create, update, patch and apply', async () => {
    await using wire = await startWire();
    const query = {fieldValidation: 'Strict'};
    const answers = [
      await wire.send('POST', ENDPOINTS, {query, body: sent('a')}),
      await wire.send('PUT', `${ENDPOINTS}/a`, {query, body: sent('a')}),
      await wire.send('PATCH', `${ENDPOINTS}/a`, {
        query,
        body: {metadata: {clusterName: 'west'}},
        headers: {'content-type': MERGE},
      }),
      await wire.send('PATCH', `${ENDPOINTS}/a`, {
        query,
        body: {metadata: {clusterName: 'west'}},
        headers: {'content-type': STRATEGIC},
      }),
      await wire.send('PATCH', `${ENDPOINTS}/a`, {
        query: {...query, fieldManager: 'm', force: 'true'},
        body: sent('a'),
        headers: {'content-type': APPLY},
      }),
      await wire.send('GET', `${ENDPOINTS}/a`),
    ];
    expect(answers.map(answer => [answer.status, answer.warnings])).toEqual([
      [201, []],
      [200, []],
      [200, []],
      [200, []],
      [200, []],
      [200, []],
    ]);
    for (const {text} of answers) expect(text).not.toContain('clusterName');
  });

  test('E-114 kubernetes: an unknown field, refused under Strict and warned about else', async () => {
    await using wire = await startWire({compat: 'kubernetes'});
    const strict = await wire.send('POST', ENDPOINTS, {query: {fieldValidation: 'Strict'}, body: sent('a')});
    expect([strict.status, strict.body.message]).toEqual([
      400,
      'Endpoints in version "v1" cannot be handled as a Endpoints: strict decoding error: unknown field "metadata.clusterName"',
    ]);
    const warned = await wire.send('POST', ENDPOINTS, {body: sent('a')});
    expect([warned.status, warned.warnings.includes('unknown field "metadata.clusterName"')]).toEqual([201, true]);
    expect(warned.text).not.toContain('clusterName');
  });
});

describe('generation', () => {
  test('E-136 spec: 1 at first, one more with each change of the subsets, not of metadata', async () => {
    await using wire = await startWire();
    const generations: number[] = [];
    const step = async (method: string, path: string, body: unknown, headers = {}) => {
      generations.push((await wire.send(method, path, {body, headers})).body.metadata.generation);
    };
    await step('POST', ENDPOINTS, endpoints('a', [subset()]));
    await step('PUT', `${ENDPOINTS}/a`, endpoints('a', [subset()]));
    await step('PATCH', `${ENDPOINTS}/a`, {metadata: {labels: {x: 'y'}}}, {'content-type': MERGE});
    await step('PATCH', `${ENDPOINTS}/a`, {subsets: [subset({ip: '10.0.0.2'})]}, {'content-type': MERGE});
    await step('PUT', `${ENDPOINTS}/a`, endpoints('a'));
    expect(generations).toEqual([1, 1, 1, 2, 3]);
  });

  test('E-135 spec: what a client sends does not count', async () => {
    await using wire = await startWire();
    const created = await wire.send('POST', ENDPOINTS, {body: endpoints('a', [subset()], {generation: 7})});
    const put = await wire.send('PUT', `${ENDPOINTS}/a`, {body: endpoints('a', [subset()], {generation: 9})});
    expect([created.body.metadata.generation, put.body.metadata.generation]).toEqual([1, 1]);
  });

  test('E-135 E-136 kubernetes: not counted', async () => {
    await using wire = await startWire({compat: 'kubernetes'});
    const created = await wire.send('POST', ENDPOINTS, {body: endpoints('a', [subset()])});
    const put = await wire.send('PUT', `${ENDPOINTS}/a`, {body: endpoints('a', [], {generation: 9})});
    expect([created.body.metadata.generation, put.body.metadata.generation]).toEqual([undefined, undefined]);
  });
});

test('E-118 nothing orders by creationTimestamp: with a clock set back, lists, watches and deletes are as ever', async () => {
  let now = Date.parse('2030-01-01T00:00:00Z');
  await using wire = await startWire({clock: {now: () => now}});
  const watch = await wire.watch(ENDPOINTS);
  for (const name of ['c', 'a', 'b']) {
    await wire.send('POST', ENDPOINTS, {body: endpoints(name)});
    now -= 3_600_000;
  }
  const {items} = (await wire.send('GET', ENDPOINTS)).body;
  expect(items.map((item: {metadata: {name: string}}) => item.metadata.name)).toEqual(['a', 'b', 'c']);
  expect(await watch.take(3)).toEqual(['ADDED c', 'ADDED a', 'ADDED b']);
  expect((await wire.send('DELETE', `${ENDPOINTS}/c`)).status).toBe(200);
  expect(await watch.take(1)).toEqual(['DELETED c']);
  watch.close();
});
