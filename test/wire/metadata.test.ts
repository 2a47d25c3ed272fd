// SPDX-License-Identifier: Apache-2.0
/** Names, uids, finalizers, owners and the marks of deletion over the wire. Every bound: packages/apiserver/src/kind/meta/object-meta.test.ts. */
import {expect, test} from 'vitest';
import {forEachKind, servedKinds} from './kinds/index.ts';
import {type Answer, fields, freshName, startWire} from './support.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const OTHER_UID = '11111111-2222-3333-4444-555555555555';
const OWNER = {apiVersion: 'example.com/v1', kind: 'Thing', name: 'own', uid: OTHER_UID};

forEachKind('names and identity', objects => {
  const {registryPath} = objects.fixture.definition;
  const post = (metadata: Record<string, unknown>): Promise<Answer> => objects.post(undefined, 1, metadata);

  test('E-129 E-130 E-131 E-132 E-133 generateName gives the prefix, cut, and a suffix of five; a name is stronger', async () => {
    const names = [];
    for (const generateName of ['a.b-', 'a'.repeat(253)]) names.push((await post({generateName})).body.metadata.name);
    expect(names).toEqual([expect.stringMatching(/^a\.b-[a-z0-9]{5}$/), expect.stringMatching(/^a{58}[a-z0-9]{5}$/)]);
    const name = freshName();
    expect((await post({name, generateName: 'other-'})).body.metadata.name).toBe(name);
    const refused = await post({generateName: 'Bad_'});
    expect([refused.status, fields(refused)[0]]).toEqual([422, 'metadata.generateName']);
  });

  test('E-142 E-250 a name is taken once', async () => {
    const name = freshName();
    expect((await post({name})).status).toBe(201);
    const again = await post({name});
    const {group, resource} = objects.fixture.definition;
    expect([again.status, again.body.reason, again.body.message, again.body.details]).toEqual([
      409,
      'AlreadyExists',
      `${objects.resourceText} "${name}" already exists`,
      {name, ...(group === '' ? {} : {group}), kind: resource},
    ]);
  });

  test('E-143 E-145 refuses no name and no prefix, and what is no name', async () => {
    for (const [name, message] of [
      ['', 'Required value: name or generateName is required'],
      ['a_b', expect.stringContaining('Invalid value: "a_b": ')],
    ])
      expect((await post({name})).body.details.causes[0]).toMatchObject({message, field: 'metadata.name'});
    expect((await post({name: 'a.1'})).status).toBe(201);
  });

  test('E-144 a name cannot be changed', async () => {
    const {name, resourceVersion} = (await objects.create()).metadata;
    const other = {name: 'other', resourceVersion};
    for (const answer of [await objects.put(name, 1, other), await objects.merge(name, {name: 'other'})]) {
      expect([answer.status, answer.body.message]).toEqual([
        400,
        `the name of the object (other) does not match the name on the URL (${name})`,
      ]);
    }
  });

  test('E-163 E-164 a uid is new for each creation, also of the same name and whatever was sent', async () => {
    const name = freshName();
    const first = await post({name});
    await objects.remove(name);
    const second = await post({name, uid: first.body.metadata.uid});
    expect(first.body.metadata.uid).toMatch(UUID);
    expect(second.body.metadata.uid).toMatch(UUID);
    expect(first.body.metadata.uid).not.toBe(second.body.metadata.uid);
    expect((await post({name})).text).not.toMatch(/"uid"/);
  });

  test('E-165 a PUT with another uid is 409 and writes nothing', async () => {
    const created = await objects.create();
    const {name, namespace, uid} = created.metadata;
    const answer = await objects.put(name, 2, {uid: OTHER_UID});
    const key = [registryPath, namespace, name].filter(part => part !== undefined).join('/');
    expect([answer.status, answer.body.reason]).toEqual([409, 'Conflict']);
    expect(answer.body.message).toContain(`Key: /registry/${key}, `);
    expect(answer.body.message).toContain(`UID in precondition: ${OTHER_UID}, UID in object meta: ${uid}`);
    expect((await objects.get(name)).body).toEqual(created);
  });

  test('E-165 a deletion of another uid is 409', async () => {
    const created = await objects.create();
    const answer = await objects.remove(created.metadata.name, {preconditions: {uid: OTHER_UID}});
    expect([answer.status, answer.body.reason]).toEqual([409, 'Conflict']);
    expect((await objects.get(created.metadata.name)).body).toEqual(created);
  });
});

forEachKind('generated names', (objects, compat) => {
  const start = (next: () => number) =>
    startWire({
      compat,
      kinds: servedKinds,
      random: {next, uuid: () => crypto.randomUUID(), bytes: () => new Uint8Array()},
    });
  const postTo = async (over: Awaited<ReturnType<typeof start>>): Promise<Answer> =>
    over.send('POST', objects.path, {body: objects.body(undefined, {}, {generateName: 'gen-'})});

  test('E-134 one that exists is tried again with other suffixes, then 409', async () => {
    let drawn = 0;
    await using wire = await start(() => {
      drawn++;
      return 0;
    });
    expect((await postTo(wire)).body.metadata.name).toBe('gen-bbbbb');
    drawn = 0;
    const answer = await postTo(wire);
    expect([answer.status, answer.body.reason]).toEqual([409, 'AlreadyExists']);
    expect(answer.body.message).toContain('not able to generate a unique name');
    expect(drawn).toBe(8 * 5);
  });

  test('E-134 E-250 a suffix that is free in the end is taken', async () => {
    let draws = 0;
    await using wire = await start(() => (draws++ < 15 ? 0 : 0.99));
    const [first, second] = [await postTo(wire), await postTo(wire)];
    expect([first.body.metadata.name, second.body.metadata.name]).toEqual(['gen-bbbbb', 'gen-99999']);
  });
});

forEachKind('finalizers', (objects, compat) => {
  test('E-125 E-127 E-128 an object stays until its list is empty; while it is deleted they only go, in any order', async () => {
    const [a, b, c] = ['example.com/a', 'example.com/b', 'example.com/c'];
    const {name} = (await objects.create({finalizers: [a, b]})).metadata;
    const set = (finalizers: readonly unknown[]) => objects.merge(name, {finalizers});
    expect((await set([b, a])).body.metadata.finalizers).toEqual([b, a]);
    await objects.remove(name);
    const added = await set([a, b, c]);
    expect([added.status, added.body.message]).toEqual([
      422,
      `${objects.kindText} "${name}" is invalid: metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"${c}"}`,
    ]);
    expect((await set([a, b])).body.metadata.finalizers).toEqual([a, b]);
    expect((await set([b])).body.metadata.finalizers).toEqual([b]);
    const last = await set([]);
    expect([last.status, last.body.kind]).toEqual([200, objects.fixture.definition.kind]);
    expect((await objects.get(name)).status).toBe(404);
  });

  test('E-126 refuses a finalizer that is not qualified, and keeps others as written', async () => {
    expect(fields(await objects.post(freshName(), {}, {finalizers: ['x']}))[0]).toMatch(/^metadata.finalizers/);
    const {finalizers} = (await objects.create({finalizers: ['example.com/Mixed-Case_1', 'orphan']})).metadata;
    expect(finalizers).toEqual(['example.com/Mixed-Case_1', 'orphan']);
  });

  test.each([
    {id: 'E-121', field: 'deletionGracePeriodSeconds', value: 30, later: 77},
    {id: 'E-123', field: 'deletionTimestamp', value: '2001-01-01T00:00:00Z', later: '2099-01-01T00:00:00Z'},
  ])('$id a client cannot set $field; leaving it out changes nothing', async ({field, value, later}) => {
    const set = {[field]: value};
    const {metadata} = await objects.create(set, 1);
    expect(metadata).not.toHaveProperty(field);
    const {name} = metadata;
    const answers = [
      await objects.put(name, 1, set),
      await objects.merge(name, set),
      await objects.apply('m', objects.body(name, {}, set), {force: 'true'}),
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
    await objects.merge(name, {finalizers: ['example.com/x']});
    const marked = (await objects.remove(name)).body.metadata;
    const changed = await objects.merge(name, {[field]: later});
    const keeps = compat === 'kubernetes' && field === 'deletionTimestamp'; // upstream takes the stored time back
    expect([changed.status, changed.body.metadata[field]]).toEqual(keeps ? [200, marked[field]] : [422, undefined]);
    const left = await objects.merge(name, {[field]: null, labels: {a: 'b'}});
    expect([left.status, left.body.metadata[field]]).toEqual([200, marked[field]]);
    await objects.merge(name, {finalizers: null});
  });

  test('E-119 E-122 E-124 the marks come together, and only with the deletion', async () => {
    const {metadata} = await objects.create({finalizers: ['example.com/x']});
    expect(metadata).not.toHaveProperty('deletionTimestamp');
    expect(metadata).not.toHaveProperty('deletionGracePeriodSeconds');
    const marked = (await objects.remove(metadata.name)).body.metadata;
    expect(marked.deletionTimestamp).toMatch(/Z$/);
    expect(marked.deletionGracePeriodSeconds).toBe(0);
    await objects.merge(metadata.name, {finalizers: null});
  });
});

forEachKind('owner references', (objects, compat) => {
  const post = (ownerReferences: readonly object[]) => objects.post(freshName(), {}, {ownerReferences});

  test('E-152 E-154 E-190 E-192 E-196 are kept as sent: absent stays absent', async () => {
    const absent = objects.refTo({kind: objects.fixture.definition.kind, metadata: {name: 'absent', uid: 'y'}});
    const ownerReferences = [{...OWNER, controller: true, blockOwnerDeletion: false}, absent];
    const answer = await post(ownerReferences);
    expect([answer.status, answer.body.metadata.ownerReferences]).toEqual([201, ownerReferences]);
  });

  test('E-155 E-191 one controller at most, and each with all of its four fields', async () => {
    const two = ['own', 'own2'].map(name => ({...OWNER, name, uid: name, controller: true}));
    expect(fields(await post(two))).toEqual(['metadata.ownerReferences']);
    const bare = await post([{apiVersion: '', kind: '', name: '', uid: ''}]);
    expect(fields(bare)).toEqual(
      ['apiVersion', 'kind', 'name', 'uid'].map(field => `metadata.ownerReferences.${field}`),
    );
  });

  test('E-218 E-257 core/v1 is stored as v1, upstream as sent; two appliers share such an owner', async () => {
    const core = {...OWNER, apiVersion: 'core/v1'};
    expect((await post([core])).body.metadata.ownerReferences[0].apiVersion).toBe(compat === 'spec' ? 'v1' : 'core/v1');
    const configuration = objects.body(freshName(), {}, {ownerReferences: [core]});
    const statuses = [];
    for (const manager of ['a', 'b']) statuses.push((await objects.apply(manager, configuration)).status);
    expect(statuses).toEqual([201, 200]);
  });
});
