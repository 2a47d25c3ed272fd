// SPDX-License-Identifier: Apache-2.0
import {Readable, Writable} from 'node:stream';
import {startJsonServer} from '@palisade/client/testing';
import {expect, test} from 'vitest';
import {main} from '../command-line/main.ts';
import {endpointsWithHealth, HEALTH_REQUESTS_MAX} from './describe-list.ts';

const nameOf = (id: string): string => `projects/p/locations/local/endpoints/${id}`;
const HEALTH: Readonly<Record<string, {status: number; body: object}>> = {
  busy: {
    status: 200,
    body: {
      status: 'DEGRADED',
      reasons: ['packets are dropped'],
      driver: 'afpacket-bpf',
      packets: {received: 1_234_567, dropped: 12_345},
      packetLossRatio: 0.01,
    },
  },
  broken: {status: 200, body: {status: 'FAILED'}},
  gone: {status: 404, body: {error: {code: 404, status: 'NOT_FOUND', message: 'not found'}}},
  hidden: {status: 403, body: {error: {code: 403, status: 'PERMISSION_DENIED', message: 'denied'}}},
  unavailable: {status: 503, body: {error: {code: 503, status: 'UNAVAILABLE', message: 'try again later'}}},
};

const described = async (ids: readonly string[], ...flags: string[]) => {
  await using server = await startJsonServer(({path}) => {
    const id = /endpoints\/(.+)\/health$/.exec(path)?.[1];
    if (id !== undefined) return HEALTH[id] ?? {status: 500, body: {}};
    return {status: 200, body: {endpoints: ids.map(name => ({name: nameOf(name), state: 'READY', severity: 'LOW'}))}};
  });
  const texts = {stdout: '', stderr: ''};
  const stream = (name: keyof typeof texts) =>
    new Writable({
      write: (chunk, _encoding, done) => {
        texts[name] += String(chunk);
        done();
      },
    });
  const env = {PALISADE_SERVER: server.url};
  const io = {stdin: Readable.from([]), stdout: stream('stdout'), stderr: stream('stderr'), env, cwd: '/'};
  return {code: await main(['describe', ...flags], io, () => {}), ...texts};
};

test('43-3 the list of IDS endpoints shows health, driver, packets and loss of each; "-" where it cannot be read', async () => {
  expect(await described(['busy', 'broken', 'gone', 'hidden'])).toEqual({
    code: 0,
    stderr: '',
    stdout: [
      'STATE     HEALTH    SEVERITY       IP               DRIVER              RECEIVED      DROPPED      LOSS NAME',
      `READY     DEGRADED  LOW            -                afpacket-bpf       1,234,567       12,345    1.00 % ${nameOf('busy')}`,
      `READY     FAILED    LOW            -                -                          -            -         - ${nameOf('broken')}`,
      `READY     -         LOW            -                -                          -            -         - ${nameOf('gone')}`,
      `READY     -         LOW            -                -                          -            -         - ${nameOf('hidden')}`,
      '',
    ].join('\n'),
  });
});

test('43-3 the list as JSON has the same of the health, and no health where it cannot be read', async () => {
  const {stdout} = await described(['busy', 'gone'], '--json');
  const endpoint = {state: 'READY', severity: 'LOW'};
  expect(
    stdout
      .trim()
      .split('\n')
      .map(line => JSON.parse(line)),
  ).toEqual([
    {
      ...endpoint,
      name: nameOf('busy'),
      health: {
        status: 'DEGRADED',
        driver: 'afpacket-bpf',
        packets: {received: 1_234_567, dropped: 12_345},
        packetLossRatio: 0.01,
      },
    },
    {...endpoint, name: nameOf('gone')},
  ]);
});

test('a server that fails is an error, not an unknown health', async () => {
  expect(await described(['busy', 'unavailable'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('try again later'),
  });
});

test('the requests for health are bounded, and the order is that of the list', async () => {
  const names = Array.from({length: HEALTH_REQUESTS_MAX * 2 + 1}, (_, i) => nameOf(`e${i}`));
  let [running, most] = [0, 0];
  const rows = endpointsWithHealth({
    listEndpoints: async () => ({endpoints: names.map(name => ({name}))}),
    getHealth: async () => {
      most = Math.max(most, ++running);
      await Promise.resolve();
      running--;
      return {status: 'READY'};
    },
  });
  const shown: unknown[] = [];
  for await (const row of rows) shown.push(row);
  expect(shown).toEqual(names.map(name => ({name, health: {status: 'READY'}})));
  expect(most).toBe(HEALTH_REQUESTS_MAX);
});
