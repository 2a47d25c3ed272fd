// SPDX-License-Identifier: Apache-2.0
/** `palisade register` and `palisade deregister` as processes against a real server: what is there, what is left, what survives. */
import {type ChildProcess, spawn} from 'node:child_process';
import {writeFileSync} from 'node:fs';
import {hostname} from 'node:os';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {afterAll, afterEach, beforeAll, expect, test} from 'vitest';
import {PALISADE, quiet, type RunningServer, run, scratch, serve} from '../support/palisade.ts';
import {registrationRoles} from '../support/registration-roles.ts';

const folder = scratch();
let server: RunningServer;
let url = '';
const running = new Set<ChildProcess>();

beforeAll(async () => {
  server = await serve([...quiet(folder.dir), '--apis', 'kubernetes']);
  url = server.ready.http;
});
afterEach(() => {
  for (const child of running) child.kill('SIGKILL');
});
afterAll(async () => {
  await server.stop();
  folder[Symbol.dispose]();
});

type Json = Record<string, never>;
type Registered = {
  readonly child: ChildProcess;
  /** The next event with this name; earlier ones are skipped. */
  readonly next: (event: string) => Promise<Json>;
  readonly stderr: () => string;
  /** The exit code. */
  readonly ended: Promise<number | null>;
};

const register = (...words: string[]): Registered => registerAt({PALISADE_SERVER: url}, words);
const registerAt = (env: Readonly<Record<string, string>>, words: readonly string[]): Registered => {
  const child = spawn(PALISADE, ['register', '--json', '--address', '10.1.2.3', ...words], {
    env: {...process.env, ...env},
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  const ended = new Promise<number | null>(done =>
    child.once('exit', code => {
      running.delete(child);
      done(code);
    }),
  );
  let stderr = '';
  child.stderr.on('data', chunk => (stderr += String(chunk)));
  const lines = createInterface({input: child.stdout})[Symbol.asyncIterator]();
  const next = async (event: string): Promise<Json> => {
    for (let line = await lines.next(); line.done !== true; line = await lines.next()) {
      const said = JSON.parse(line.value) as Json;
      if (said['event'] === event) return said;
    }
    throw new Error(`no event ${event}: ${stderr}`);
  };
  return {child, next, stderr: () => stderr, ended};
};

const REGISTRATIONS = '/apis/platform.io/v1alpha1/namespaces/default/endpointregistrations';
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
const get = async (path: string): Promise<{status: number; body: Record<string, Record<string, unknown>>}> => {
  const answer = await fetch(url + path);
  return {status: answer.status, body: (await answer.json()) as Record<string, Record<string, unknown>>};
};
const stored = async (path: string) => (await get(path)).body;
const statusOf = async (path: string) => (await get(path)).status;
const palisade = (...words: string[]) => run(words, {env: {PALISADE_SERVER: url}});

test('46-3 the object and its Lease are there; SIGTERM drains and takes both away', async () => {
  const name = `web-${hostname().toLowerCase()}`;
  const words = ['--group', 'web', '--port', 'http=80', '--check', 'http:/healthz', '--label', 'zone=a'];
  const {child, next, ended, stderr} = register(...words, '--drain', '1s');
  expect(await next('registered')).toMatchObject({namespace: 'default', name, group: 'web', addresses: ['10.1.2.3']});
  const {metadata, spec} = await stored(`${REGISTRATIONS}/${name}`);
  expect(metadata).toMatchObject({labels: {zone: 'a', 'platform.io/group': 'web'}});
  expect(spec).toMatchObject({
    group: 'web',
    addresses: ['10.1.2.3'],
    ttlSeconds: 30,
    removeAfterSeconds: 600,
    ports: [{name: 'http', port: 80, protocol: 'TCP', check: {httpGet: {path: '/healthz', scheme: 'HTTP'}}}],
  });
  const lease = await stored(`${LEASES}/${name}`);
  expect(lease['metadata']).toMatchObject({ownerReferences: [{kind: 'EndpointRegistration', uid: metadata?.['uid']}]});
  expect(lease['spec']).toMatchObject({leaseDurationSeconds: 30});
  child.kill('SIGTERM');
  await next('draining');
  expect((await stored(`${REGISTRATIONS}/${name}`))['spec']).toMatchObject({draining: true});
  expect(await next('left')).toMatchObject({deleted: true});
  expect(await ended).toBe(0);
  expect(stderr()).toBe('');
  expect(await statusOf(`${REGISTRATIONS}/${name}`)).toBe(404);
  await expect.poll(() => statusOf(`${LEASES}/${name}`)).toBe(404);
});

test('46-3 a start finds the registration of an earlier one, which was killed, and makes it what is wanted now', async () => {
  const words = ['--group', 'web', '--name', 'again', '--ttl', '60s'];
  const first = register(...words, '--port', 'http=80', '--label', 'a=1');
  await first.next('registered');
  const before = await stored(`${REGISTRATIONS}/again`);
  first.child.kill('SIGKILL');
  await first.ended;
  const second = register(...words, '--port', 'http=81', '--label', 'b=2');
  await second.next('registered');
  const after = await stored(`${REGISTRATIONS}/again`);
  expect(after['metadata']?.['uid']).toBe(before['metadata']?.['uid']);
  expect(after['metadata']?.['labels']).toEqual({b: '2', 'platform.io/group': 'web'});
  expect(after['spec']?.['ports']).toEqual([{name: 'http', port: 81, protocol: 'TCP'}]);
  const third = register(...words);
  expect(await third.ended).toBe(1);
  expect(third.stderr()).toContain(
    `palisade: endpointregistrations/again is held by process ${second.child.pid} of this machine`,
  );
  second.child.kill('SIGINT');
  expect(await second.ended).toBe(0);
});

test('46-3 a start takes the draining of an earlier one back, and leaves that of an operator', async () => {
  const words = ['--group', 'web', '--name', 'drained', '--drain', '60s'];
  const draining = async () => (await stored(`${REGISTRATIONS}/drained`))['spec']?.['draining'];
  const first = register(...words);
  await first.next('registered');
  first.child.kill('SIGTERM');
  await first.next('draining');
  expect(await draining()).toBe(true);
  first.child.kill('SIGKILL');
  await first.ended;
  const second = register(...words);
  await second.next('registered');
  expect(await draining()).toBeUndefined();
  await fetch(`${url}${REGISTRATIONS}/drained?fieldManager=operator`, {
    method: 'PATCH',
    headers: {'content-type': 'application/merge-patch+json'},
    body: JSON.stringify({spec: {draining: true}}),
  });
  second.child.kill('SIGKILL');
  await second.ended;
  const third = register(...words);
  await third.next('registered');
  expect(await draining()).toBe(true);
});

test('46-3 kill -9 of the server and its restart: still registered, renewed by the same process', async () => {
  const {child, next, ended} = register('--group', 'web', '--name', 'survivor', '--ttl', '3s');
  await next('registered');
  const {metadata} = await stored(`${REGISTRATIONS}/survivor`);
  const {host} = new URL(url);
  await server.stop('SIGKILL');
  expect(await next('renewal-failed')).toMatchObject({error: expect.stringContaining('connection refused')});
  const again = quiet(folder.dir).map(word => (word === '127.0.0.1:0' ? host : word));
  server = await serve([...again, '--apis', 'kubernetes']);
  await next('back');
  const back = await stored(`${REGISTRATIONS}/survivor`);
  expect(back['metadata']?.['uid']).toBe(metadata?.['uid']);
  expect(back['status']).toMatchObject({state: 'Live'});
  child.kill('SIGTERM');
  expect(await ended).toBe(0);
});

test('46-3 SIGKILL: expired after the TTL, then removed with its Lease', async () => {
  const {child, next} = register('--group', 'web', '--name', 'dead', '--ttl', '1s', '--remove-after', '2s');
  await next('registered');
  child.kill('SIGKILL');
  const state = async () => (await stored(`${REGISTRATIONS}/dead`))['status']?.['state'];
  await expect.poll(state, {interval: 50}).toBe('Expired');
  await expect.poll(() => statusOf(`${REGISTRATIONS}/dead`)).toBe(404);
  await expect.poll(() => statusOf(`${LEASES}/dead`)).toBe(404);
});

test('46-3 a registration that was deleted under a running process is created again', async () => {
  const {child, next, ended} = register('--group', 'web', '--name', 'deleted', '--ttl', '3s');
  await next('registered');
  const before = await stored(`${REGISTRATIONS}/deleted`);
  const {code, stdout, stderr} = await palisade('deregister', 'deleted');
  expect([code, stdout]).toEqual([0, 'endpointregistrations/deleted deregistered\n']);
  expect(stderr).toContain(`if palisade register still runs on ${hostname()}, it registers again`);
  await next('registered');
  const after = await stored(`${REGISTRATIONS}/deleted`);
  expect(after['metadata']?.['uid']).not.toBe(before['metadata']?.['uid']);
  child.kill('SIGTERM');
  expect(await ended).toBe(0);
});

test('46-3 a warning where the group has other ports', async () => {
  const spec = {selector: {matchLabels: {'platform.io/group': 'ports'}}, ports: [{name: 'http', port: 80}]};
  const group = {apiVersion: 'platform.io/v1alpha1', kind: 'EndpointGroup', metadata: {name: 'ports'}, spec};
  const body = JSON.stringify(group);
  const headers = {'content-type': 'application/json'};
  const made = await fetch(`${url}/apis/platform.io/v1alpha1/namespaces/default/endpointgroups`, {
    method: 'POST',
    headers,
    body,
  });
  expect(made.status).toBe(201);
  const {next} = register('--group', 'ports', '--name', 'typo', '--port', 'htp=80');
  expect(await next('warning')).toMatchObject({
    message: 'the EndpointGroup "ports" has the ports http/TCP, but endpointregistrations/typo offers htp/TCP',
  });
});

test('46-3 a server on loopback shows no address: the way out is --address', async () => {
  const {code, stderr} = await palisade('register', '--group', 'web');
  expect(code).toBe(1);
  expect(stderr).toMatch(/is reached from 127\.0\.0\.1, which cannot be .* loopback range/);
  expect(stderr).toContain('give the address of this machine that others connect to: --address IP');
});

test('46-3 what the server refuses ends it with its words', async () => {
  const {ended, stderr} = register('--group', 'web', '--name', 'lost', '--namespace', 'nowhere');
  expect(await ended).toBe(1);
  expect(stderr()).toContain('namespaces "nowhere" not found');
});

test('46-3 deregister: a drain first, JSON, what is not there, what is no name', async () => {
  const path = `${REGISTRATIONS}/hand`;
  const body = JSON.stringify({metadata: {name: 'hand'}, spec: {group: 'web', addresses: ['10.1.2.4']}});
  await fetch(url + REGISTRATIONS, {method: 'POST', headers: {'content-type': 'application/json'}, body});
  const drained = palisade('deregister', 'hand', '--drain', '2s', '--json');
  await expect.poll(async () => (await stored(path))['spec']?.['draining'], {interval: 50}).toBe(true);
  expect(await drained).toEqual({
    code: 0,
    stdout: '{"namespace":"default","name":"hand","deregistered":true}\n',
    stderr: 'palisade: endpointregistrations/hand is draining for 2s\n',
  });
  expect(await statusOf(path)).toBe(404);
  expect(await palisade('deregister', 'hand')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('"hand" not found in the namespace default'),
  });
  expect(await palisade('deregister', '--hostname', 'x')).toMatchObject({code: 2});
});

const TOKENS = `admin-token,admin,,"system:masters"
m1-token,m1,,machines
m2-token,m2,,machines
stranger-token,stranger,
`;

/** A server with users, and the roles of deploy/registration-roles.yaml. */
const serveWithRoles = async (dir: string): Promise<{secured: RunningServer; ca: string}> => {
  const [data, tokens] = [join(dir, 'secured'), join(dir, 'tokens.csv')];
  writeFileSync(tokens, TOKENS);
  const flags = ['--data', data, '--https', '127.0.0.1:0', '--http', '127.0.0.1:0', '--apis', 'kubernetes'];
  const secured = await serve([...flags, '--token-auth-file', tokens, '--log-level', 'warn']);
  for (const {path, body} of registrationRoles()) {
    const answer = await fetch(`${secured.ready.http}${path}`, {
      method: 'POST',
      headers: {'content-type': 'application/json', authorization: 'Bearer admin-token'},
      body: JSON.stringify(body),
    });
    expect(answer.status).toBe(201);
  }
  return {secured, ca: join(data, 'pki', 'ca.crt')};
};

test('46-3 with the roles of deploy: a machine has its own only; a stranger gets nothing; a server that is away at the end', async () => {
  const {secured, ca} = await serveWithRoles(folder.dir);
  await using _ = secured;
  const as = (user: string, ...words: string[]) =>
    registerAt({PALISADE_SERVER: secured.ready.https ?? '', PALISADE_TOKEN: `${user}-token`}, [
      ...['--group', 'web', '--name', 'mine', '--ca', ca],
      ...words,
    ]);
  const own = as('m1');
  await own.next('registered');
  expect(await own.next('warning')).toMatchObject({
    message: 'the EndpointGroup "web" does not exist in the namespace default yet',
  });
  const other = as('m2');
  expect(await other.ended).toBe(1);
  expect(other.stderr()).toBe(
    'palisade: endpointregistrations/mine belongs to the user "m1", not to "m2"; give this one another name with --name NAME, or let that user or an administrator delete it: palisade deregister mine\n',
  );
  const deregistered = await run(['deregister', 'mine', '--ca', ca], {
    env: {PALISADE_SERVER: secured.ready.https ?? '', PALISADE_TOKEN: 'm2-token'},
  });
  expect(deregistered).toMatchObject({code: 1, stderr: expect.stringContaining('User "m2" cannot manage resource')});
  const stranger = as('stranger');
  expect(await stranger.ended).toBe(1);
  expect(stranger.stderr()).toContain('User "stranger" cannot get resource "endpointregistrations"');
  const nobody = as('no');
  expect(await nobody.ended).toBe(1);
  expect(nobody.stderr()).toContain('the token of PALISADE_TOKEN was not accepted');
  const untrusted = registerAt({PALISADE_SERVER: secured.ready.https ?? ''}, ['--group', 'web']);
  expect(await untrusted.ended).toBe(1);
  expect(untrusted.stderr()).toContain('give its CA with --ca FILE');
  await secured.stop('SIGKILL');
  own.child.kill('SIGTERM');
  expect(await own.next('left')).toMatchObject({deleted: false, error: expect.stringContaining('connection refused')});
  expect(await own.ended).toBe(0);
});

test('46-3 notifies systemd: ready once registered, then its status', async () => {
  const socket = join(folder.dir, 'notify');
  const listener = spawn('python3', ['-c', LISTEN, socket], {stdio: ['ignore', 'pipe', 'inherit']});
  running.add(listener);
  const lines = createInterface({input: listener.stdout})[Symbol.asyncIterator]();
  expect((await lines.next()).value).toBe('listening');
  const child = spawn(PALISADE, ['register', '--group', 'web', '--name', 'unit', '--address', '10.1.2.3'], {
    env: {...process.env, PALISADE_SERVER: url, NOTIFY_SOCKET: socket},
    stdio: 'ignore',
  });
  running.add(child);
  expect((await lines.next()).value).toBe(
    'READY=1|STATUS=endpointregistrations/unit registered in the group web at 10.1.2.3, with a TTL of 30s',
  );
  expect((await lines.next()).value).toBe(
    'STATUS=warning: the EndpointGroup "web" does not exist in the namespace default yet',
  );
  child.kill('SIGTERM');
  expect((await lines.next()).value).toBe('STATUS=endpointregistrations/unit left its group');
});
/** Prints what is sent to a UNIX datagram socket, but for barriers, which carry a file descriptor only. */
const LISTEN = `
import socket, sys, os
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(sys.argv[1])
print('listening', flush=True)
while True:
    data, fds, _, _ = socket.recv_fds(s, 4096, 4)
    for fd in fds: os.close(fd)
    text = data.decode().strip()
    if text != 'BARRIER=1': print(text.replace('\\n', '|'), flush=True)
`;
