// SPDX-License-Identifier: Apache-2.0
/** The real gcloud against a running server. Where gcloud is not installed the suite is skipped, and says so. Ref: requirements I-109. */
import {execFile, execFileSync} from 'node:child_process';
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {FakeSensorHost} from '../../packages/ids/src/testing/fake-sensor-host.ts';
import {openMemoryStore} from '../../packages/store/src/drivers/memory/index.ts';
import {type Json, RestClient} from './rest-client.ts';
import {startTestServer, type TestServer} from './test-server.ts';

const ZONE = '--zone=us-central1-a';
const PARENT = 'projects/p/locations/us-central1-a';
const TIMEOUT_MS = 120_000;

const gcloud = ((): string | undefined => {
  try {
    return execFileSync('sh', ['-c', 'command -v gcloud'], {encoding: 'utf8'}).trim();
  } catch {
    return undefined;
  }
})();
if (gcloud === undefined)
  process.stderr.write('skipped: gcloud is not on PATH (install the Google Cloud CLI to run these tests)\n');

let server: TestServer;
let rest: RestClient;
let config: string;

type Ran = {readonly code: number; readonly stdout: string; readonly stderr: string};
const run = (...args: string[]): Promise<Ran> =>
  new Promise(resolve => {
    const env = {
      PATH: process.env['PATH'],
      HOME: config,
      CLOUDSDK_CONFIG: config,
      CLOUDSDK_API_ENDPOINT_OVERRIDES_IDS: `${server.url}/`,
      CLOUDSDK_CORE_PROJECT: 'p',
      CLOUDSDK_AUTH_DISABLE_CREDENTIALS: 'true',
      CLOUDSDK_CORE_DISABLE_USAGE_REPORTING: 'true',
      CLOUDSDK_CORE_DISABLE_PROMPTS: '1',
      CLOUDSDK_CORE_CHECK_GCE_METADATA: 'false',
      CLOUDSDK_COMPONENT_MANAGER_DISABLE_UPDATE_CHECK: 'true',
    };
    execFile(gcloud ?? '', [...args, '--quiet'], {env, timeout: TIMEOUT_MS}, (error, stdout, stderr) =>
      resolve({code: error === null ? 0 : typeof error.code === 'number' ? error.code : 1, stdout, stderr}),
    );
  });
const json = async (...args: string[]): Promise<Json> => {
  const {code, stdout, stderr} = await run(...args, '--format=json');
  expect({code, stderr: code === 0 ? '' : stderr}).toEqual({code: 0, stderr: ''});
  return JSON.parse(stdout);
};

describe.skipIf(gcloud === undefined)('gcloud', () => {
  beforeAll(async () => {
    config = await mkdtemp(join(tmpdir(), 'palisade-gcloud-'));
    server = await startTestServer({store: await openMemoryStore(), sensorHost: new FakeSensorHost()});
    rest = new RestClient(server.url);
  });
  afterAll(async () => {
    await server.close();
    await rm(config, {recursive: true, force: true});
  });

  test('I-002 I-027 I-109 I-111 create, synchronously and not, describe, list', {timeout: TIMEOUT_MS}, async () => {
    const endpoint = await json(
      ...['ids', 'endpoints', 'create', 'sync', ZONE, '--network=my-net', '--severity=CRITICAL', '--no-async'],
      ...[
        '--threat-exceptions=1000,2000',
        '--enable-traffic-logs',
        '--description=two words',
        '--labels=env=prod,team=x',
      ],
    );
    expect(endpoint).toMatchObject({
      state: 'READY',
      network: 'my-net',
      threatExceptions: ['1000', '2000'],
      trafficLogs: true,
      description: 'two words',
      labels: {env: 'prod', team: 'x'},
    });
    const operation = await json('ids', 'endpoints', 'create', 'async', ZONE, '--network=my-net', '--severity=LOW');
    expect(operation.metadata).toMatchObject({verb: 'create', target: `${PARENT}/endpoints/async`});
    await rest.done(operation);
    expect(await json('ids', 'endpoints', 'describe', 'sync', ZONE)).toEqual(endpoint);
    const {stdout} = await run('ids', 'endpoints', 'list');
    const row = stdout.split('\n').find(line => line.startsWith('sync '));
    expect(row?.split(/\s+/)).toEqual(['sync', 'us-central1-a', 'CRITICAL', 'READY', 'my-net', 'True']);
    const listed = await json('ids', 'endpoints', 'list', '--filter=severity=LOW', '--page-size=1');
    expect(listed.map((e: Json) => e.name)).toEqual([`${PARENT}/endpoints/async`]);
  });

  test('I-109 I-110 update, with a list and with none', {timeout: TIMEOUT_MS}, async () => {
    await rest.created(PARENT, 'up', {threatExceptions: ['9']});
    const set = await json('ids', 'endpoints', 'update', 'up', ZONE, '--threat-exceptions=1,2', '--no-async');
    expect(set.threatExceptions).toEqual(['1', '2']);
    const cleared = await json('ids', 'endpoints', 'update', 'up', ZONE, '--threat-exceptions=', '--no-async');
    expect(cleared).not.toHaveProperty('threatExceptions');
  });

  test('I-096 I-097 errors are shown with their status and message', {timeout: TIMEOUT_MS}, async () => {
    const missing = await run('ids', 'endpoints', 'describe', 'none', ZONE);
    expect(missing.code).not.toBe(0);
    expect(missing.stderr).toContain(`NOT_FOUND: Resource '${PARENT}/endpoints/none' was not found`);
    await rest.created(PARENT, 'twice');
    const twice = await run('ids', 'endpoints', 'create', 'twice', ZONE, '--network=n', '--severity=LOW');
    expect(twice.stderr).toContain('already exists');
  });

  test('I-110 operations describe, list, wait, cancel; delete', {timeout: TIMEOUT_MS}, async () => {
    const {body} = await rest.create(PARENT, 'op');
    const operation = await rest.done(body);
    const id = operation.name.split('/').at(-1);
    expect(await json('alpha', 'ids', 'operations', 'describe', id, ZONE)).toEqual(operation);
    expect((await json('alpha', 'ids', 'operations', 'wait', id, ZONE)).name).toBe(`${PARENT}/endpoints/op`);
    const listed = await json('alpha', 'ids', 'operations', 'list', `--filter=metadata.target=${PARENT}/endpoints/op`);
    expect(listed).toEqual([operation]);
    expect((await run('alpha', 'ids', 'operations', 'cancel', id, ZONE)).code).toBe(0);
    expect((await run('ids', 'endpoints', 'delete', 'op', ZONE, '--no-async')).code).toBe(0);
    expect((await rest.get(`${PARENT}/endpoints/op`)).status).toBe(404);
  });
});
