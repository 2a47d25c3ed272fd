// SPDX-License-Identifier: Apache-2.0
/** Groups whose checks pass and fail, against real web servers in the laboratory of a server with sensors. */
import {type ChildProcess, spawn} from 'node:child_process';
import {createInterface} from 'node:readline';
import {until} from '../../../../bench/processes.ts';
import {ipIn} from '../../../sensor/lab/lab.ts';
import type {ConsoleServer} from '../console-server.ts';
import {sender} from './sender.ts';

/** Checks never connect to loopback addresses; these are in the laboratory alone. */
const SERVING = ['192.0.2.11', '192.0.2.12'];
const SILENT = '192.0.2.13';
const PORT = 8080;
const WAIT_MS = 60_000;
const GROUPS = '/apis/platform.io/v1alpha1/namespaces/default/endpointgroups';
const WEB = `
  const http = require('node:http');
  let up = 0;
  for (const host of process.argv.slice(1))
    http.createServer((_, answer) => answer.end('ok')).listen(${PORT}, host, () => { if (++up === ${SERVING.length}) console.log('up'); });`;

/** `checked`: 2 of 3 members ready. `unchecked`: without checks. */
export const SEEDED_GROUPS = {
  checked: 'checked',
  unchecked: 'unchecked',
  silent: SILENT,
  registration: 'checked-m1',
} as const;

const webServers = async (pid: number): Promise<ChildProcess> => {
  for (const address of [...SERVING, SILENT]) ipIn({pid}, 'addr', 'add', `${address}/32`, 'dev', 'lo');
  const child = spawn('nsenter', ['-t', String(pid), '-n', process.execPath, '-e', WEB, ...SERVING], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await new Promise<void>((done, fail) => {
    createInterface({input: child.stdout}).once('line', () => done());
    child.once('exit', code => fail(new Error(`the web servers ended with ${code}`)));
  });
  return child;
};

const group = (name: string, ports: readonly object[]): object => ({
  apiVersion: 'platform.io/v1alpha1',
  kind: 'EndpointGroup',
  metadata: {name},
  spec: {
    selector: {matchLabels: {'platform.io/group': name}},
    members: [...SERVING.slice(1), SILENT].map(ip => ({ip})),
    ports,
  },
});

/** Resolves when the checks have their first results; dispose it before the server. */
export const seedGroups = async (server: ConsoleServer): Promise<Disposable> => {
  if (server.lab === undefined) throw new Error('groups need a server with sensors: their checks run in its network');
  const child = await webServers(server.lab.pid);
  const send = sender(server);
  const check = {httpGet: {path: '/healthz'}, periodSeconds: 1, failureThreshold: 2};
  await send('POST', GROUPS, group(SEEDED_GROUPS.checked, [{name: 'http', port: PORT, check}]));
  await send('POST', GROUPS, group(SEEDED_GROUPS.unchecked, [{name: 'http', port: PORT}]));
  await send('POST', '/apis/platform.io/v1alpha1/namespaces/default/endpointregistrations', {
    apiVersion: 'platform.io/v1alpha1',
    kind: 'EndpointRegistration',
    metadata: {name: SEEDED_GROUPS.registration},
    spec: {group: SEEDED_GROUPS.checked, addresses: [SERVING[0]], ttlSeconds: 3600},
  });
  const states = async (): Promise<string[]> => {
    const {body} = await server.rest.get(`${GROUPS}/${SEEDED_GROUPS.checked}`);
    return (body.status?.members ?? [])
      .flatMap((member: {ports: {state: string}[]}) => member.ports.map(({state}) => state))
      .sort();
  };
  const isChecked = async (): Promise<boolean> => (await states()).join(' ') === 'NotReady Ready Ready';
  await until('the first results of the checks', isChecked, WAIT_MS);
  return {[Symbol.dispose]: () => void child.kill()};
};
