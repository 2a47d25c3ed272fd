// SPDX-License-Identifier: Apache-2.0
/** What is asked of a Namespace besides its name, and objects in it that were marked before it was. */
import type {Timers} from '@palisade/apiserver';
import {afterAll, beforeAll, expect, test} from 'vitest';
import {ManualTime} from './manual-time.ts';
import {ENDPOINTS, endpoints, freshName, hastyTimers, MERGE, startWire, type Wire} from './support.ts';

const NAMESPACES = '/api/v1/namespaces';
const ENFORCE = 'pod-security.kubernetes.io/enforce';
const WARN_VERSION = 'pod-security.kubernetes.io/warn-version';

let wire: Wire;
beforeAll(async () => {
  wire = await startWire({compat: 'kubernetes', timers: hastyTimers});
});
afterAll(() => wire[Symbol.asyncDispose]());

const post = (labels: Record<string, string>, name = freshName()) =>
  wire.send('POST', NAMESPACES, {body: {metadata: {name, labels}}});
const label = (name: string, labels: Record<string, string>) =>
  wire.send('PATCH', `${NAMESPACES}/${name}`, {body: {metadata: {labels}}, headers: {'content-type': MERGE}});

test('E-252 pod security labels that make no sense are refused, all at once', async () => {
  const name = freshName();
  const {status, body} = await post({[WARN_VERSION]: 'v1.01', [ENFORCE]: 'bogus'}, name);
  expect([status, body.message]).toEqual([
    422,
    `Namespace "${name}" is invalid: [metadata.labels[${ENFORCE}]: Invalid value: "bogus": must be one of privileged, baseline, restricted, metadata.labels[${WARN_VERSION}]: Invalid value: "v1.01": must be "latest" or "v1.x"]`,
  ]);
  expect((await post({[ENFORCE]: 'bogus', 'a b': 'c'})).body.details.causes).toHaveLength(1);
});

test.each([
  [ENFORCE, 'restricted', 'baseline', 'Restricted'],
  [WARN_VERSION, 'latest', 'v1.36', '1.36'],
])('E-252 %s is checked when it changes', async (key, one, other, wrong) => {
  const name = freshName();
  expect((await post({[key]: one}, name)).status).toBe(201);
  expect((await label(name, {[key]: other})).status).toBe(200);
  expect((await label(name, {[key]: wrong})).status).toBe(422);
  expect((await label(name, {app: 'x'})).status).toBe(200);
});

test('a deletion counts in the generation of an object, not in that of a namespace', async () => {
  const name = freshName();
  const metadata = {name, generation: 3, finalizers: ['example.com/a']};
  const marked = async (path: string): Promise<number> => {
    await wire.send('POST', path, {body: {metadata}});
    const {body} = await wire.send('DELETE', `${path}/${name}`);
    return body.metadata.generation;
  };
  expect([await marked(NAMESPACES), await marked(ENDPOINTS)]).toEqual([3, 4]);
});

test.each(['spec', 'kubernetes'] as const)('E-231 a namespace has no grace period, --compat %s', async compat => {
  const time = new ManualTime(Date.parse('2026-01-02T03:04:05Z'));
  await using own = await startWire({compat, timers: time, clock: time});
  const name = freshName();
  await own.send('POST', NAMESPACES, {body: {metadata: {name, finalizers: ['example.com/a']}}});
  const {body} = await own.send('DELETE', `${NAMESPACES}/${name}`, {query: {gracePeriodSeconds: '600'}});
  expect(body.metadata).toMatchObject({deletionTimestamp: '2026-01-02T03:04:05Z'});
  expect(body.metadata).not.toHaveProperty('deletionGracePeriodSeconds');
});

test('E-151 a namespace takes along what was marked before and is held by nothing', async () => {
  const name = freshName();
  await wire.send('POST', NAMESPACES, {body: {metadata: {name}}});
  const {resourceVersion} = (await wire.send('GET', NAMESPACES)).body.metadata;
  const marked = endpoints('a', [], {deletionTimestamp: '2020-01-01T00:00:00Z'});
  expect((await wire.send('PUT', `${NAMESPACES}/${name}/endpoints/a`, {body: marked})).status).toBe(201);
  const watch = await wire.watch(NAMESPACES, {resourceVersion, fieldSelector: `metadata.name=${name}`});
  await wire.send('DELETE', `${NAMESPACES}/${name}`);
  let event = await watch.next();
  while (event.type !== 'DELETED') event = await watch.next();
  watch.close();
});

test('E-151 a namespace that was born deleted is told to be terminating, and goes', async () => {
  const name = freshName();
  const {resourceVersion} = (await wire.send('GET', NAMESPACES)).body.metadata;
  const watch = await wire.watch(NAMESPACES, {resourceVersion, fieldSelector: `metadata.name=${name}`});
  const {body} = await wire.send('PATCH', `${NAMESPACES}/${name}`, {
    query: {fieldManager: 'a'},
    headers: {'content-type': 'application/apply-patch+yaml'},
    body: {apiVersion: 'v1', kind: 'Namespace', metadata: {name, deletionTimestamp: '2020-01-01T00:00:00Z'}},
  });
  const phases = new Set([body.status.phase]);
  for (let event = await watch.next(); event.type !== 'DELETED'; event = await watch.next())
    phases.add(event.object.status.phase);
  expect([...phases]).toEqual(['Active', 'Terminating']);
  watch.close();
});

test('E-151 with --compat kubernetes a namespace keeps its objects for five seconds, takes none, and one of the same name begins anew', async () => {
  const time = new ManualTime(Date.parse('2026-01-01T00:00:00Z'));
  await using own = await startWire({compat: 'kubernetes', timers: time});
  const [namespace, objects] = [`${NAMESPACES}/brief`, `${NAMESPACES}/brief/endpoints`];
  for (let round = 0; round < 2; round++) {
    await own.send('POST', NAMESPACES, {body: {metadata: {name: 'brief'}}});
    await own.send('POST', objects, {body: endpoints('a')});
    await own.send('DELETE', namespace);
    time.advance(4_999);
    const {status} = (await own.send('GET', namespace)).body;
    expect(status).toEqual({phase: 'Terminating'});
    expect((await own.send('POST', objects, {body: endpoints('late')})).status).toBe(403);
    expect((await own.send('GET', objects)).body.items).toHaveLength(1);
    time.advance(1);
    await expect.poll(async () => (await own.send('GET', namespace)).status, {interval: 5}).toBe(404);
    expect((await own.send('GET', objects)).body.items).toEqual([]);
  }
});

test('with --compat kubernetes what leaves a namespace that is deleted is noticed only with time, all of it at once', async () => {
  const time = new ManualTime(Date.parse('2026-01-01T00:00:00Z'));
  await using own = await startWire({compat: 'kubernetes', timers: time, clock: time});
  const [namespace, objects] = [`${NAMESPACES}/held`, `${NAMESPACES}/held/endpoints`];
  await own.send('POST', NAMESPACES, {body: {metadata: {name: 'held'}}});
  for (const name of ['a', 'b']) {
    await own.send('POST', objects, {body: endpoints(name, [], {finalizers: ['example.com/x']})});
  }
  await own.send('DELETE', namespace);
  time.advance(5_000);
  const statusNow = async () => (await own.send('GET', namespace)).body.status;
  await expect.poll(statusNow, {interval: 5}).toHaveProperty('conditions');
  const reported = await statusNow();
  for (const name of ['a', 'b']) {
    const headers = {'content-type': MERGE};
    await own.send('PATCH', `${objects}/${name}`, {body: {metadata: {finalizers: null}}, headers});
  }
  time.advance(4_999);
  expect((await own.send('GET', objects)).body.items).toEqual([]);
  expect(await statusNow()).toEqual(reported);
  time.advance(1);
  await expect.poll(async () => (await own.send('GET', namespace)).status, {interval: 5}).toBe(404);
});

test.each(['spec', 'kubernetes'] as const)(
  'E-151 a namespace made anew while the deletion of the one before waited keeps its objects, --compat %s',
  async compat => {
    const held: (() => void)[] = [];
    let holds = false;
    const soon: Timers['soon'] = action => {
      if (!holds) return hastyTimers.soon(action);
      held.push(action);
      return {cancel: () => {}};
    };
    await using own = await startWire({compat, timers: {...hastyTimers, soon}});
    const [namespace, objects] = [`${NAMESPACES}/brief`, `${NAMESPACES}/brief/endpoints`];
    await own.send('POST', NAMESPACES, {body: {metadata: {name: 'brief'}}});
    holds = true;
    await own.send('DELETE', namespace);
    await expect.poll(() => held.length, {interval: 5}).toBeGreaterThan(0);
    const {body} = await own.send('GET', namespace);
    expect((await own.send('PUT', `${namespace}/finalize`, {body: {...body, spec: {}}})).status).toBe(200);
    const made = await own.send('POST', NAMESPACES, {body: {metadata: {name: 'brief'}}});
    expect([made.status, made.body.metadata.uid === body.metadata.uid]).toEqual([201, false]);
    await own.send('POST', objects, {body: endpoints('a')});
    holds = false;
    for (const action of held.splice(0)) action();
    await own.send('POST', NAMESPACES, {body: {metadata: {name: 'other'}}});
    await own.send('DELETE', `${NAMESPACES}/other`);
    await expect.poll(async () => (await own.send('GET', `${NAMESPACES}/other`)).status, {interval: 5}).toBe(404);
    expect((await own.send('GET', objects)).body.items).toHaveLength(1);
    expect((await own.send('GET', namespace)).body).toMatchObject({
      spec: {finalizers: ['kubernetes']},
      status: {phase: 'Active'},
    });
  },
);

test('E-151 the label of the name is not checked when the name was made after it', async () => {
  const answer = await wire.send('POST', NAMESPACES, {body: {metadata: {generateName: 'a/b'}}});
  expect(answer.body.details.causes.map(({field}: {field: string}) => field)).toEqual([
    'metadata.generateName',
    'metadata.name',
  ]);
  const labels = {'kubernetes.io/metadata.name': 'no label'};
  expect((await wire.send('POST', NAMESPACES, {body: {metadata: {generateName: 'a-', labels}}})).status).toBe(422);
  const made = (await wire.send('POST', NAMESPACES, {body: {metadata: {generateName: 'a-'}}})).body.metadata;
  expect(made.labels).toEqual({'kubernetes.io/metadata.name': made.name});
});

test('E-151 a second delete shows the grace, however often it comes after that', async () => {
  const name = freshName();
  const namespace = `${NAMESPACES}/${name}`;
  const metadata = {name, finalizers: ['example.com/x']};
  await wire.send('POST', NAMESPACES, {body: {metadata}});
  await wire.send('PUT', `${namespace}/finalize`, {body: {metadata, spec: {}}});
  const answers = [];
  for (let i = 0; i < 3; i++) answers.push((await wire.send('DELETE', namespace)).body.metadata);
  expect(answers.map(({deletionGracePeriodSeconds}) => deletionGracePeriodSeconds)).toEqual([undefined, 0, 0]);
  expect(answers[2].resourceVersion).toBe(answers[1].resourceVersion);
});

test('E-151 what does not come into a terminating namespace is named as it was sent', async () => {
  const name = freshName();
  await wire.send('POST', NAMESPACES, {body: {metadata: {name, finalizers: ['example.com/x']}}});
  await wire.send('DELETE', `${NAMESPACES}/${name}`);
  for (const [metadata, called] of [
    [{generateName: 'g-'}, 'g-'],
    [{}, 'Unknown'],
  ]) {
    const {status, body} = await wire.send('POST', `${NAMESPACES}/${name}/endpoints`, {body: {metadata}});
    expect([status, body.details.name]).toEqual([403, called]);
  }
});

test.each([
  [
    'kubernetes',
    [
      [200, 'Namespace', 'Terminating'],
      [200, 'Namespace', 'Terminating'],
      [404, 'Status', 'Failure'],
    ],
  ],
  [
    'spec',
    [
      [200, 'Namespace', 'Active'],
      [404, 'Status', 'Failure'],
    ],
  ],
] as const)('E-151 how a namespace without spec.finalizers goes, --compat %s', async (compat, answers) => {
  await using own = await startWire({compat, timers: hastyTimers});
  const namespace = `${NAMESPACES}/brief`;
  const {metadata} = (await own.send('POST', NAMESPACES, {body: {metadata: {name: 'brief'}}})).body;
  await own.send('PUT', `${namespace}/finalize`, {body: {metadata: {name: 'brief'}, spec: {}}});
  const versions = [BigInt(metadata.resourceVersion)];
  for (const expected of answers) {
    const {status, body} = await own.send('DELETE', namespace);
    expect([status, body.kind, body.status.phase ?? body.status]).toEqual(expected);
    if (status === 200) versions.push(BigInt(body.metadata.resourceVersion));
  }
  expect(versions).toEqual([...new Set(versions)].sort((a, b) => (a < b ? -1 : 1)));
});

test('E-151 the finalizers that are left are the namespace controller’s, which wrote them', async () => {
  const name = freshName();
  const namespace = `${NAMESPACES}/${name}`;
  await wire.send('POST', NAMESPACES, {body: {metadata: {name}, spec: {finalizers: ['example.com/x']}}});
  await wire.send('DELETE', namespace);
  await expect
    .poll(async () => (await wire.send('GET', namespace)).body.spec.finalizers, {interval: 5})
    .toEqual(['example.com/x']);
  const {managedFields} = (await wire.send('GET', namespace)).body.metadata;
  expect(managedFields).toContainEqual(
    expect.objectContaining({
      manager: 'kube-controller-manager',
      subresource: 'finalize',
      fieldsV1: {'f:spec': {'f:finalizers': {}}},
    }),
  );
});

test('where no grace is known a time of deletion that has not come is now', async () => {
  const path = `${NAMESPACES}/default/endpoints/${freshName()}`;
  const born = endpoints(path.split('/').at(-1) ?? '', [], {
    deletionTimestamp: '2099-01-01T00:00:00Z',
    deletionGracePeriodSeconds: 30,
    finalizers: ['example.com/x'],
  });
  await wire.send('PUT', path, {body: born});
  const {deletionTimestamp, deletionGracePeriodSeconds} = (await wire.send('DELETE', path)).body.metadata;
  expect(deletionGracePeriodSeconds).toBe(0);
  expect(deletionTimestamp < '2099').toBe(true);
  expect((await wire.send('DELETE', path)).body.metadata.deletionTimestamp).toBe(deletionTimestamp);
});
