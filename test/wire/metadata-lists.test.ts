// SPDX-License-Identifier: Apache-2.0
/** Finalizers, owner references, and the marks of deletion, as they are written and refused. */
import {expect, test} from 'vitest';
import {forEachKind} from './kinds/index.ts';
import {fields, freshName} from './support.ts';

const OWNER = {apiVersion: 'example.com/v1', kind: 'Thing', name: 'own', uid: '11111111-2222-3333-4444-555555555555'};

forEachKind('finalizers', objects => {
  test('E-125 an object with a finalizer stays until the list is empty', async () => {
    const {name} = (await objects.create({finalizers: ['example.com/a', 'example.com/b']})).metadata;
    expect((await objects.remove(name)).status).toBe(200);
    expect((await objects.merge(name, {finalizers: ['example.com/b']})).status).toBe(200);
    expect((await objects.get(name)).body.metadata.finalizers).toEqual(['example.com/b']);
    const last = await objects.merge(name, {finalizers: []});
    expect([last.status, last.body.kind]).toEqual([200, objects.fixture.definition.kind]);
    expect((await objects.get(name)).status).toBe(404);
  });

  test.each([{finalizer: 'x'}, {finalizer: ''}, {finalizer: 'a/b/c'}, {finalizer: 'Bad_/x'}])(
    'E-126 refuses the finalizer "$finalizer"',
    async ({finalizer}) => {
      const answer = await objects.post(freshName(), {}, {finalizers: [finalizer]});
      expect(answer.status).toBe(422);
      expect(fields(answer).every(field => field.startsWith('metadata.finalizers'))).toBe(true);
    },
  );

  test.each([{finalizer: 'example.com/Mixed-Case_1'}, {finalizer: 'orphan'}, {finalizer: 'foregroundDeletion'}])(
    'E-126 keeps the finalizer $finalizer as written',
    async ({finalizer}) => {
      expect((await objects.create({finalizers: [finalizer]})).metadata.finalizers).toEqual([finalizer]);
    },
  );

  test('E-127 while an object is being deleted, finalizers can only go', async () => {
    const {name} = (await objects.create({finalizers: ['example.com/a', 'example.com/b']})).metadata;
    await objects.remove(name);
    const added = await objects.merge(name, {finalizers: ['example.com/a', 'example.com/b', 'example.com/c']});
    expect([added.status, added.body.message]).toEqual([
      422,
      `${objects.kindText} "${name}" is invalid: metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"example.com/c"}`,
    ]);
    expect((await objects.merge(name, {finalizers: ['example.com/a']})).status).toBe(200);
    await objects.merge(name, {finalizers: null});
  });

  test('E-128 finalizers may be reordered, also during deletion, and go in any order', async () => {
    const {name} = (await objects.create({finalizers: ['example.com/a', 'example.com/b', 'example.com/c']})).metadata;
    const set = async (finalizers: readonly string[] | null) => (await objects.merge(name, {finalizers})).body.metadata;
    const order = ['example.com/c', 'example.com/a', 'example.com/b'];
    expect((await set(order)).finalizers).toEqual(order);
    await objects.remove(name);
    expect((await set(order.toReversed())).finalizers).toEqual(order.toReversed());
    expect((await set(['example.com/a', 'example.com/c'])).finalizers).toHaveLength(2);
    expect((await set(['example.com/c'])).finalizers).toHaveLength(1);
    await set(null);
    expect((await objects.get(name)).status).toBe(404);
  });
});

forEachKind('the marks of deletion', (objects, compat) => {
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

  test('E-119 E-122 E-124 they come together, and only with the deletion', async () => {
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

  test('E-152 E-154 E-190 E-196 are kept as sent', async () => {
    const ownerReferences = [
      {...OWNER, controller: true, blockOwnerDeletion: false},
      {...OWNER, kind: 'ReplicaSet', apiVersion: 'apps/v1', uid: 'x'},
      objects.refTo({kind: objects.fixture.definition.kind, metadata: {name: 'absent', uid: 'y'}}),
    ];
    const answer = await post(ownerReferences);
    expect([answer.status, answer.body.metadata.ownerReferences]).toEqual([201, ownerReferences]);
  });

  test('E-155 one controller at most', async () => {
    const answer = await post([
      {...OWNER, controller: true},
      {...OWNER, name: 'own2', uid: 'y', controller: true},
    ]);
    expect([answer.status, fields(answer)]).toEqual([422, ['metadata.ownerReferences']]);
    expect(answer.body.message).toContain(
      'Only one reference can have Controller set to true. Found "true" in references for Thing/own and Thing/own2',
    );
  });

  test.each([
    {missing: 'apiVersion', text: 'version must not be empty'},
    {missing: 'kind', text: 'must not be empty'},
    {missing: 'name', text: 'must not be empty'},
    {missing: 'uid', text: 'must not be empty'},
  ])('E-191 an owner needs $missing', async ({missing, text}) => {
    expect((await post([{...OWNER, [missing]: ''}])).body.details.causes).toEqual([
      {
        reason: 'FieldValueInvalid',
        message: `Invalid value: "": ${text}`,
        field: `metadata.ownerReferences.${missing}`,
      },
    ]);
  });

  test('E-191 an Event is no owner', async () => {
    expect((await post([{...OWNER, apiVersion: 'v1', kind: 'Event'}])).body.message).toContain(
      '/v1, Kind=Event is disallowed from being an owner',
    );
  });

  test('E-192 blockOwnerDeletion is false by default: absent stays absent', async () => {
    const answer = await post([OWNER]);
    expect(answer.body.metadata.ownerReferences[0]).not.toHaveProperty('blockOwnerDeletion');
  });

  test('E-257 core/v1 is stored as v1; upstream keeps it', async () => {
    const stored = compat === 'spec' ? 'v1' : 'core/v1';
    const answer = await post([{...OWNER, apiVersion: 'core/v1'}]);
    expect(answer.body.metadata.ownerReferences[0].apiVersion).toBe(stored);
  });

  test('E-218 E-257 two appliers of one owner of core/v1 share it', async () => {
    const configuration = objects.body(freshName(), {}, {ownerReferences: [{...OWNER, apiVersion: 'core/v1'}]});
    for (const [manager, status] of [
      ['a', 201],
      ['b', 200],
    ] as const)
      expect((await objects.apply(manager, configuration)).status).toBe(status);
  });
});
