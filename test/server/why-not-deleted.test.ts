// SPDX-License-Identifier: Apache-2.0
/** Who holds a deleted object, whatever its kind: `palisade why-not-deleted`, `describe` and `confirm-deletion` against a running server. */
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {quiet, type RunningServer, run, scratch, serve} from '../support/palisade.ts';

const folder = scratch();
let server: RunningServer;
beforeAll(async () => {
  server = await serve([...quiet(folder.dir), '--apis', 'kubernetes']);
});
afterAll(async () => {
  await server.stop();
  folder[Symbol.dispose]();
});

type Made = {metadata: {uid: string}};
const CLUSTER_ROLES = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
const endpointsIn = (namespace: string): string => `/api/v1/namespaces/${namespace}/endpoints`;

const palisade = (...words: string[]) => run(words, {env: {PALISADE_SERVER: server.ready.http}});
const said = async (...words: string[]): Promise<Record<string, unknown>> => {
  const {stdout, stderr} = await palisade(...words, '--json');
  expect(stderr).toBe('');
  return JSON.parse(stdout) as Record<string, unknown>;
};
const post = async (path: string, metadata: object): Promise<Made> => {
  const body = JSON.stringify({metadata});
  const headers = {'content-type': 'application/json'};
  const answer = await fetch(server.ready.http + path, {method: 'POST', headers, body});
  expect(answer.status).toBe(201);
  return (await answer.json()) as Made;
};
const remove = (path: string) => fetch(server.ready.http + path, {method: 'DELETE'});
/** Resolves when the object of a watch event fits. */
const seen = async (path: string, fits: (object: Record<string, never>) => boolean): Promise<void> => {
  const watch = await fetch(`${server.ready.http}${path}?watch=true`);
  let text = '';
  for await (const chunk of watch.body ?? []) {
    text += Buffer.from(chunk).toString();
    const lines = text.split('\n');
    text = lines.pop() ?? '';
    for (const line of lines) if (fits((JSON.parse(line) as {object: Record<string, never>}).object)) return;
  }
};
const SLOW = ['example.com/slow'];
const ownedBy = (name: string, {metadata}: Made) => ({
  finalizers: SLOW,
  ownerReferences: [
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      name,
      uid: metadata.uid,
      blockOwnerDeletion: true,
    },
  ],
});

describe('why-not-deleted', () => {
  test('E-193 a cluster-scoped owner: its blocking dependents of every kind, in all namespaces', async () => {
    const owner = await post(CLUSTER_ROLES, {name: 'boss'});
    await post('/api/v1/namespaces', {name: 'far'});
    await post(endpointsIn('default'), {name: 'near', ...ownedBy('boss', owner)});
    await post(endpointsIn('far'), {name: 'away', ...ownedBy('boss', owner)});
    await post(CLUSTER_ROLES, {name: 'deputy', ...ownedBy('boss', owner)});
    await remove(`${CLUSTER_ROLES}/boss?propagationPolicy=Foreground`);
    const {deleted, holders} = await said('why-not-deleted', 'clusterroles/boss');
    expect(deleted).toBe(true);
    expect(holders).toEqual([
      expect.objectContaining({
        holder: 'foregroundDeletion',
        what: 'waits for 3 dependents with blockOwnerDeletion',
        objects: [
          expect.objectContaining({resource: 'endpoints', namespace: 'default', name: 'near', finalizers: SLOW}),
          expect.objectContaining({resource: 'endpoints', namespace: 'far', name: 'away', finalizers: SLOW}),
          expect.objectContaining({resource: 'clusterroles.rbac.authorization.k8s.io', namespace: '', name: 'deputy'}),
        ],
      }),
    ]);
    const described = await palisade('describe', 'ClusterRole/boss');
    expect(described.stdout).toMatch(/Deleted:\s+due since \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\n/);
    expect(described.stdout).toContain('blocked by foregroundDeletion');
    expect(described.stdout).toContain('endpoints/away in namespace far, finalizers example.com/slow');
  });

  test('E-126 any kind may be held by a finalizer, and be confirmed away', async () => {
    const {metadata} = await post(CLUSTER_ROLES, {name: 'held', finalizers: SLOW});
    await remove(`${CLUSTER_ROLES}/held`);
    const {stdout} = await palisade('why-not-deleted', 'clusterrole.rbac.authorization.k8s.io/held');
    expect(stdout).toContain('example.com/slow');
    const command = `palisade confirm-deletion clusterroles.rbac.authorization.k8s.io/held --uid ${metadata.uid}`;
    expect(stdout).toContain(command);
    const confirmed = await palisade('confirm-deletion', 'clusterroles/held', '--uid', metadata.uid, '--reason', 'r');
    expect(confirmed).toMatchObject({code: 0});
    expect((await fetch(`${server.ready.http}${CLUSTER_ROLES}/held`)).status).toBe(404);
  });

  test('control characters in names that others chose reach no terminal; JSON has them escaped', async () => {
    const name = 'odd\u001b[2J;x';
    await post(CLUSTER_ROLES, {name, finalizers: SLOW, annotations: {a: '\u001b]0;title\u0007'}});
    await remove(`${CLUSTER_ROLES}/${encodeURIComponent(name)}`);
    const {stdout} = await palisade('why-not-deleted', `clusterroles/${name}`);
    expect(stdout).toContain("confirm-deletion $'clusterroles.rbac.authorization.k8s.io/odd\\u001b[2J;x' --uid");
    const described = await palisade('describe', `clusterroles/${name}`);
    expect(described.stdout).toContain('a=^[]0;title\\x07');
    const asJson = await palisade('why-not-deleted', `clusterroles/${name}`, '--json');
    for (const each of [stdout, described.stdout, asJson.stdout])
      expect(['\u001b', '\u0007'].filter(one => each.includes(one))).toEqual([]);
  });

  test('what it advises names the server again, where a flag did', async () => {
    await post(endpointsIn('default'), {name: 'advised', finalizers: SLOW});
    await remove(`${endpointsIn('default')}/advised`);
    const words = ['why-not-deleted', 'endpoints/advised', '--server', server.ready.http, '--token', 't'];
    const {stdout} = await run(words, {env: {}});
    expect(stdout).toMatch(
      new RegExp(
        `palisade confirm-deletion endpoints/advised --namespace default --uid \\S+ --reason TEXT --server ${server.ready.http}$`,
        'm',
      ),
    );
    expect((await palisade('why-not-deleted', 'endpoints/advised')).stdout).not.toContain('--server');
  });

  test('a namespace: phase, conditions, and the objects that hold it with their finalizers', async () => {
    await post('/api/v1/namespaces', {name: 'shop'});
    await post(endpointsIn('shop'), {name: 'web', finalizers: SLOW});
    await post('/apis/rbac.authorization.k8s.io/v1/namespaces/shop/roles', {name: 'reader', finalizers: SLOW});
    await remove('/api/v1/namespaces/shop');
    await seen('/api/v1/namespaces', ({metadata, status}) => {
      const {conditions = []} = (status ?? {}) as {conditions?: unknown[]};
      return (metadata as unknown as {name: string}).name === 'shop' && conditions.length > 0;
    });
    const answer = await said('why-not-deleted', 'ns/shop');
    expect(answer).toMatchObject({deleted: true, phase: 'Terminating'});
    expect(answer['conditions']).toContainEqual(
      expect.objectContaining({type: 'NamespaceFinalizersRemaining', status: 'True'}),
    );
    expect(answer['holders']).toContainEqual(
      expect.objectContaining({
        holder: 'content',
        objects: [
          expect.objectContaining({kind: 'Endpoints', namespace: 'shop', name: 'web', finalizers: SLOW}),
          expect.objectContaining({kind: 'Role', namespace: 'shop', name: 'reader', finalizers: SLOW}),
        ],
      }),
    );
    const {stdout} = await palisade('why-not-deleted', 'namespaces/shop');
    expect(stdout).toMatch(/^phase: Terminating\ncondition: /);
    expect(stdout).toContain('endpoints/web in namespace shop, finalizers example.com/slow, being deleted');
    const described = await palisade('describe', 'namespaces/shop');
    expect(described.stdout).toMatch(/Phase:\s+Terminating/);
    expect(described.stdout).toMatch(/Finalizers:\s+kubernetes \(spec\)/);
    expect(described.stdout).toContain('roles.rbac.authorization.k8s.io/reader in namespace shop');
    expect((await palisade('confirm-deletion', 'ns/shop', '--uid', 'u', '--reason', 'r')).code).toBe(2);
  });

  test('E-153 of an object that was not deleted: what its owners are worth', async () => {
    const owner = await post(endpointsIn('default'), {name: 'alive'});
    const reference = (kind: string, name: string, uid: string) => ({apiVersion: 'v1', kind, name, uid});
    await post(endpointsIn('default'), {
      name: 'kept',
      ownerReferences: [reference('Endpoints', 'alive', owner.metadata.uid), reference('Pod', 'p', 'u')],
    });
    const {deleted, owners} = await said('why-not-deleted', 'endpoints/kept');
    expect(deleted).toBe(false);
    expect(owners).toEqual([
      expect.objectContaining({kind: 'Endpoints', state: 'kept', what: expect.stringContaining('exists')}),
      expect.objectContaining({
        kind: 'Pod',
        state: 'kept',
        what: expect.stringContaining('this server does not store'),
      }),
    ]);
  });
});

describe('unknown resources', () => {
  test.each(['describe', 'why-not-deleted'])('%s jobs/x says so and names what there is', async command => {
    const {code, stderr} = await palisade(command, 'jobs/x');
    expect(code).toBe(1);
    expect(stderr).toContain('unknown resource "jobs": this server has configmaps, endpoints, ');
    expect(stderr).toContain('clusterroles.rbac.authorization.k8s.io');
  });

  test('a misspelt one comes with the nearest; a word without a slash is usage', async () => {
    expect((await palisade('describe', 'endpoint/x')).stderr).toContain('did you mean "endpoints"?');
    expect((await palisade('why-not-deleted', 'web')).code).toBe(2);
  });

  test('E-126 a namespace cannot be confirmed away: the help says so, and the refusal what to do', async () => {
    expect((await palisade('confirm-deletion', '--help')).stdout).toContain('Namespaces are refused');
    expect(await palisade('confirm-deletion', 'ns/default', '--uid', 'x', '--reason', 'r')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('palisade why-not-deleted namespaces/default'),
    });
  });

  test('describe of a namespace that is in use shows its phase', async () => {
    expect((await palisade('describe', 'ns/default')).stdout).toMatch(/Phase:\s+Active/);
  });
});

describe('users with few rights', () => {
  const RBAC = '/apis/rbac.authorization.k8s.io/v1';
  const granted = async (http: string, method: string, path: string, body: object) => {
    const headers = {authorization: 'Bearer boss', 'content-type': method === 'PATCH' ? PATCH : 'application/json'};
    const answer = await fetch(http + path, {method, headers, body: JSON.stringify(body)});
    expect(answer.ok).toBe(true);
  };
  const PATCH = 'application/merge-patch+json';

  test('E-253 everybody who signed in may ask which kinds there are; where that was taken away, those that palisade knows count', async () => {
    using own = scratch();
    const tokens = join(own.dir, 'tokens.csv');
    writeFileSync(tokens, 'boss,admin,1,"system:masters"\nlook,reader,2\n');
    const flags = ['--data', own.dir, '--http', '127.0.0.1:0', '--apis', 'kubernetes', '--log-level', 'error'];
    await using guarded = await serve([...flags, '--token-auth-file', tokens]);
    const {http} = guarded.ready;
    const rules = [{apiGroups: [''], resources: ['endpoints'], verbs: ['get', 'list']}];
    await granted(http, 'POST', `${RBAC}/namespaces/default/roles`, {metadata: {name: 'look'}, rules});
    await granted(http, 'POST', `${RBAC}/namespaces/default/rolebindings`, {
      metadata: {name: 'look'},
      roleRef: {kind: 'Role', name: 'look'},
      subjects: [{kind: 'User', name: 'reader'}],
    });
    await granted(http, 'POST', endpointsIn('default'), {metadata: {name: 'web', finalizers: SLOW}});
    await granted(http, 'DELETE', `${endpointsIn('default')}/web`, {});
    const ask = (...words: string[]) => run([...words, '--token', 'look'], {env: {PALISADE_SERVER: http}});

    expect(await ask('why-not-deleted', 'ep/web')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('example.com/slow'),
      stderr: '',
    });

    await granted(http, 'PATCH', `${RBAC}/clusterrolebindings/system:discovery`, {subjects: null});
    const told = await ask('why-not-deleted', 'ep/web');
    expect(told).toMatchObject({code: 0, stdout: expect.stringContaining('example.com/slow')});
    expect(told.stderr).toMatch(
      /^palisade: the server does not list its kinds \(.*cannot get path "\/apis?".*system:discovery/,
    );
    expect(told.stderr.trim().split('\n')).toHaveLength(1);
    const unknown = await ask('describe', 'jobs/x');
    expect([unknown.code, unknown.stderr]).toEqual([
      1,
      expect.stringContaining('palisade knows endpoints, namespaces, '),
    ]);
  });
});
