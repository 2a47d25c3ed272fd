// SPDX-License-Identifier: Apache-2.0
/** The stock @kubernetes/client-node over HTTPS with a token: objects, patches, and an informer that lives through kill -9 of the server. */
import {
  ApiException,
  CoreV1Api,
  dumpYaml,
  KubeConfig,
  KubernetesObjectApi,
  loadYaml,
  makeInformer,
  PatchStrategy,
  setHeaderOptions,
  type V1Endpoints,
} from '@kubernetes/client-node';
import {afterAll, beforeAll, describe, expect, test, vi} from 'vitest';
import {scratch} from '../support/palisade.ts';
import {ADMIN_TOKEN, type SecuredServer, startSecured} from './support/secured-server.ts';

const NAMESPACE = 'node';
/** Bound on what an informer still has to tell. */
const SOON = {timeout: 30_000, interval: 20};

const folder = scratch();
let server: SecuredServer;
let config: KubeConfig;
let api: CoreV1Api;

beforeAll(async () => {
  server = await startSecured(folder.dir, ['--apis', 'kubernetes']);
  config = new KubeConfig();
  config.loadFromOptions({
    clusters: [{name: 'c', server: server.url, caFile: server.caFile}],
    users: [{name: 'u', token: ADMIN_TOKEN}],
    contexts: [{name: 'x', cluster: 'c', user: 'u'}],
    currentContext: 'x',
  });
  api = config.makeApiClient(CoreV1Api);
  await api.createNamespace({body: {metadata: {name: NAMESPACE}}});
});
afterAll(async () => {
  await server.stop();
  folder[Symbol.dispose]();
});

const object = (name: string, ip: string): V1Endpoints => ({
  metadata: {name},
  subsets: [{addresses: [{ip}], ports: [{name: 'http', port: 80}]}],
});
const create = (name: string, ip: string) =>
  api.createNamespacedEndpoints({namespace: NAMESPACE, body: object(name, ip)});
const put = (name: string, ip: string) =>
  api.replaceNamespacedEndpoints({namespace: NAMESPACE, name, body: object(name, ip)});
const remove = (name: string) => api.deleteNamespacedEndpoints({namespace: NAMESPACE, name});
const firstIp = (obj: V1Endpoints | undefined) => obj?.subsets?.[0]?.addresses?.[0]?.ip;
const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => 'accepted',
    error => (error instanceof ApiException ? error.code : error),
  );

describe('@kubernetes/client-node', () => {
  test('E-086 E-157 E-270 create, read, replace, list, delete', async () => {
    const made = await create('crud', '10.0.0.1');
    const read = await api.readNamespacedEndpoints({namespace: NAMESPACE, name: 'crud'});
    expect(read).toEqual(made);
    expect(read.metadata?.creationTimestamp).toBeInstanceOf(Date);
    expect(read.subsets?.[0]?.ports?.[0]).toMatchObject({name: 'http', port: 80, protocol: 'TCP'});
    const written = await api.replaceNamespacedEndpoints({
      namespace: NAMESPACE,
      name: 'crud',
      body: {...read, metadata: {...read.metadata, labels: {a: 'b'}}},
    });
    expect(written.metadata?.labels).toEqual({a: 'b'});
    expect(await codeOf(api.replaceNamespacedEndpoints({namespace: NAMESPACE, name: 'crud', body: made}))).toBe(409);
    const list = await api.listNamespacedEndpoints({namespace: NAMESPACE, labelSelector: 'a=b'});
    expect(list.items.map(item => item.metadata?.name)).toEqual(['crud']);
    expect(await remove('crud')).toMatchObject({status: 'Success'});
    expect(await codeOf(remove('crud'))).toBe(404);
  });

  test('E-271 merge and JSON patches; server-side apply through the object client', async () => {
    await create('patched', '10.0.0.1');
    const target = {namespace: NAMESPACE, name: 'patched'};
    const merge = {...target, body: {metadata: {labels: {merge: 'yes'}}}};
    await api.patchNamespacedEndpoints(merge, setHeaderOptions('Content-Type', PatchStrategy.MergePatch));
    const json = {...target, body: [{op: 'replace', path: '/subsets/0/addresses/0/ip', value: '10.0.0.7'}]};
    await api.patchNamespacedEndpoints(json, setHeaderOptions('Content-Type', PatchStrategy.JsonPatch));
    const applied = await KubernetesObjectApi.makeApiClient(config).patch<V1Endpoints>(
      {apiVersion: 'v1', kind: 'Endpoints', metadata: {...target, labels: {apply: 'yes'}}},
      undefined,
      undefined,
      'node',
      false,
      PatchStrategy.ServerSideApply,
    );
    expect(applied.metadata?.labels).toEqual({merge: 'yes', apply: 'yes'});
    expect(firstIp(applied)).toBe('10.0.0.7');
  });

  test('E-270 what YAML describes is created through discovery, and read back as YAML', async () => {
    const client = KubernetesObjectApi.makeApiClient(config);
    const text = `{apiVersion: v1, kind: Endpoints, metadata: {name: from-yaml, namespace: ${NAMESPACE}}, subsets: [{addresses: [{ip: 10.0.0.1}], ports: [{port: 443}]}]}`;
    await client.create(loadYaml<V1Endpoints>(text));
    const read = await client.read<V1Endpoints>({
      apiVersion: 'v1',
      kind: 'Endpoints',
      metadata: {name: 'from-yaml', namespace: NAMESPACE},
    });
    expect(loadYaml<V1Endpoints>(dumpYaml(read)).subsets).toEqual([
      {addresses: [{ip: '10.0.0.1'}], ports: [{port: 443, protocol: 'TCP'}]},
    ]);
  });

  test('E-159 E-275 an informer tells of each change once, also of those while the server was down for it', async () => {
    const diary: string[] = [];
    const told = (word: string) => (obj: V1Endpoints) => diary.push(`${word} ${obj.metadata?.name} ${firstIp(obj)}`);
    const of = (name: string) =>
      diary.filter(line => line.includes(` ${name} `)).map(line => line.replace(`${name} `, ''));
    await create('stays', '10.0.0.1');
    await create('goes', '10.0.0.1');
    const list = () => api.listNamespacedEndpoints({namespace: NAMESPACE});
    const informer = makeInformer<V1Endpoints>(config, `/api/v1/namespaces/${NAMESPACE}/endpoints`, list);
    for (const word of ['add', 'update', 'delete'] as const) informer.on(word, told(word));
    const cutOff = new Promise(resolve => informer.on('error', resolve));
    await informer.start();
    await put('stays', '10.0.0.2');
    await vi.waitFor(() => expect(of('stays')).toEqual(['add 10.0.0.1', 'update 10.0.0.2']), SOON);

    await server.restart();
    await cutOff;
    // The informer knows nothing of these until it is started again: it takes up where it was.
    await put('stays', '10.0.0.3');
    await remove('goes');
    await create('comes', '10.0.0.1');
    await put('comes', '10.0.0.2');
    await informer.start();
    await vi.waitFor(() => expect(of('comes')).toEqual(['add 10.0.0.1', 'update 10.0.0.2']), SOON);
    expect(of('stays')).toEqual(['add 10.0.0.1', 'update 10.0.0.2', 'update 10.0.0.3']);
    expect(of('goes')).toEqual(['add 10.0.0.1', 'delete 10.0.0.1']);

    await remove('comes');
    await vi.waitFor(() => expect(of('comes').at(-1)).toBe('delete 10.0.0.2'), SOON);
    const versions = (items: readonly V1Endpoints[]) =>
      Object.fromEntries(items.map(({metadata}) => [metadata?.name, metadata?.resourceVersion]));
    expect(versions(informer.list(NAMESPACE))).toEqual(versions((await list()).items));
    await informer.stop();
  });

  test('the server wrote no error', () => expect(server.errors()).toEqual([]));
});
