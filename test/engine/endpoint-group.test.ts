// SPDX-License-Identifier: Apache-2.0
/**
 * Groups declared by programs in TypeScript and Python, on the API as the product serves it: deployed, unchanged, changed, in the way of
 * other Endpoints, imported, looked up and destroyed.
 */
import {existsSync} from 'node:fs';
import {fileURLToPath} from 'node:url';
import {garbageCollection} from '@palisade/apiserver';
import {createKubeModule, DEFAULT_KIND_SETTINGS, noProber} from '@palisade/kinds';
import {afterEach, beforeEach, describe, expect, test, vi} from 'vitest';
import {type Body, ENDPOINTS, endpoints, startWire, subset, type Wire} from '../wire/support.ts';
import {EngineBench} from './support/engine-bench.ts';

vi.setConfig({testTimeout: 240_000, hookTimeout: 60_000});
const VENV = fileURLToPath(new URL('../../build/sdk/venv', import.meta.url));
const hasPython = existsSync(VENV);
if (!hasPython) process.stderr.write('skipped: groups in Python (no build/sdk/venv; run make sdk)\n');
const GROUPS = '/apis/platform.io/v1alpha1/namespaces/one/endpointgroups';
const NO_CHANGES = ['--yes', '--skip-preview', '--expect-no-changes'] as const;

let bench: EngineBench;
let wire: Wire;
beforeEach(async () => {
  // No check ever ends: members with one are starting.
  const module = createKubeModule(DEFAULT_KIND_SETTINGS, {prober: noProber});
  wire = await startWire({module, controllers: [garbageCollection]});
});
afterEach(async () => {
  bench.remove();
  await wire[Symbol.asyncDispose]();
});

async function open(runtime: 'nodejs' | 'python'): Promise<void> {
  bench = new EngineBench({passphrase: 'check', runtime: `runtime: ${runtime}`});
  const main = runtime === 'nodejs' ? 'main: index.ts\n' : '';
  bench.write('Pulumi.yaml', `name: proj\nruntime: ${runtime}\n${main}`);
  bench.usePlatform(wire.url);
  if (runtime === 'python') bench.env['VIRTUAL_ENV'] = VENV;
  await bench.init();
}

const body = async (url: string): Promise<Body> => (await wire.send('GET', url)).body;
const composed = async (name = 'web'): Promise<Body> => (await body(`${ENDPOINTS}/${name}`)).subsets;
const outputs = async (): Promise<Body> => JSON.parse((await bench.run('stack', 'output', '--json')).out);
const ran = async (...words: readonly string[]) => {
  const done = await bench.run(...words);
  expect(done.code, done.all).toBe(0);
  return done;
};
const noChanges = async (): Promise<void> => {
  await ran('up', ...NO_CHANGES);
  await ran('refresh', ...NO_CHANGES);
};

/** `spec` in the syntax of the program. */
const program = (spec: string): string => `
import * as platform from '@palisade/platform';
const web = new platform.discovery.v1alpha1.EndpointGroup('web', {metadata: {name: 'web', namespace: 'one'}, spec: ${spec}});
export const id = web.id;
export const total = web.status.apply(status => status.total);
`;
const SPEC = `{members: [{ip: '10.0.0.1', hostname: 'a'}], ports: [{port: 80}], panicThresholdPercent: 0}`;

describe('46-5 a group of a program in TypeScript', () => {
  beforeEach(() => open('nodejs'));

  test('is composed when it is deployed, changes nothing when nothing changed, and leaves nothing', async () => {
    bench.write('index.ts', program(SPEC));
    await ran('preview', '--non-interactive');
    await bench.up();
    expect(await composed()).toMatchObject([
      {addresses: [{ip: '10.0.0.1', hostname: 'a'}], ports: [{port: 80, protocol: 'TCP'}]},
    ]);
    expect(await outputs()).toEqual({id: 'one/web', total: 1});
    await noChanges();

    bench.write('index.ts', program(`{members: [{ip: '10.0.0.1'}, {ip: '10.0.0.2'}], ports: [{port: 80}]}`));
    await bench.up();
    expect(await composed()).toMatchObject([{addresses: [{ip: '10.0.0.1'}, {ip: '10.0.0.2'}]}]);
    expect(await outputs()).toEqual({id: 'one/web', total: 2});
    await noChanges();

    await ran('destroy', '--yes', '--skip-preview');
    expect((await wire.send('GET', `${GROUPS}/web`)).status).toBe(404);
    expect((await wire.send('GET', `${ENDPOINTS}/web`)).status).toBe(404);
  });

  test('with values that the server refuses fails the preview, with each field path', async () => {
    bench.write('index.ts', program(`{members: [{ip: '127.0.0.1'}], ports: [{port: 0, check: {periodSeconds: -1}}]}`));
    const failed = await bench.run('preview', '--non-interactive');
    expect(failed.code).toBe(1);
    for (const field of ['spec.members[0].ip', 'spec.ports[0].port', 'spec.ports[0].check.periodSeconds'])
      expect(failed.all).toContain(field);
    expect((await body(GROUPS)).items).toEqual([]);
  });

  test('of a name that other Endpoints have fails with the reason; once they are gone the next deployment mends it', async () => {
    await wire.send('POST', ENDPOINTS, {body: endpoints('web', [subset({ip: '10.9.9.9'})])});
    bench.write('index.ts', program(SPEC));
    const failed = await bench.up(1);
    expect(failed.all).toContain('EndpointGroup "web" in namespace "one" is not composed: NameConflict');
    expect(bench.resource('web')?.['initErrors']).toHaveLength(1);
    expect(await composed()).toMatchObject([{addresses: [{ip: '10.9.9.9'}]}]);
    await wire.send('DELETE', `${ENDPOINTS}/web`);
    await bench.up();
    expect(await composed()).toMatchObject([{addresses: [{ip: '10.0.0.1'}]}]);
    expect(bench.resource('web')?.['initErrors']).toBeUndefined();
    await noChanges();
  });

  test('drift of the spec is found and taken back; the name replaces', async () => {
    bench.write('index.ts', program(SPEC));
    await bench.up();
    const headers = {'content-type': 'application/strategic-merge-patch+json'};
    const sent = {spec: {members: [{ip: '10.0.0.7'}]}};
    expect((await wire.send('PATCH', `${GROUPS}/web`, {headers, body: sent})).status).toBe(200);
    expect((await bench.run('refresh', ...NO_CHANGES)).code).toBe(1);
    await ran('refresh', '--yes', '--skip-preview');
    await bench.up();
    expect(await composed()).toMatchObject([{addresses: [{ip: '10.0.0.1'}]}]);
    bench.write('index.ts', program(SPEC).replace("name: 'web'", "name: 'shop'"));
    await bench.up();
    expect(await outputs()).toMatchObject({id: 'one/shop'});
    expect((await body(GROUPS)).items.map(({metadata}: Body) => metadata.name)).toEqual(['shop']);
  });

  test('E-030 is imported with the inputs that a user would write, whose code changes nothing, and is looked up', async () => {
    const spec = {members: [{ip: '10.0.0.1'}], selector: {}, ports: [{name: 'http', port: 80, check: {tcpSocket: {}}}]};
    const object = {apiVersion: 'platform.io/v1alpha1', kind: 'EndpointGroup', metadata: {name: 'found'}, spec};
    expect((await wire.send('POST', GROUPS, {body: object})).status).toBe(201);
    bench.write('index.ts', '');
    const words = ['import', 'platform:discovery/v1alpha1:EndpointGroup', 'found', 'one/found', '--yes'];
    await ran(...words, '--skip-preview', '--out', 'found.ts');
    expect(bench.resource('found')?.['inputs']).toMatchObject({metadata: {name: 'found', namespace: 'one'}, spec});
    bench.write(
      'index.ts',
      `
import './found.ts';
import * as platform from '@palisade/platform';
const looked = platform.discovery.v1alpha1.getEndpointGroupOutput({name: 'found', namespace: 'one'});
export const port = looked.apply(({spec}) => spec?.ports?.[0]?.port);
export const at = looked.apply(({status}) => status?.members?.[0]?.ports?.[0]?.state);
`,
    );
    await bench.up(0, '--expect-no-changes');
    expect(await outputs()).toEqual({port: 80, at: 'Starting'});
  });
});

describe.runIf(hasPython)('46-5 a group of a program in Python', () => {
  test('is composed, changes nothing when nothing changed, and leaves nothing', async () => {
    await open('python');
    bench.write(
      '__main__.py',
      `
import pulumi
from palisade_platform import discovery, meta

web = discovery.v1alpha1.EndpointGroup(
    "web",
    metadata=meta.v1.ObjectMetaArgs(namespace="one"),
    spec=discovery.v1alpha1.EndpointGroupSpecArgs(
        members=[discovery.v1alpha1.EndpointGroupMemberArgs(ip="10.0.0.1")],
        ports=[discovery.v1alpha1.CheckedPortArgs(
            port=80,
            check=discovery.v1alpha1.EndpointCheckArgs(tcp_socket=discovery.v1alpha1.TCPSocketCheckArgs()),
        )],
    ),
)
pulumi.export("name", web.metadata.apply(lambda m: m.name))
pulumi.export("reason", web.status.apply(lambda s: s.conditions[0].reason))
pulumi.export("state", web.status.apply(lambda s: s.members[0].ports[0].state))
`,
    );
    await ran('preview', '--non-interactive');
    await bench.up();
    const {name, ...rest} = await outputs();
    expect(name).toMatch(/^web-[0-9a-f]{7}$/);
    expect(rest).toEqual({reason: 'Composed', state: 'Starting'});
    expect(await composed(name)).toMatchObject([{notReadyAddresses: [{ip: '10.0.0.1'}]}]);
    await noChanges();
    await ran('destroy', '--yes', '--skip-preview');
    expect((await body(GROUPS)).items).toEqual([]);

    const spec = {selector: {}, ports: [{port: 80, check: {tls: {}, tlsConfig: {serverName: 's'}}}]};
    const object = {apiVersion: 'platform.io/v1alpha1', kind: 'EndpointGroup', metadata: {name: 'found'}, spec};
    expect((await wire.send('POST', GROUPS, {body: object})).status).toBe(201);
    const words = ['import', 'platform:discovery/v1alpha1:EndpointGroup', 'found', 'one/found', '--yes'];
    await ran(...words, '--skip-preview', '--out', '__main__.py');
    await bench.up(0, '--expect-no-changes');
  });
});
