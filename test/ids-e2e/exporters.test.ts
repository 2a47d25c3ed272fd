// SPDX-License-Identifier: Apache-2.0
/** Alerts of the real sensor arrive at the receivers that --export names, also those that were away at first. */
import {spawn} from 'node:child_process';
import {createInterface} from 'node:readline';
import {fileURLToPath} from 'node:url';
import {describe, expect, test} from 'vitest';
import type {Json} from '../ids/rest-client.ts';
import {skipReason, whyNot} from '../sensor/lab/lab.ts';
import {oneOfEach, SEVERITY_RULES} from '../sensor/lab/rules.ts';
import {ServerLab} from './lab/server-lab.ts';

const RECEIVER = fileURLToPath(new URL('./lab/receiver.ts', import.meta.url));
const [HTTP, SYSLOG] = ['18080', '10514'];

/** Ids of the records that came, by receiver. */
const receive = (pid: number) => {
  const ids: Readonly<Record<string, Set<string>>> = {http: new Set(), syslog: new Set()};
  const child = spawn('nsenter', ['-t', String(pid), '-n', process.execPath, RECEIVER, HTTP, SYSLOG], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  createInterface({input: child.stdout}).on('line', line => {
    const [from = '', id = ''] = line.split(' ');
    ids[from]?.add(id);
  });
  return {
    ids,
    [Symbol.asyncDispose]: async () => {
      const ended = new Promise(resolve => child.once('exit', resolve));
      child.kill();
      await ended;
    },
  };
};

describe.skipIf(whyNot !== undefined)(`exporters with real sensors${skipReason}`, () => {
  test('44-5 alerts are pushed by webhook and syslog, and the health of the endpoint says how far', async () => {
    await using lab = await ServerLab.open({
      rules: SEVERITY_RULES,
      flags: ['--export', `http://127.0.0.1:${HTTP}/?name=hook&format=ecs`, `syslog+tcp://127.0.0.1:${SYSLOG}`],
    });
    const {name, endpointIp} = await lab.rest.created('projects/p/locations/local', 'e1', {severity: 'INFORMATIONAL'});
    await lab.send(
      {ip: endpointIp, vni: (await lab.health(name)).vni},
      oneOfEach({client: '10.9.0.1', server: '10.9.0.2'}),
    );
    const waiting = async (): Promise<Json> => (await lab.health(name)).exporters;
    await expect.poll(waiting).toMatchObject([
      {
        name: 'hook',
        receiver: `http://127.0.0.1:${HTTP}`,
        state: 'RETRYING',
        lastError: expect.stringContaining('ECONNREFUSED'),
      },
      {name: `syslog+tcp://127.0.0.1:${SYSLOG}`, state: 'RETRYING'},
    ]);
    await using receiver = receive(lab.pid);
    await expect
      .poll(async () =>
        (await lab.health(name)).exporters.every(({state, lagRecords}: Json) => state === 'OK' && lagRecords === 0),
      )
      .toBe(true);
    const {threats} = (await lab.rest.get(`${name}/threats`, {pageSize: '1000'})).body;
    const ids = threats.map(({id}: Json) => id).sort();
    expect(ids.length).toBeGreaterThan(3);
    for (const from of ['http', 'syslog']) await expect.poll(() => [...(receiver.ids[from] ?? [])].sort()).toEqual(ids);
    const {body, text} = await lab.rest.call('GET', '/metrics');
    expect(body ?? text).toContain(`palisade_export_sent_total{exporter="hook"} ${ids.length}`);
  });
});
