// SPDX-License-Identifier: Apache-2.0
/** Namespaces and their deletion, on a manual clock. Ref: requirements E-148, E-150, E-151, E-231, E-252. */
import type {Timers} from '@palisade/apiserver';
import {type Body, MemoryApi, type MemoryApiOptions, type Resource, sampleKind} from '@palisade/apiserver/testing';
import {openMemoryStore} from '@palisade/store/memory';
import {afterEach, describe, expect, test} from 'vitest';
import {namespacesModule} from './index.ts';
import {namespacesKind} from './kind.ts';

const things = sampleKind();
const MODES = ['spec', 'kubernetes'] as const;
const HELD = {finalizers: ['example.com/x']};

let api: MemoryApi;
let namespaces: Resource;
let inside: Resource;
const open = async (options: Partial<MemoryApiOptions> = {}): Promise<void> => {
  api = await MemoryApi.open({...namespacesModule, kinds: [namespacesKind, things], ...options});
  namespaces = api.of(namespacesKind);
  inside = api.of(things, 'one');
};
afterEach(() => api[Symbol.asyncDispose]());

const advance = async (ms: number): Promise<void> => {
  api.time.advance(ms);
  await api.settle();
};
const causes = ({body}: Body): string[] => (body.details.causes ?? []).map(({field}: Body) => field);

describe('what a namespace is', () => {
  test('E-148 E-150 its name is a DNS label, also the label of it, and it is in no namespace', async () => {
    await open();
    for (const name of ['Bad', 'a.b', 'a_b', '-a', 'a'.repeat(64)])
      expect([name, causes(await namespaces.post({name}))[0]]).toEqual([name, 'metadata.name']);
    const made = await namespaces.make({
      name: 'one',
      namespace: 'elsewhere',
      labels: {'kubernetes.io/metadata.name': 'x'},
    });
    expect(made).toMatchObject({
      metadata: {labels: {'kubernetes.io/metadata.name': 'one'}},
      spec: {finalizers: ['kubernetes']},
      status: {phase: 'Active'},
    });
    expect(made.metadata).not.toHaveProperty('namespace');
  });

  test('E-151 the label of the name is not checked when the name was made after it', async () => {
    await open();
    expect(causes(await namespaces.post({generateName: 'a/b'}))).toEqual(['metadata.generateName', 'metadata.name']);
    const labels = {'kubernetes.io/metadata.name': 'no label'};
    expect((await namespaces.post({generateName: 'a-', labels})).status).toBe(422);
    const {metadata} = await namespaces.make({generateName: 'a-'});
    expect(metadata.labels).toEqual({'kubernetes.io/metadata.name': metadata.name});
  });

  test.each([
    [
      'pod-security.kubernetes.io/enforce',
      'restricted',
      'baseline',
      'Restricted',
      'must be one of privileged, baseline, restricted',
    ],
    ['pod-security.kubernetes.io/warn-version', 'latest', 'v1.36', '1.36', 'must be "latest" or "v1.x"'],
  ])('E-252 %s is checked when it changes, after everything else', async (key, one, other, wrong, text) => {
    await open();
    const refused = await namespaces.post({name: 'one', labels: {[key]: wrong}});
    expect([refused.status, refused.body.message]).toEqual([422, expect.stringContaining(`"${wrong}": ${text}`)]);
    expect(causes(await namespaces.post({name: 'one', labels: {[key]: wrong, 'a b': 'c'}}))).toEqual([
      'metadata.labels',
    ]);
    await namespaces.make({name: 'one', labels: {[key]: one}});
    const two = {'pod-security.kubernetes.io/enforce': 'x', 'pod-security.kubernetes.io/warn-version': 'v1.01'};
    expect(causes(await namespaces.post({name: 'two', labels: two}))).toEqual(
      Object.keys(two).map(label => `metadata.labels[${label}]`),
    );
    const statuses = [];
    for (const value of [other, wrong]) statuses.push((await namespaces.merge('one', {labels: {[key]: value}})).status);
    expect(statuses).toEqual([200, 422]);
    expect((await namespaces.merge('one', {labels: {app: 'x'}})).status).toBe(200);
  });

  test.each(['default', 'kube-system', 'kube-public'])('E-151 %s cannot be deleted', async name => {
    await open();
    expect((await namespaces.remove(name)).status).toBe(403);
  });
});

describe.each(MODES)('deletion, --compat %s', compat => {
  /** A round after the deletion: at once, or after five seconds. */
  const round = (): Promise<void> => advance(compat === 'spec' ? 0 : 5_000);

  test('E-151 E-231 takes the objects along, reports those that are held, and ends with the last of them', async () => {
    await open({compat});
    await namespaces.make({name: 'one', generation: 3});
    await inside.make({name: 'a'});
    await inside.make({name: 'held', ...HELD});
    const {body} = await namespaces.remove('one', {gracePeriodSeconds: 600});
    expect(body.status).toEqual({phase: 'Terminating'});
    expect(body.metadata).not.toHaveProperty('deletionGracePeriodSeconds');
    expect(body.metadata.generation).toBe(compat === 'spec' ? undefined : 3);
    await round();
    expect(await inside.names()).toEqual(['held']);
    const {conditions} = (await namespaces.get('one')).status;
    expect(conditions.map(({message}: Body) => message)).toContain(
      'Some resources are remaining: things.example.com has 1 resource instances',
    );
    for (const [metadata, called] of [
      [{generateName: 'g-'}, 'g-'],
      [{}, 'Unknown'],
    ] as const) {
      const {status, body: refusal} = await inside.post(metadata);
      expect([status, refusal.details.name, refusal.details.causes[0].reason]).toEqual([
        403,
        called,
        'NamespaceTerminating',
      ]);
    }
    await inside.merge('held', {finalizers: null});
    await advance(compat === 'spec' ? 0 : 4_999);
    expect((await namespaces.get('one')) === undefined).toBe(compat === 'spec');
    const [counts] = [...api.api.services.queues.all()].filter(({name}) => name === 'namespace');
    expect([counts?.depth, counts?.unfinishedSeconds, counts?.retries]).toEqual([0, 0, compat === 'spec' ? 2 : 1]); // rounds that left the held one
    await advance(1);
    expect(await namespaces.get('one')).toBeUndefined();
    const worked = counts?.worked.total ?? 0;
    expect([counts?.depth, worked > 1, counts?.waited.total]).toEqual([0, true, worked]);
  });

  test('E-151 takes along what was marked before and is held by nothing', async () => {
    await open({compat});
    await namespaces.make({name: 'one'});
    await inside.put('a', {metadata: {name: 'a', deletionTimestamp: '2020-01-01T00:00:00Z'}});
    await namespaces.remove('one');
    await round();
    expect([await inside.names(), await namespaces.get('one')]).toEqual([[], undefined]);
  });

  test('E-151 one that was born deleted becomes terminating, and goes', async () => {
    await open({compat});
    const born = {metadata: {name: 'one', deletionTimestamp: '2020-01-01T00:00:00Z', ...HELD}};
    expect((await namespaces.apply('m', 'one', born)).body.status.phase).toBe('Active');
    await round();
    expect((await namespaces.get('one')).status.phase).toBe('Terminating');
    await namespaces.merge('one', {finalizers: null});
    expect(await namespaces.get('one')).toBeUndefined();
  });

  test('E-151 keeps its objects for the grace of the mode, and one of the same name begins again', async () => {
    await open({compat});
    for (let turn = 0; turn < 2; turn++) {
      await namespaces.make({name: 'one'});
      await inside.make({name: 'a'});
      await namespaces.remove('one');
      await advance(compat === 'spec' ? 0 : 4_999);
      expect(await inside.names()).toEqual(compat === 'spec' ? [] : ['a']);
      await advance(1);
      expect(await namespaces.get('one')).toBeUndefined();
    }
  });

  test('E-151 one of the same name, made while the deletion waited, keeps its objects', async () => {
    const waiting: (() => void)[] = [];
    await open({compat});
    const {time} = api;
    await api.api.stop();
    let holds = false;
    const timers: Timers = {
      after: (delayMs, action) => time.after(delayMs, action),
      soon: action => {
        if (!holds) return time.soon(action);
        waiting.push(action);
        return {cancel: () => {}};
      },
    };
    await open({compat, timers, clock: time});
    await namespaces.make({name: 'one', ...HELD});
    holds = true;
    await namespaces.remove('one');
    time.advance(5_000);
    expect(waiting.length).toBeGreaterThan(0);
    holds = false;
    await namespaces.send('update', 'one', {subresource: 'finalize', body: {metadata: {name: 'one'}, spec: {}}});
    await namespaces.merge('one', {finalizers: null});
    expect(await namespaces.get('one')).toBeUndefined();
    await namespaces.make({name: 'one'});
    await inside.make({name: 'a'});
    for (const action of waiting) action();
    await api.settle();
    expect(await inside.names()).toEqual(['a']);
    expect((await namespaces.get('one')).status).toEqual({phase: 'Active'});
  });

  test('E-151 what else holds it stays, and the controller owns what it wrote', async () => {
    await open({compat});
    await namespaces.make({name: 'one'}, {spec: {finalizers: ['example.com/x']}});
    await namespaces.remove('one');
    await round();
    const {metadata, spec} = await namespaces.get('one');
    expect(spec.finalizers).toEqual(['example.com/x']);
    expect(metadata.managedFields).toContainEqual(
      expect.objectContaining({
        manager: compat === 'spec' ? 'palisade-namespace-controller' : 'kube-controller-manager',
        subresource: 'finalize',
        fieldsV1: {'f:spec': {'f:finalizers': {}}},
      }),
    );
  });

  test('E-151 goes on after a restart', async () => {
    const store = await openMemoryStore();
    await open({compat, store, controllers: []});
    await namespaces.make({name: 'one'});
    await inside.make({name: 'a'});
    await namespaces.remove('one');
    await api.api.stop();
    await open({compat, store});
    await round();
    expect(await inside.names()).toEqual([]);
    expect(await namespaces.get('one')).toBeUndefined();
  });

  test('E-151 without spec.finalizers it goes with its first delete; upstream it is marked, then goes', async () => {
    await open({compat});
    await namespaces.make({name: 'one'});
    await namespaces.send('update', 'one', {subresource: 'finalize', body: {metadata: {name: 'one'}, spec: {}}});
    const outcomes = [];
    const versions = new Set([(await namespaces.get('one')).metadata.resourceVersion]);
    for (let turn = 0; turn < 3; turn++) {
      const {status, body} = await namespaces.remove('one');
      if (status === 200) versions.add(body.metadata.resourceVersion);
      outcomes.push([status, body.status?.phase, body.metadata?.deletionGracePeriodSeconds]);
    }
    const gone = [404, undefined, undefined];
    expect(outcomes).toEqual(
      compat === 'spec'
        ? [[200, 'Active', undefined], gone, gone]
        : [[200, 'Terminating', undefined], [200, 'Terminating', undefined], gone],
    );
    expect(versions.size).toBe(outcomes.filter(([status]) => status === 200).length + 1);
  });

  test('E-151 a second delete shows the grace, however often it comes after that', async () => {
    await open({compat});
    await namespaces.make({name: 'one', ...HELD});
    await namespaces.send('update', 'one', {
      subresource: 'finalize',
      body: {metadata: {name: 'one', ...HELD}, spec: {}},
    });
    const marks = [];
    for (let turn = 0; turn < 3; turn++) marks.push((await namespaces.remove('one')).body.metadata);
    expect(marks.map(({deletionGracePeriodSeconds}) => deletionGracePeriodSeconds)).toEqual([undefined, 0, 0]);
    expect(marks[2].resourceVersion).toBe(marks[1].resourceVersion);
  });

  test('E-193 on its way out it takes no other policy', async () => {
    await open({compat});
    await namespaces.make({name: 'one'});
    await inside.make({name: 'held', ...HELD});
    const trial = await namespaces.remove('one', {orphanDependents: false, dryRun: ['All']});
    expect([trial.status, trial.body.metadata.finalizers]).toEqual([202, ['foregroundDeletion']]);
    await namespaces.remove('one');
    const second = await namespaces.remove('one', {propagationPolicy: 'Orphan'});
    expect([second.status, second.body.metadata.finalizers]).toEqual([200, undefined]);
  });
});

test('E-151 a system namespace that was deleted comes back after a minute, as another one', async () => {
  await open();
  const {uid, labels} = (await namespaces.get('kube-node-lease')).metadata;
  for (const round of ['first', 'second']) {
    await namespaces.remove('kube-node-lease');
    await api.settle();
    await advance(59_999);
    expect([round, await namespaces.get('kube-node-lease')]).toEqual([round, undefined]);
    await advance(1);
    const {metadata} = await namespaces.get('kube-node-lease');
    expect(metadata).toMatchObject({labels, managedFields: [{manager: 'palisade'}]});
    expect(metadata.uid).not.toBe(uid);
  }
});
