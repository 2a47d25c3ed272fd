// SPDX-License-Identifier: Apache-2.0
/** What is refused, told and dropped in bodies, dry runs, and the subresource status, by the rules of each kind. */
import {expect, test} from 'vitest';
import {forEachKind} from './kinds/index.ts';
import {fields, freshName, MERGE} from './support.ts';

forEachKind('bodies', objects => {
  const {definition, faulty, unknown, mistyped} = objects.fixture;
  const {kind, version} = definition;

  test('E-252 every fault of one object is in one answer', async () => {
    const answer = await objects.post('Bad', faulty.content, {labels: {'a b': 'c'}});
    expect([answer.status, answer.body.kind, answer.body.reason, answer.body.code]).toEqual([
      422,
      'Status',
      'Invalid',
      422,
    ]);
    expect(answer.body.details).toMatchObject({kind, name: 'Bad'});
    expect(fields(answer)).toEqual(['metadata.name', 'metadata.labels', ...faulty.fields]);
  });

  test('E-252 no write gets such content in', async () => {
    const created = await objects.create();
    const {name} = created.metadata;
    const answers = [
      await objects.put(name, faulty.content),
      await objects.patch(name, MERGE, faulty.content),
      await objects.apply('m', objects.body(name, faulty.content), {force: 'true'}),
      await objects.apply('m', objects.body(freshName(), faulty.content)),
    ];
    for (const answer of answers) expect([answer.status, fields(answer)]).toEqual([422, faulty.fields]);
    expect((await objects.get(name)).body).toEqual(created);
  });

  test('E-253 a value of another type is told as the decoder tells it', async () => {
    const answer = await objects.post(freshName(), mistyped.content);
    expect([answer.status, answer.body.message]).toEqual([
      400,
      `${kind} in version "${version}" cannot be handled as a ${kind}: ${mistyped.text}`,
    ]);
  });

  test('E-271 unknown fields are refused, told or dropped', async () => {
    const send = (fieldValidation: string) =>
      objects.post(freshName(), unknown.content, {}, {query: {fieldValidation}});
    const [strict, warn, ignore] = [await send('Strict'), await send('Warn'), await send('Ignore')];
    const text = `unknown field "${unknown.path}"`;
    expect([strict.status, strict.body.message]).toEqual([
      400,
      `${kind} in version "${version}" cannot be handled as a ${kind}: strict decoding error: ${text}`,
    ]);
    expect([warn.status, warn.warnings.includes(text), warn.text.includes('colour":"red"')]).toEqual([
      201,
      true,
      false,
    ]);
    expect([ignore.status, ignore.warnings.includes(text)]).toEqual([201, false]);
  });

  test('E-271 dryRun answers as if, and writes nothing', async () => {
    const name = freshName();
    const query = {dryRun: 'All'};
    const created = await objects.post(name, 1, {}, {query});
    expect([created.status, created.body.metadata.resourceVersion]).toEqual([201, undefined]);
    const table = await objects.post(
      name,
      1,
      {},
      {query, headers: {accept: 'application/json;as=Table;v=v1;g=meta.k8s.io'}},
    );
    expect([table.body.kind, table.body.metadata]).toEqual(['Table', {}]);
    expect((await objects.get(name)).status).toBe(404);
    expect((await objects.apply('m', objects.body(name, 1), query)).status).toBe(201);
    expect((await objects.get(name)).status).toBe(404);
    const real = await objects.post(name, 1);
    const {resourceVersion} = real.body.metadata;
    const patched = await objects.merge(name, {labels: {a: 'b'}}, query);
    expect(patched.body.metadata).toMatchObject({labels: {a: 'b'}, resourceVersion});
    const put = await objects.put(name, 2, {}, {query});
    expect([put.status, put.body]).toEqual([200, expect.objectContaining(objects.fixture.content(2))]);
    expect((await objects.wire.send('DELETE', objects.at(name), {query})).status).toBe(200);
    expect((await objects.wire.send('DELETE', objects.path, {query})).status).toBe(200);
    expect((await objects.get(name)).body).toEqual(real.body);
  });

  const named = JSON.stringify({...objects.body('dup'), metadata: {name: 'dup'}});
  test.each([
    {
      what: 'deep nesting',
      body: `{"metadata":{"name":"a"},"x":${'['.repeat(20_000)}${']'.repeat(20_000)}}`,
      codes: [201, 400],
    },
    {what: 'invalid UTF-8', body: Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]), codes: [422, 400]},
    {what: 'a duplicate key', body: named.replace('"name":"dup"', '"name":"dup","name":"dup2"'), codes: [201]},
    {what: 'an empty body', body: '', codes: [400]},
    {what: 'null', body: 'null', codes: [422, 400]},
  ])('E-253 a body with $what is answered, and the server lives', async ({body, codes}) => {
    const answer = await objects.wire.send('POST', objects.path, {body});
    expect(codes).toContain(answer.status);
    expect((await objects.wire.send('GET', '/livez')).text).toBe('ok');
  });

  test.each([
    {code: 400, reason: 'BadRequest', method: 'POST', sent: {body: '{'}},
    {code: 404, reason: 'NotFound', method: 'GET', name: 'none', sent: {}},
    {code: 405, reason: 'MethodNotAllowed', method: 'PUT', sent: {body: {}}},
    {code: 406, reason: 'NotAcceptable', method: 'GET', sent: {headers: {accept: 'text/html'}}},
    {
      code: 415,
      reason: 'UnsupportedMediaType',
      method: 'POST',
      sent: {body: 'x', headers: {'content-type': 'text/plain'}},
    },
    {code: 415, reason: 'UnsupportedMediaType', method: 'PATCH', name: 'none', sent: {body: {}}},
    {code: 413, reason: 'RequestEntityTooLarge', method: 'POST', sent: {body: `{"a":"${'v'.repeat(3 << 20)}"}`}},
  ])('E-252 E-253 E-254 $method is $code as a Status', async ({code, reason, method, name, sent}) => {
    const path = name === undefined ? objects.path : objects.at(name);
    const {status, body} = await objects.wire.send(method, path, sent as object);
    expect([status, body.kind, body.status, body.reason, body.code]).toEqual([code, 'Status', 'Failure', reason, code]);
    expect((await objects.wire.send('GET', objects.path, {query: {limit: '1'}})).status).toBe(200);
  });
});

forEachKind(
  'content that stays',
  objects => {
    test('E-271 a field that the kind lets nobody change is refused in every write', async () => {
      const {before, after, field} = objects.fixture.immutable ?? {before: {}, after: {}, field: ''};
      const created = await objects.create({}, before);
      const {name} = created.metadata;
      const answers = [
        await objects.put(name, after),
        await objects.patch(name, MERGE, after),
        await objects.apply('m', objects.body(name, after), {force: 'true'}),
      ];
      for (const answer of answers) expect([answer.status, fields(answer)]).toEqual([422, [field]]);
      expect((await objects.get(name)).body).toEqual(created);
    });
  },
  {about: ({immutable}) => immutable !== undefined},
);

forEachKind(
  'status',
  objects => {
    test('E-271 has a door of its own: a plain write leaves it, it leaves everything else', async () => {
      const {status, empty, given} = objects.fixture;
      const first = given?.status ?? empty['status'];
      const made = await objects.create({}, {...objects.fixture.content(1), status});
      expect(made.status).toEqual(first);
      const {name} = made.metadata;
      const put = await objects.put(name, {...objects.fixture.content(2), status});
      expect(put.body).toMatchObject({...objects.fixture.content(2), status: first});
      const body = {...put.body, ...objects.fixture.content(3), status};
      const through = await objects.wire.send('PUT', `${objects.at(name)}/status`, {body});
      expect(through.body).toMatchObject({...objects.fixture.content(2), status});
      expect((await objects.wire.send('GET', `${objects.at(name)}/status`)).body).toEqual(through.body);
      expect((await objects.put(name, 3)).body).toMatchObject({...objects.fixture.content(3), status});
    });
  },
  {about: ({status}) => status !== undefined},
);

forEachKind(
  'no status',
  objects => {
    test('E-270 a kind without a subresource has none', async () => {
      const {name} = (await objects.create()).metadata;
      expect((await objects.wire.send('GET', `${objects.at(name)}/status`)).status).toBe(404);
    });
  },
  {about: ({status}) => status === undefined},
);
