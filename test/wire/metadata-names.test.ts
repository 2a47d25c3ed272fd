// SPDX-License-Identifier: Apache-2.0
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {APPLY, ENDPOINTS, endpoints, fields, freshName, MERGE, startWire, subset, type Wire} from './support.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe.each(['spec', 'kubernetes'] as const)('names and identity, --compat %s', compat => {
  let wire: Wire;
  beforeAll(async () => {
    wire = await startWire({compat});
  });
  afterAll(() => wire[Symbol.asyncDispose]());
  const post = (metadata: object, path = ENDPOINTS) =>
    wire.send('POST', path, {body: {apiVersion: 'v1', kind: 'Endpoints', metadata}});

  test('E-129 E-130 generateName gives the prefix and a suffix of five', async () => {
    const [first, second] = [await post({generateName: 'gen-'}), await post({generateName: 'gen-'})];
    for (const answer of [first, second]) {
      expect([answer.status, answer.body.metadata.generateName]).toEqual([201, 'gen-']);
      expect(answer.body.metadata.name).toMatch(/^gen-[a-z0-9]{5}$/);
    }
    expect(first.body.metadata.name).not.toBe(second.body.metadata.name);
  });

  test('E-131 a long prefix is cut so that the name has 63 characters', async () => {
    const prefix = 'a'.repeat(253);
    const answer = await post({generateName: prefix});
    expect(answer.status, answer.text).toBe(201);
    expect(answer.body.metadata.name).toHaveLength(63);
    expect(answer.body.metadata.name.slice(0, 58)).toBe('a'.repeat(58));
  });

  test.each([{generateName: 'Bad_'}, {generateName: 'x.'}, {generateName: '-a'}])(
    'E-132 refuses the prefix $generateName',
    async metadata => {
      const answer = await post(metadata);
      expect([answer.status, fields(answer)[0]]).toEqual([422, 'metadata.generateName']);
    },
  );

  test.each([{generateName: 'x-'}, {generateName: 'x'}, {generateName: 'a.b-'}])(
    'E-132 accepts the prefix $generateName',
    async metadata => {
      expect((await post(metadata)).status).toBe(201);
    },
  );

  test('E-133 generateName is ignored beside a name', async () => {
    const name = freshName();
    expect((await post({name, generateName: 'other-'})).body.metadata.name).toBe(name);
  });

  test('E-142 a name is taken once per namespace', async () => {
    const name = freshName();
    const statuses = [await post({name}), await post({name}), await post({name}, '/api/v1/namespaces/two/endpoints')];
    expect(statuses.map(answer => answer.status)).toEqual([201, 409, 201]);
    expect(statuses[1]?.body).toMatchObject({
      reason: 'AlreadyExists',
      message: `endpoints "${name}" already exists`,
      details: {name, kind: 'endpoints'},
    });
  });

  test.each([{}, {name: ''}, {name: '', generateName: ''}])(
    'E-143 refuses %j: no name and no prefix',
    async metadata => {
      const answer = await post(metadata);
      expect(answer.body.details.causes).toEqual([
        {
          reason: 'FieldValueRequired',
          message: 'Required value: name or generateName is required',
          field: 'metadata.name',
        },
      ]);
    },
  );

  test('E-144 a name cannot be changed', async () => {
    const name = freshName();
    await post({name});
    const put = await wire.send('PUT', `${ENDPOINTS}/${name}`, {body: endpoints('other')});
    const patch = await wire.send('PATCH', `${ENDPOINTS}/${name}`, {
      body: {metadata: {name: 'other'}},
      headers: {'content-type': MERGE},
    });
    for (const answer of [put, patch]) {
      expect([answer.status, answer.body.message]).toEqual([
        400,
        `the name of the object (other) does not match the name on the URL (${name})`,
      ]);
    }
  });

  test.each([{name: 'a.b'}, {name: '1'}, {name: 'a'.repeat(253)}])('E-145 accepts the name $name', async metadata => {
    expect((await post(metadata)).status).toBe(201);
  });

  test.each([
    {name: 'A'},
    {name: 'a_b'},
    {name: '-a'},
    {name: 'a..b'},
    {name: 'a/b'},
    {name: '.'},
    {name: 'a'.repeat(254)},
  ])('E-145 refuses the name $name', async metadata => {
    const answer = await post(metadata);
    expect([answer.status, fields(answer)]).toEqual([422, ['metadata.name']]);
  });

  test('E-146 the same name in two namespaces is two objects', async () => {
    const name = freshName();
    const [a, b] = [await post({name}), await post({name}, '/api/v1/namespaces/two/endpoints')];
    expect([a.body.metadata.namespace, b.body.metadata.namespace]).toEqual(['one', 'two']);
    expect(a.body.metadata.uid).not.toBe(b.body.metadata.uid);
  });

  test('E-147 an object without a namespace is in the one of the path, which is default by default', async () => {
    const name = freshName();
    for (const namespace of [undefined, '']) {
      const answer = await post(
        {name: `${name}${namespace ?? 'x'}`, namespace},
        '/api/v1/namespaces/default/endpoints',
      );
      expect([answer.status, answer.body.metadata.namespace]).toEqual([201, 'default']);
    }
  });

  test.each([{name: 'Bad'}, {name: 'a.b'}, {name: 'a_b'}, {name: '-a'}, {name: 'a'.repeat(64)}])(
    'E-148 no namespace is called $name',
    async ({name}) => {
      const namespace = await wire.send('POST', '/api/v1/namespaces', {body: {metadata: {name}}});
      expect([namespace.status, fields(namespace)[0]]).toEqual([422, 'metadata.name']);
      expect((await post({name: freshName()}, `/api/v1/namespaces/${name}/endpoints`)).status).toBe(404);
      expect((await post({name: freshName(), namespace: name})).status).toBe(400);
    },
  );

  test('E-149 a namespace cannot be changed', async () => {
    const name = freshName();
    await post({name});
    const answers = [
      await post({name: freshName(), namespace: 'two'}),
      await wire.send('PUT', `${ENDPOINTS}/${name}`, {body: endpoints(name, [], {namespace: 'two'})}),
      await wire.send('PATCH', `${ENDPOINTS}/${name}`, {
        body: {metadata: {namespace: 'two'}},
        headers: {'content-type': MERGE},
      }),
      await wire.send('PATCH', `${ENDPOINTS}/${name}`, {
        query: {fieldManager: 'm'},
        body: endpoints(name, [], {namespace: 'two'}),
        headers: {'content-type': APPLY},
      }),
    ];
    for (const answer of answers) {
      expect([answer.status, answer.body.message]).toEqual([
        400,
        'the namespace of the provided object does not match the namespace sent on the request',
      ]);
    }
  });

  test('E-150 a Namespace has no namespace', async () => {
    const {body} = await wire.send('GET', '/api/v1/namespaces/one');
    expect(body.metadata).not.toHaveProperty('namespace');
    const refused = await wire.send('POST', '/api/v1/namespaces', {
      body: {metadata: {name: freshName(), namespace: 'one'}},
    });
    expect(refused.status).toBe(422);
  });

  test('E-151 nothing comes into a namespace that does not exist; reads there find nothing', async () => {
    const path = '/api/v1/namespaces/nowhere/endpoints';
    const body = endpoints('a', [subset()]);
    const writes = [
      await wire.send('POST', path, {body}),
      await wire.send('POST', path, {body, query: {dryRun: 'All'}}),
      await wire.send('PUT', `${path}/a`, {body}),
      await wire.send('PATCH', `${path}/a`, {body, query: {fieldManager: 'm'}, headers: {'content-type': APPLY}}),
    ];
    for (const answer of writes)
      expect([answer.status, answer.body.message]).toEqual([404, 'namespaces "nowhere" not found']);
    expect((await wire.send('GET', path)).body.items).toEqual([]);
    expect((await wire.send('GET', `${path}/a`)).body.message).toBe('endpoints "a" not found');
  });

  test('E-151 a namespace that is deleted takes its Endpoints along', async () => {
    const namespace = freshName();
    await wire.send('POST', '/api/v1/namespaces', {body: {metadata: {name: namespace}}});
    const path = `/api/v1/namespaces/${namespace}/endpoints`;
    await wire.send('POST', path, {body: endpoints('a', [subset()])});
    await wire.send('POST', path, {body: endpoints('held', [subset()], {finalizers: ['example.com/x']})});
    const {resourceVersion} = (await wire.send('GET', '/api/v1/namespaces')).body.metadata;
    const watch = await wire.watch('/api/v1/namespaces', {
      resourceVersion,
      fieldSelector: `metadata.name=${namespace}`,
    });
    const deleted = await wire.send('DELETE', `/api/v1/namespaces/${namespace}`);
    expect([deleted.status, deleted.body.status.phase]).toEqual([200, 'Terminating']);
    for (let event = await watch.next(); !event.object.status.conditions; ) event = await watch.next();
    const refused = await wire.send('POST', path, {body: endpoints('late')});
    expect([refused.status, refused.body.details.causes[0].reason]).toEqual([403, 'NamespaceTerminating']);
    expect(
      (await wire.send('GET', path)).body.items.map((item: {metadata: {name: string}}) => item.metadata.name),
    ).toEqual(['held']);
    await wire.send('PATCH', `${path}/held`, {body: {metadata: {finalizers: null}}, headers: {'content-type': MERGE}});
    for (let event = await watch.next(); event.type !== 'DELETED'; ) event = await watch.next();
    watch.close();
    expect((await wire.send('GET', `/api/v1/namespaces/${namespace}`)).status).toBe(404);
    expect((await wire.send('GET', path)).body.items).toEqual([]);
  });

  test('E-163 a uid is new for each creation, also of the same name', async () => {
    const name = freshName();
    const first = await post({name});
    await wire.send('DELETE', `${ENDPOINTS}/${name}`);
    const second = await post({name});
    expect(first.body.metadata.uid).toMatch(UUID);
    expect(second.body.metadata.uid).toMatch(UUID);
    expect(first.body.metadata.uid).not.toBe(second.body.metadata.uid);
    expect((await post({name})).text).not.toMatch(/"uid"/);
  });

  test('E-164 a uid of the client is replaced on create', async () => {
    const uid = '11111111-2222-3333-4444-555555555555';
    const answer = await post({name: freshName(), uid});
    expect(answer.body.metadata.uid).toMatch(UUID);
    expect(answer.body.metadata.uid).not.toBe(uid);
  });

  test('E-165 a PUT with another uid is 409 and writes nothing', async () => {
    const name = freshName();
    const created = await post({name});
    const answer = await wire.send('PUT', `${ENDPOINTS}/${name}`, {
      body: endpoints(name, [subset()], {uid: '11111111-2222-3333-4444-555555555555'}),
    });
    expect([answer.status, answer.body.reason]).toEqual([409, 'Conflict']);
    expect(answer.body.message).toContain(`UID in object meta: ${created.body.metadata.uid}`);
    expect((await wire.send('GET', `${ENDPOINTS}/${name}`)).body).toEqual(created.body);
  });
});

test('E-134 a generated name that exists is tried again with other suffixes, then 409', async () => {
  for (const compat of ['spec', 'kubernetes'] as const) {
    const drawn: number[] = [];
    const same = {
      next: () => {
        drawn.push(0);
        return 0;
      },
      uuid: () => crypto.randomUUID(),
    };
    await using wire = await startWire({compat, random: same});
    const post = () => wire.send('POST', ENDPOINTS, {body: {metadata: {generateName: 'gen-'}}});
    expect((await post()).body.metadata.name).toBe('gen-bbbbb');
    drawn.length = 0;
    const answer = await post();
    expect([answer.status, answer.body.reason]).toEqual([409, 'AlreadyExists']);
    expect(answer.body.message).toContain('not able to generate a unique name');
    expect(drawn).toHaveLength(8 * 5);
  }
});

test('E-134 E-250 a suffix that is free in the end is taken', async () => {
  let draws = 0;
  const random = {next: () => (draws++ < 15 ? 0 : 0.99), uuid: () => crypto.randomUUID()};
  await using wire = await startWire({random});
  const post = () => wire.send('POST', ENDPOINTS, {body: {metadata: {generateName: 'gen-'}}});
  const [first, second] = [await post(), await post()];
  expect([first.body.metadata.name, second.body.metadata.name]).toEqual(['gen-bbbbb', 'gen-99999']);
});

test('E-250 409 for an existing name that was given', async () => {
  await using wire = await startWire();
  await wire.send('POST', ENDPOINTS, {body: endpoints('a')});
  expect((await wire.send('POST', ENDPOINTS, {body: endpoints('a')})).status).toBe(409);
});
