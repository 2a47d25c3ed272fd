// SPDX-License-Identifier: Apache-2.0
/** Google's Go client (cloud.google.com/go/ids) over REST and gRPC. Where Go is not installed the suite is skipped, and says so. */
import {execFile} from 'node:child_process';
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {promisify} from 'node:util';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {FakeSensorHost} from '../../packages/ids/src/testing/fake-sensor-host.ts';
import {openMemoryStore} from '../../packages/store/src/drivers/memory/index.ts';
import {startTestServer, type TestServer} from './test-server.ts';

const exec = promisify(execFile);
const BUILD_MS = 300_000;
const hasGo = await exec('go', ['version']).then(
  () => true,
  () => false,
);
if (!hasGo) process.stderr.write('skipped: go is not on PATH (install Go 1.24 or later to run these tests)\n');

const NAME = 'projects/p/locations/us-central1-a/endpoints/go-';
/** HTTP statuses over REST, code names over gRPC. */
const CODES = {
  rest: {twice: '409', noId: '400', missing: '404', gone: '404'},
  grpc: {twice: 'AlreadyExists', noId: 'InvalidArgument', missing: 'NotFound', gone: 'NotFound'},
} as const;

describe.skipIf(!hasGo)('the Go client', () => {
  let server: TestServer;
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'palisade-go-'));
    await exec('go', ['build', '-o', join(folder, 'client'), '.'], {cwd: join(import.meta.dirname, 'go-client')});
    server = await startTestServer({store: await openMemoryStore(), sensorHost: new FakeSensorHost()});
  }, BUILD_MS);
  afterAll(async () => {
    await server.close();
    await rm(folder, {recursive: true, force: true});
  });

  test.each(['rest', 'grpc'] as const)(
    'I-110 I-111 I-113 creates, repeats, waits, lists and deletes over %s',
    async kind => {
      const {stdout} = await exec(join(folder, 'client'), [kind, kind === 'rest' ? server.url : server.grpc]);
      expect(JSON.parse(stdout)).toEqual({
        sameOperation: true,
        created: [NAME + kind, 'READY', 'HIGH', 'b', true, true, 'create'],
        listed: [NAME + kind],
        ...CODES[kind],
      });
    },
  );
});
