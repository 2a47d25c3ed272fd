// SPDX-License-Identifier: Apache-2.0
/** Helm 4.3, built from its module, with a chart of a Service and its Endpoints (test/consumers/chart). */
import {cpSync, writeFileSync} from 'node:fs';
import {join, resolve} from 'node:path';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {peerOrWhyNot} from '../../bench/peers.ts';
import {ADMIN_TOKEN, type SecuredServer, startSecured} from '../e2e/support/secured-server.ts';
import {type Finished, run, scratch} from '../support/palisade.ts';
import {writeKubeconfig} from './support/kubeconfig.ts';

const {path, whyNot} = peerOrWhyNot('helm');
const skipped = whyNot === '' ? '' : ` (skipped: ${whyNot})`;
const NAMESPACE = 'charts';

type Item = {
  metadata: {name: string; labels?: Record<string, string>};
  type?: string;
  subsets?: {addresses: {ip: string}[]}[];
  spec?: {ports: {targetPort: number}[]; clusterIP: string};
};

describe.skipIf(path === '').each(['spec', 'kubernetes'])(`helm, with --compat %s${skipped}`, compat => {
  const folder = scratch();
  let server: SecuredServer;
  let env: Record<string, string>;
  let chart: string;

  beforeAll(async () => {
    server = await startSecured(folder.dir, ['--apis', 'kubernetes', '--compat', compat]);
    env = {KUBECONFIG: writeKubeconfig(folder.dir, server), HOME: folder.dir, HELM_NAMESPACE: NAMESPACE};
    for (const kind of ['CACHE', 'CONFIG', 'DATA']) env[`HELM_${kind}_HOME`] = join(folder.dir, kind);
    chart = join(folder.dir, 'chart');
    cpSync(resolve('test/consumers/chart'), chart, {recursive: true});
  });
  afterAll(async () => {
    await server?.stop();
    folder[Symbol.dispose]();
  });

  const helm = (...words: readonly string[]): Promise<Finished> => run(words, {command: path, env, cwd: folder.dir});
  const ok = async (...words: readonly string[]): Promise<string> => {
    const done = await helm(...words);
    if (done.code !== 0)
      throw new Error(`helm ${words.join(' ')} ended with ${done.code}: ${done.stderr}${done.stdout}`);
    return done.stdout;
  };
  const items = async (resource: string): Promise<readonly Item[]> => {
    const url = `${server.http()}/api/v1/namespaces/${NAMESPACE}/${resource}`;
    const answer = await fetch(url, {headers: {authorization: `Bearer ${ADMIN_TOKEN}`}});
    return ((await answer.json()) as {items: Item[]}).items;
  };
  /** Addresses of the Endpoints of the release, and the port that its Service sends to. */
  const served = async (): Promise<unknown> => {
    const [set] = (await items('endpoints')).filter(({metadata}) => metadata.name === 'web');
    const [service] = (await items('services')).filter(({metadata}) => metadata.name === 'web');
    return [set?.subsets?.[0]?.addresses.map(({ip}) => ip), service?.spec?.ports[0]?.targetPort];
  };
  const releases = async (): Promise<readonly string[]> =>
    (await items('secrets')).filter(({type}) => type === 'helm.sh/release.v1').map(({metadata}) => metadata.name);

  test('45-3 install makes the objects of the chart and a Secret for the release', async () => {
    const text = await ok('install', 'web', chart, '--create-namespace', '--wait', '--timeout', '20s');
    expect(text).toMatch(/^NAME: web\n[\s\S]*STATUS: deployed\nREVISION: 1\n[\s\S]*web has 1 addresses\./);
    expect(await served()).toEqual([['10.3.0.1'], 8080]);
    expect(await releases()).toEqual(['sh.helm.release.v1.web.v1']);
  });

  test('45-3 list and status', async () => {
    expect(JSON.parse(await ok('list', '-o', 'json'))).toMatchObject([
      {name: 'web', namespace: NAMESPACE, revision: '1', status: 'deployed', chart: 'backend-1.0.0', app_version: '1'},
    ]);
    expect(JSON.parse(await ok('status', 'web', '-o', 'json'))).toMatchObject({
      name: 'web',
      version: 1,
      info: {status: 'deployed'},
    });
    expect(await ok('get', 'manifest', 'web')).toContain('kind: Endpoints');
  });

  test('45-3 upgrade changes the objects and makes a second revision', async () => {
    const before = (await items('services'))[0]?.spec?.clusterIP;
    await ok(
      'upgrade',
      'web',
      chart,
      '--set',
      'addresses={10.3.0.2,10.3.0.3}',
      '--set',
      'port=9090',
      '--wait',
      '--timeout',
      '20s',
    );
    expect(await served()).toEqual([['10.3.0.2', '10.3.0.3'], 9090]);
    expect((await items('services'))[0]?.spec?.clusterIP).toBe(before);
    expect(await releases()).toEqual(['sh.helm.release.v1.web.v1', 'sh.helm.release.v1.web.v2']);
  });

  test('45-3 a second install of the name and a refused upgrade fail, and leave the objects alone', async () => {
    const again = await helm('install', 'web', chart);
    expect(again.code).toBe(1);
    expect(again.stderr).toContain('cannot reuse a name that is still in use');
    const refused = await helm('upgrade', 'web', chart, '--reuse-values', '--set', 'addresses={127.0.0.1}');
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('may not be in the loopback range (127.0.0.0/8, ::1/128)');
    expect(await served()).toEqual([['10.3.0.2', '10.3.0.3'], 9090]);
  });

  test('45-3 rollback brings the first values back as a further revision', async () => {
    expect(await ok('rollback', 'web', '1', '--wait', '--timeout', '20s')).toContain('Rollback was a success!');
    expect(await served()).toEqual([['10.3.0.1'], 8080]);
    const history = JSON.parse(await ok('history', 'web', '-o', 'json')) as {revision: number; status: string}[];
    expect(history.map(({revision, status}) => [revision, status])).toEqual([
      [1, 'superseded'],
      [2, 'superseded'],
      [3, 'failed'],
      [4, 'deployed'],
    ]);
  });

  test('45-3 an object that left the chart is deleted by the next upgrade', async () => {
    const extra = join(chart, 'templates/extra.yaml');
    writeFileSync(extra, 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: extra}\ndata: {a: b}\n');
    await ok('upgrade', 'web', chart);
    expect((await items('configmaps')).map(({metadata}) => metadata.name)).toContain('extra');
    writeFileSync(extra, '');
    await ok('upgrade', 'web', chart);
    expect((await items('configmaps')).map(({metadata}) => metadata.name)).not.toContain('extra');
  });

  test('45-3 uninstall removes objects and releases', async () => {
    expect(await ok('uninstall', 'web', '--wait', '--timeout', '20s')).toContain('release "web" uninstalled');
    expect(await served()).toEqual([undefined, undefined]);
    expect(await releases()).toEqual([]);
    expect(JSON.parse(await ok('list', '-o', 'json'))).toEqual([]);
  });

  test('45-3 the server wrote no error', () => expect(server.errors()).toEqual([]));
});
