// SPDX-License-Identifier: Apache-2.0
/** A stack whose provider is pointed at another server: nothing is made there, nothing taken for deleted, nothing left behind unseen. */
import {mkdirSync, readFileSync, symlinkSync, writeFileSync} from 'node:fs';
import {join, resolve} from 'node:path';
import {expect, test} from 'vitest';
import {quiet, run, scratch, serve} from '../support/palisade.ts';

const PROGRAM = `
const platform = require('@palisade/platform');
const pulumi = require('@pulumi/pulumi');
const config = new pulumi.Config();
for (const name of (config.get('names') ?? 'a,b').split(','))
  new platform.core.v1.Endpoints(name, {metadata: {name, labels: {of: config.get('label') ?? 'shop'}}});
`;

const makeProject = (dir: string, server: () => string) => {
  const cwd = join(dir, 'program');
  for (const folder of [cwd, join(dir, 'backend')]) mkdirSync(folder);
  writeFileSync(
    join(cwd, 'Pulumi.yaml'),
    'name: p\nruntime: {name: nodejs, options: {typescript: false}}\nmain: index.js\n',
  );
  writeFileSync(join(cwd, 'package.json'), '{"name": "p", "private": true}');
  writeFileSync(join(cwd, 'index.js'), PROGRAM);
  symlinkSync(resolve('build/sdk/node_modules'), join(cwd, 'node_modules'));
  const env = {
    PULUMI_BACKEND_URL: `file://${join(dir, 'backend')}`,
    PULUMI_HOME: join(dir, 'home'),
    PULUMI_CONFIG_PASSPHRASE: 'x',
    KUBECONFIG: '',
  };
  const stateFile = join(dir, 'backend/.pulumi/stacks/p/dev.json');
  return {
    palisade: (words: string) => run(words.split(' '), {env: {...env, PALISADE_SERVER: server()}, cwd}),
    /** With what the state knows of each object. */
    resources: (): {urn: string; id?: string; outputs?: {__server?: unknown}}[] =>
      (JSON.parse(readFileSync(stateFile, 'utf8')).checkpoint.latest.resources ?? []).map(
        ({urn, id, outputs}: {urn: string; id?: string; outputs?: object}) => ({urn, id, outputs}),
      ),
  };
};

const json = async (url: string) => (await fetch(url)).json() as Promise<Record<string, never>>;
const uidOf = async (http: string): Promise<string> =>
  (await json(`${http}/api/v1/namespaces/kube-system`))['metadata']!['uid'];
const namesAt = async (http: string): Promise<string[]> =>
  ((await json(`${http}/api/v1/namespaces/default/endpoints`))['items']! as {metadata: {name: string}}[])
    .map(({metadata}) => metadata.name)
    .filter(name => name !== 'kubernetes');

test('F-04 objects stay with their server when the provider is moved, and the same data on another port is no move', async () => {
  using folder = scratch();
  const flags = [...quiet(join(folder.dir, 'old')), '--apis', 'kubernetes'];
  let server = '';
  const {palisade, resources} = makeProject(folder.dir, () => server);
  await using other = await serve([...quiet(join(folder.dir, 'other')), '--apis', 'kubernetes']);
  const old = await serve(flags);
  const [there, elsewhere] = [old.ready.http, other.ready.http];
  const uid = await uidOf(there);
  try {
    server = there;
    expect((await palisade('stack init dev')).code).toBe(0);
    expect(await palisade('up --yes --skip-preview')).toMatchObject({code: 0});
    const remembered = resources().flatMap(({outputs}) => outputs?.__server ?? []);
    expect(remembered).toEqual(Array(2).fill({uid, address: there}));

    server = elsewhere;
    const before = resources();
    await fetch(`${elsewhere}/api/v1/namespaces/default/endpoints`, {
      method: 'POST',
      headers: {'content-type': 'application/json'},
      body: JSON.stringify({apiVersion: 'v1', kind: 'Endpoints', metadata: {name: 'found'}}),
    });
    const isRefused = `the server at ${there} (uid ${uid}); ${elsewhere} is another server (uid ${await uidOf(elsewhere)})`;
    for (const words of [
      'preview',
      'up --yes --skip-preview',
      'up --yes --skip-preview -c names=a,c -c label=moved',
      'preview --refresh',
      'refresh --yes --skip-preview',
      'destroy --yes --skip-preview',
      'destroy --preview-only',
      'import platform:core/v1:Endpoints found default/found --yes --skip-preview',
    ]) {
      const {code, stdout, stderr} = await palisade(words);
      expect([words, code], stderr).toEqual([words, 1]);
      expect(stdout + stderr, words).toContain(isRefused);
    }
    expect(resources()).toEqual(before);
    expect([await namesAt(there), await namesAt(elsewhere)]).toEqual([['a', 'b'], ['found']]);
  } finally {
    await old.stop();
  }
  await using back = await serve(flags);
  server = back.ready.http;
  for (const key of ['names', 'label']) expect((await palisade(`config rm ${key}`)).code).toBe(0);
  expect(await palisade('up --yes --skip-preview --expect-no-changes')).toMatchObject({code: 0});
  expect(await palisade('refresh --yes --skip-preview --expect-no-changes')).toMatchObject({code: 0});
  expect(resources().flatMap(({outputs}) => outputs?.__server ?? [])[0]).toEqual({uid, address: server});
  expect(await palisade('destroy --yes --skip-preview')).toMatchObject({code: 0});
  expect(await namesAt(server)).toEqual([]);
});

test('F-04 both sides of a server, and one that serves the IDS side alone, are known by the uid of kube-system', async () => {
  using folder = scratch();
  let uid = '';
  {
    await using both = await serve(quiet(folder.dir));
    uid = await uidOf(both.ready.http);
    expect(await json(`${both.ready.http}/v1/server`)).toEqual({uid});
  }
  {
    await using ids = await serve([...quiet(folder.dir), '--apis', 'ids']);
    expect(await json(`${ids.ready.http}/v1/server`)).toEqual({uid});
  }
  using fresh = scratch();
  await using alone = await serve([...quiet(fresh.dir), '--apis', 'ids']);
  const own = (await json(`${alone.ready.http}/v1/server`))['uid'];
  expect(own).toMatch(/^[0-9a-f-]{36}$/);
  expect(own).not.toBe(uid);
  expect((await fetch(`${alone.ready.http}/v1/server`, {method: 'POST'})).status).toBe(404);
});
