// SPDX-License-Identifier: Apache-2.0
/**
 * A part of `make demo`: a health check takes a dead address out. Checks never connect to loopback addresses, so the servers are in a
 * network namespace of their own, with a Palisade server next to them; where that is not permitted, on addresses of this machine.
 *
 * `node tools/demo-checks.ts FOLDER PORT ADDRESS...` runs it, where these addresses exist. Port 0: any free one.
 */
import {type ChildProcess, spawn, spawnSync} from 'node:child_process';
import {networkInterfaces} from 'node:os';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import type {Readable} from 'node:stream';
import {type DemoServer, startServer, stopServer} from './demo-server.ts';
import {ENDPOINTS, palisade, say, showObjects} from './demo-show.ts';

const GROUPS = {
  resource: 'endpointgroups',
  path: '/apis/platform.io/v1alpha1/namespaces/default/endpointgroups',
};
const REASONS = {
  resource: 'events',
  path: '/api/v1/namespaces/default/events',
  fieldSelector: 'reason=MemberNotReady',
};
const WAIT_MS = 30_000;
const POLL_MS = 50;

/** Where the servers of this part can be. */
export type Ground = {
  readonly addresses: readonly string[];
  readonly port: number;
  /** The words before a command that runs there. */
  readonly prefix: readonly string[];
  readonly text: string;
};

const NAMESPACE_ADDRESSES = ['10.20.0.10', '10.20.0.11'];

const namespaceGround = (): Ground | undefined => {
  const setUp = ['ip link set lo up', ...NAMESPACE_ADDRESSES.map(ip => `ip addr add ${ip}/32 dev lo`)].join(' && ');
  const prefix = ['unshare', '-Urn', 'sh', '-c', `${setUp} && exec "$@"`, 'sh'];
  const [command = '', ...args] = [...prefix, 'true'];
  if (spawnSync(command, args, {stdio: 'ignore'}).status !== 0) return undefined;
  return {addresses: NAMESPACE_ADDRESSES, port: 8080, prefix, text: 'in a network namespace of their own'};
};

export const hostGround = (): Ground | undefined => {
  const addresses = Object.values(networkInterfaces())
    .flatMap(found => found ?? [])
    .filter(({internal, address}) => !internal && !/^(?:169\.254\.|fe[89ab])/.test(address))
    .map(({address}) => address)
    .slice(0, 2);
  return addresses.length === 0 ? undefined : {addresses, port: 0, prefix: [], text: 'on addresses of this machine'};
};

/** Undefined: this machine permits no namespace and has no address but loopback. */
export const findGround = (): Ground | undefined => namespaceGround() ?? hostGround();

/** Throws when a part of it fails. `folder`: of its own. */
export const showChecks = ({prefix, addresses, port}: Ground, folder: string): void => {
  const [command = '', ...args] = [...prefix, process.execPath, import.meta.filename, folder, `${port}`, ...addresses];
  const {status} = spawnSync(command, args, {stdio: ['ignore', 'inherit', 'inherit']});
  if (status !== 0) throw new Error('the health checks did not work as expected');
};

/** Ends with its parent, however that ends. */
const WEB_SERVER = `
const [host, port] = process.argv.slice(1);
process.stdin.on('end', () => process.exit()).resume();
const server = require('node:http').createServer((_, answer) => answer.end('ok\\n'));
server.listen({host, port}, () => console.log(server.address().port));
`;

type WebServer = {readonly child: ChildProcess; readonly ip: string; readonly port: number};

const startWebServer = (ip: string, port: number): Promise<WebServer> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['-e', WEB_SERVER, ip, `${port}`], {stdio: ['pipe', 'pipe', 'inherit']});
    child.once('exit', code => reject(new Error(`the HTTP server at ${ip} ended with exit code ${code}`)));
    createInterface({input: child.stdout as Readable}).once('line', line => {
      child.removeAllListeners('exit');
      resolve({child, ip, port: Number(line)});
    });
  });

const kill = ({child}: WebServer): Promise<void> => stopServer(child, 'SIGKILL');

const manifest = (addresses: readonly string[], port: number): string =>
  `apiVersion: platform.io/v1alpha1
kind: EndpointGroup
metadata: {name: web}
spec:
  members: [${addresses.map(ip => `{ip: "${ip}"}`).join(', ')}]
  ports:
    - name: http
      port: ${port}
      check: {httpGet: {path: /}, periodSeconds: 1, failureThreshold: 2}
`;

const create = async ({http}: DemoServer, yaml: string): Promise<void> => {
  say(`$ POST ${GROUPS.path}\n${yaml}`);
  const answer = await fetch(`${http}${GROUPS.path}`, {
    method: 'POST',
    headers: {'content-type': 'application/yaml'},
    body: yaml,
  });
  if (!answer.ok) throw new Error(`the group was answered ${answer.status}: ${await answer.text()}`);
};

type Group = {status?: {ready?: number; total?: number}};
type Endpoints = {subsets?: {addresses?: unknown[]; notReadyAddresses?: unknown[]}[]};

/** Waits until the group and the Endpoints both have so many ready and not ready members; returns the ms. */
const waitFor = async ({http}: DemoServer, ready: number, notReady: number): Promise<number> => {
  const began = performance.now();
  const get = async <T>(path: string): Promise<T> => (await (await fetch(`${http}${path}/web`)).json()) as T;
  for (;;) {
    const {status} = await get<Group>(GROUPS.path);
    const {subsets = []} = await get<Endpoints>(ENDPOINTS.path);
    const count = (of: 'addresses' | 'notReadyAddresses'): number =>
      subsets.reduce((sum, subset) => sum + (subset[of]?.length ?? 0), 0);
    const isShown = status?.ready === ready && status.total === ready + notReady;
    const passed = performance.now() - began;
    if (isShown && count('addresses') === ready && count('notReadyAddresses') === notReady) return passed;
    if (passed > WAIT_MS)
      throw new Error(`after ${WAIT_MS / 1000} s the group is ${JSON.stringify(status)}, not ${ready} ready`);
    await new Promise(r => setTimeout(r, POLL_MS));
  }
};

async function main(folder: string, port: number, addresses: readonly string[]): Promise<void> {
  const web: WebServer[] = [];
  const options = ['--apis', 'kubernetes'];
  const {child, ready} = await startServer({palisade, data: join(folder, 'data'), log: undefined, options});
  try {
    for (const ip of addresses) web.push(await startWebServer(ip, web[0]?.port ?? port));
    await create(ready, manifest(addresses, web[0]?.port ?? port));
    await waitFor(ready, web.length, 0);
    await showObjects(ready, GROUPS);
    say();
    await showObjects(ready, ENDPOINTS);
    const dead = web.at(-1);
    if (dead === undefined) return;
    say(`\n$ kill -9 ${dead.child.pid}   # the HTTP server at ${dead.ip}`);
    await kill(dead);
    const tookMs = await waitFor(ready, web.length - 1, 1);
    say(`taken out ${(tookMs / 1000).toFixed(1)} s later, after two failed checks:\n`);
    await showObjects(ready, GROUPS);
    say();
    await showObjects(ready, ENDPOINTS);
    say();
    await showObjects(ready, REASONS);
  } finally {
    await Promise.all(web.map(kill));
    await stopServer(child);
  }
}

if (import.meta.main) {
  const [folder = '', port = '0', ...addresses] = process.argv.slice(2);
  try {
    await main(folder, Number(port), addresses);
  } catch (error) {
    console.error(`demo: ${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = 1;
  }
}
