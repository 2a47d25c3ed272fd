// SPDX-License-Identifier: Apache-2.0
/** Names, generated names, uids. */
import {expect, test} from 'vitest';
import {forEachKind, servedKinds} from './kinds/index.ts';
import {type Answer, fields, freshName, startWire} from './support.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const OTHER_UID = '11111111-2222-3333-4444-555555555555';

forEachKind('names and identity', objects => {
  const {registryPath} = objects.fixture.definition;
  const post = (metadata: Record<string, unknown>): Promise<Answer> => objects.post(undefined, 1, metadata);

  test('E-129 E-130 generateName gives the prefix and a suffix of five', async () => {
    const [first, second] = [await post({generateName: 'gen-'}), await post({generateName: 'gen-'})];
    for (const answer of [first, second]) {
      expect([answer.status, answer.body.metadata.generateName]).toEqual([201, 'gen-']);
      expect(answer.body.metadata.name).toMatch(/^gen-[a-z0-9]{5}$/);
    }
    expect(first.body.metadata.name).not.toBe(second.body.metadata.name);
  });

  test('E-131 a long prefix is cut so that the name has 63 characters', async () => {
    const answer = await post({generateName: 'a'.repeat(253)});
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

  test.each([{}, {name: ''}, {name: '', generateName: ''}])(
    'E-143 refuses %j: no name and no prefix',
    async metadata => {
      expect((await post(metadata)).body.details.causes).toEqual([
        {
          reason: 'FieldValueRequired',
          message: 'Required value: name or generateName is required',
          field: 'metadata.name',
        },
      ]);
    },
  );

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

  test('E-163 a uid is new for each creation, also of the same name', async () => {
    const name = freshName();
    const first = await post({name});
    await objects.remove(name);
    const second = await post({name});
    expect(first.body.metadata.uid).toMatch(UUID);
    expect(second.body.metadata.uid).toMatch(UUID);
    expect(first.body.metadata.uid).not.toBe(second.body.metadata.uid);
    expect((await post({name})).text).not.toMatch(/"uid"/);
  });

  test('E-164 a uid of the client is replaced on create', async () => {
    const {uid} = (await objects.create({uid: OTHER_UID})).metadata;
    expect(uid).toMatch(UUID);
    expect(uid).not.toBe(OTHER_UID);
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
    startWire({compat, kinds: servedKinds, random: {next, uuid: () => crypto.randomUUID()}});
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
