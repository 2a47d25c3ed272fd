// SPDX-License-Identifier: Apache-2.0
/** `palisade traffic` of an endpoint whose flows are sampled: list, filter, exports, log entries. */
import {Readable, Writable} from 'node:stream';
import {afterAll, beforeAll, expect, test} from 'vitest';
import {main} from '../../packages/cli/src/command-line/main.ts';
import {FakeSensorHost} from '../../packages/ids/src/testing/fake-sensor-host.ts';
import {MemoryRecordStore} from '../../packages/ids/src/testing/memory-record-store.ts';
import {flow} from '../../packages/ids/src/testing/record-store-contract.ts';
import {openMemoryStore} from '../../packages/store/src/drivers/memory/index.ts';
import {RestClient} from './rest-client.ts';
import {startTestServer, type TestServer} from './test-server.ts';

const PARENT = 'projects/p/locations/local';
const ENDPOINT = `${PARENT}/endpoints/edge`;
let server: TestServer;
beforeAll(async () => {
  const records = new MemoryRecordStore();
  server = await startTestServer({store: await openMemoryStore(), records, sensorHost: new FakeSensorHost()});
  await new RestClient(server.url).created(PARENT, 'edge', {trafficLogs: true});
  await records.commit({
    endpoint: ENDPOINT,
    checkpoint: undefined,
    counters: {seen: 0, stored: 0, filtered: 0, excepted: 0, lost: 0},
    threats: [],
    traffic: [
      flow(0, {endpoint: ENDPOINT}),
      flow(1, {endpoint: ENDPOINT, sample_rate: '10'}),
      flow(2, {endpoint: ENDPOINT, sample_rate: '10'}),
    ],
  });
});
afterAll(() => server.close());

const palisade = async (...words: readonly string[]) => {
  const texts = {stdout: '', stderr: ''};
  const stream = (name: keyof typeof texts): Writable =>
    new Writable({
      write: (chunk, _encoding, done) => {
        texts[name] += String(chunk);
        done();
      },
    });
  const env = {PALISADE_SERVER: server.url};
  const io = {stdin: Readable.from([]), stdout: stream('stdout'), stderr: stream('stderr'), env, cwd: '/'};
  return {code: await main(words, io, () => {}), ...texts};
};

test('44-6 palisade traffic says once that its records are a sample, and finds them by their rate', async () => {
  const all = await palisade('traffic', '--endpoint', 'edge');
  expect([all.code, all.stdout.split('\n')]).toEqual([0, expect.objectContaining({length: 5})]);
  expect(all.stderr).toBe('palisade: a sample: 1 of 10 flows is recorded\n');
  const whole = await palisade('traffic', '--endpoint', 'edge', '--json', '--filter', 'sample_rate=1');
  expect([whole.stdout.split('\n').length, whole.stderr]).toEqual([2, '']);
  const sampled = await palisade('traffic', '--endpoint', 'edge', '--json', '--filter', 'sample_rate>1');
  expect(sampled.stderr).toBe('');
  const lines = sampled.stdout.trim().split('\n');
  expect(lines.map(line => JSON.parse(line).sample_rate)).toEqual(['10', '10']);
});

test('44-6 exports have the rate, log entries do not', async () => {
  const rest = new RestClient(server.url);
  const csv = (await rest.get(`${ENDPOINT}/traffic`, {format: 'csv'})).text.trim().split('\r\n');
  expect(csv.map(line => line.split(',').at(-1))).toEqual(['sample_rate', '', '10', '10']);
  const {entries} = (await rest.get(`${ENDPOINT}/traffic`, {format: 'logentry'})).body;
  expect(entries).toHaveLength(3);
  expect(JSON.stringify(entries)).not.toContain('sample_rate');
});
