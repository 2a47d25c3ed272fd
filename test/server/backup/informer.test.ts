// SPDX-License-Identifier: Apache-2.0
/** A restore under a running informer of @kubernetes/client-node: it lists again, and its cache has the restored objects. Then the restored server backs itself up. */
import {readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {CoreV1Api, KubeConfig, makeInformer, type V1ConfigMap} from '@kubernetes/client-node';
import {expect, test, vi} from 'vitest';
import {run, scratch, serve} from '../../support/palisade.ts';

const NAMESPACE = 'default';
const SOON = {timeout: 30_000, interval: 20};

test('48-3 an informer ends with 410, lists again, has the restored objects and nothing of the lost time, and misses nothing after', async () => {
  using folder = scratch();
  const data = join(folder.dir, 'data');
  const file = join(folder.dir, 'backup.tar.zst');
  const start = (https: string, ...more: string[]) =>
    serve(['--data', data, '--https', https, '--apis', 'kubernetes', '--log-level', 'warn', ...more]);
  await using first = await start('127.0.0.1:0');
  const {https = '', kubeconfig} = first.ready;
  const config = new KubeConfig();
  config.loadFromString(readFileSync(kubeconfig, 'utf8')); // its certificate lives on in the backup
  const api = config.makeApiClient(CoreV1Api);
  const put = (name: string, text: string) =>
    api.replaceNamespacedConfigMap({namespace: NAMESPACE, name, body: {metadata: {name}, data: {text}}});
  const create = (name: string) =>
    api.createNamespacedConfigMap({namespace: NAMESPACE, body: {metadata: {name}, data: {text: 'first'}}});
  const list = () => api.listNamespacedConfigMap({namespace: NAMESPACE});

  for (const name of ['stays', 'changes', 'goes']) await create(name);
  const informer = makeInformer<V1ConfigMap>(config, `/api/v1/namespaces/${NAMESPACE}/configmaps`, list);
  const diary: string[] = [];
  for (const word of ['add', 'update', 'delete'] as const)
    informer.on(word, obj => diary.push(`${word} ${obj.metadata?.name} ${obj.data?.['text']}`));
  let isOver = false;
  informer.on('error', () => {
    if (!isOver) setTimeout(() => void informer.start(), 50); // as its documentation says: it stops with an error
  });
  await informer.start();
  const cached = () =>
    informer
      .list(NAMESPACE)
      .map(({metadata, data: content}) => [metadata?.name, metadata?.uid, metadata?.resourceVersion, content?.['text']])
      .sort();
  const stored = async () =>
    (await list()).items
      .map(({metadata, data: content}) => [metadata?.name, metadata?.uid, metadata?.resourceVersion, content?.['text']])
      .sort();
  await vi.waitFor(() => expect(cached()).toHaveLength(3), SOON);
  const backedUp = await stored();
  const made = await run(['backup', file, '--data', data]);
  expect([made.code, made.stderr]).toEqual([0, '']);

  await put('changes', 'after the backup');
  await api.deleteNamespacedConfigMap({namespace: NAMESPACE, name: 'goes'});
  await create('lost');
  await vi.waitFor(() => expect(cached().map(([name]) => name)).toEqual(['changes', 'lost', 'stays']), SOON);
  await first.stop();
  const restored = await run(['restore', file, '--data', data, '--replace']);
  expect([restored.code, restored.stderr]).toEqual([0, '']);
  const copies = join(folder.dir, 'copies');
  await using _second = await start(https.replace('https://', ''), '--backup-dir', copies);
  await vi.waitFor(() => expect(cached()).toEqual(backedUp), SOON);
  expect(await stored()).toEqual(backedUp);
  expect(diary).toContain('delete lost first');

  diary.length = 0;
  await put('changes', 'again');
  await create('new');
  await api.deleteNamespacedConfigMap({namespace: NAMESPACE, name: 'stays'});
  await vi.waitFor(() => expect(diary).toHaveLength(3), SOON);
  expect(diary).toEqual(['update changes again', 'add new first', 'delete stays first']);
  isOver = true;
  await informer.stop();

  // The first scheduled backup comes soon after the start.
  await vi.waitFor(() => expect(readdirSync(copies)).toEqual([expect.stringMatching(/\.tar\.zst$/)]), SOON);
  const [copy = ''] = readdirSync(copies);
  expect((await run(['verify', join(copies, copy)])).stdout).toMatch(
    /intact\n[\s\S]*Objects: {3}\d+ at revision 10000\d+ /,
  );
}, 120_000);
