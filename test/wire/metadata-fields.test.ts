// SPDX-License-Identifier: Apache-2.0
/** Annotations, labels and what the server alone writes. */
import {expect, test} from 'vitest';
import {forEachKind, servedKinds} from './kinds/index.ts';
import {fields, freshName, JSON_PATCH, MERGE, STRATEGIC, startWire} from './support.ts';

const SECOND_MS = 1_000;

forEachKind('metadata', (objects, compat) => {
  const read = async (name: string) => (await objects.get(name)).body;

  test.each(['a\nb\r\n\tc 🦊 ☃ é', '"\\ <&> \u2028', '{"a": [1, 2]}', '', 'v'.repeat(200 * 1024)])(
    'E-110 E-113 an annotation is kept byte for byte: %.12s',
    async value => {
      const {metadata} = await objects.create({annotations: {note: value}});
      expect((await read(metadata.name)).metadata.annotations).toEqual({note: value});
    },
  );

  test('E-112 annotations of others survive patches and applies', async () => {
    const {name} = (await objects.create({annotations: {theirs: '1'}})).metadata;
    await objects.patch(name, MERGE, {metadata: {annotations: {a: '1'}}});
    await objects.patch(name, STRATEGIC, {metadata: {annotations: {b: '1'}}});
    await objects.patch(name, JSON_PATCH, [{op: 'add', path: '/metadata/annotations/c', value: '1'}]);
    await objects.apply('m', objects.body(name, {}, {annotations: {d: '1'}}));
    expect((await read(name)).metadata.annotations).toEqual({theirs: '1', a: '1', b: '1', c: '1', d: '1'});
  });

  test("E-115 creationTimestamp is the server's time in UTC", async () => {
    const before = Math.floor(Date.now() / SECOND_MS) * SECOND_MS;
    const {creationTimestamp} = (await objects.create()).metadata;
    expect(creationTimestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    expect(Date.parse(creationTimestamp)).toBeGreaterThanOrEqual(before);
    expect(Date.parse(creationTimestamp)).toBeLessThanOrEqual(Date.now());
  });

  test('E-116 creationTimestamp of a client is ignored', async () => {
    const creationTimestamp = '2001-01-01T00:00:00Z';
    const {name, creationTimestamp: real} = (await objects.create({creationTimestamp}, 1)).metadata;
    expect(real).not.toBe(creationTimestamp);
    const answers = [await objects.put(name, 1, {creationTimestamp}), await objects.merge(name, {creationTimestamp})];
    expect(answers.map(({body}) => body.metadata.creationTimestamp)).toEqual([real, real]);
  });

  test('E-138 labels and annotations have qualified names; all annotations together have 256 KiB', async () => {
    const refused = async (metadata: object) => {
      const answer = await objects.post(freshName(), {}, {...metadata});
      return [answer.status, ...new Set(fields(answer))];
    };
    expect(await refused({labels: {'a b': 'x', a: '-x'}})).toEqual([422, 'metadata.labels']);
    expect(await refused({annotations: {'a/b/c': 'x'}})).toEqual([422, 'metadata.annotations']);
    expect(await refused({annotations: {a: 'v'.repeat(256 * 1024)}})).toEqual([422, 'metadata.annotations']);
    await objects.create({labels: {app: 'x', 'example.com/y': 'z', e: ''}, annotations: {'Example.com/B': 'x'}});
  });

  test('E-162 selfLink is ignored and never there', async () => {
    const name = freshName();
    const answers = [await objects.post(name, 1, {selfLink: '/x/y'}), await objects.put(name, 2, {selfLink: '/x/y'})];
    expect(answers.map(answer => answer.status)).toEqual([201, 200]);
    for (const {text} of answers) expect(text).not.toContain('selfLink');
  });

  test('E-114 clusterName, spec: accepted and ignored by every write, also under Strict; else an unknown field', async () => {
    const name = freshName();
    const query = {fieldValidation: 'Strict'};
    const metadata = {clusterName: 'east'};
    const answers = [
      await objects.post(name, 1, metadata, {query}),
      await objects.put(name, 1, metadata, {query}),
      await objects.patch(name, MERGE, {metadata}, query),
      await objects.patch(name, STRATEGIC, {metadata}, query),
      await objects.apply('m', objects.body(name, 1, metadata), {...query, force: 'true'}),
    ];
    if (compat === 'spec') {
      expect(answers.map(answer => [answer.status, answer.warnings])).toEqual(
        [201, 200, 200, 200, 200].map(s => [s, []]),
      );
      expect((await objects.get(name)).text).not.toContain('clusterName');
      return;
    }
    const {kind} = objects.fixture.definition;
    expect([answers[0]?.status, answers[0]?.body.message]).toEqual([
      400,
      `${kind} in version "${objects.fixture.definition.version}" cannot be handled as a ${kind}: strict decoding error: unknown field "metadata.clusterName"`,
    ]);
    const warned = await objects.post(name, 1, metadata);
    expect([warned.status, warned.warnings.includes('unknown field "metadata.clusterName"')]).toEqual([201, true]);
    expect(warned.text).not.toContain('clusterName');
  });
});

forEachKind(
  'generation',
  objects => {
    test('E-135 that of a client does not count', async () => {
      const {name, generation} = (await objects.create({generation: 7}, 1)).metadata;
      expect(generation).toBe(objects.fixture.generation);
      const later = [
        await objects.put(name, 1, {generation: 9}),
        await objects.merge(name, {generation: 9}),
        await objects.apply('m', objects.body(freshName(), 1, {generation: 9})),
      ];
      expect(later.map(({body}) => body.metadata.generation)).toEqual([generation, generation, generation]);
    });
  },
  {modes: ['spec']},
);

forEachKind(
  'a clock that is set back',
  objects => {
    test('E-118 nothing orders by creationTimestamp: lists, watches and deletes are as ever', async () => {
      let now = Date.parse('2030-01-01T00:00:00Z');
      await using wire = await startWire({kinds: servedKinds, clock: {now: () => now}});
      const own = objects.over(wire);
      const watch = await own.watch();
      for (const name of ['c', 'a', 'b']) {
        await own.post(name);
        now -= 3_600_000;
      }
      expect(await own.names()).toEqual(['a', 'b', 'c']);
      expect(await watch.take(3)).toEqual(['ADDED c', 'ADDED a', 'ADDED b']);
      expect((await own.remove('c')).status).toBe(200);
      expect(await watch.take(1)).toEqual(['DELETED c']);
      watch.close();
    });
  },
  {modes: ['spec']},
);
