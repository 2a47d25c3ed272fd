// SPDX-License-Identifier: Apache-2.0
/** An address file whose process is gone: whoever answers there is asked nothing with a credential, unless the store is in use. */
import {spawnSync} from 'node:child_process';
import {once} from 'node:events';
import {mkdirSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {createServer, type IncomingHttpHeaders, type Server} from 'node:http';
import type {AddressInfo} from 'node:net';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {PassThrough} from 'node:stream';
import {ownMark} from '@palisade/engine/process-mark';
import {takeLock} from '@palisade/store/sqlite';
import {afterEach, beforeEach, expect, test} from 'vitest';
import {UsageError} from '../command-line/io.ts';
import {noteOfWaiting, withIdsClient} from './connection.ts';

let home = '';
let data = '';
let server: Server;
let http = '';
let seen: IncomingHttpHeaders[] = [];
let status = 200;
beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'palisade-connection-'));
  data = join(home, 'palisade');
  mkdirSync(data);
  [seen, status] = [[], 200];
  server = createServer((request, response) => {
    seen.push(request.headers);
    response.writeHead(status, {'content-type': 'application/json'}).end('{}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  http = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const {pid} = spawnSync(process.execPath, ['--version']); // ended
  writeFileSync(join(data, 'server.json'), JSON.stringify({http, pid}));
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
  rmSync(home, {recursive: true});
});

const ask = (server?: string): Promise<unknown> => {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const env = {XDG_STATE_HOME: home, PALISADE_TOKEN: 'secret'};
  const flags = {server, token: undefined, ca: undefined, insecure: false};
  return withIdsClient(flags, {stdin, stdout, stderr, env, cwd: home}, client => client.listEndpoints('x', {}));
};
const credentials = () => seen.flatMap(headers => headers.authorization ?? []);

test.each([200, 500])('another program that answers %i on the port of a killed server gets no token', async answer => {
  status = answer;
  await expect(ask()).rejects.toThrow(/no server is running: .* is gone/);
  takeLock(join(data, 'store.sqlite')).release(); // the file of the lock stays
  await expect(ask()).rejects.toThrow(/no server is running: .* is gone/);
  expect(seen).toHaveLength(2);
  expect(credentials()).toEqual([]);
});

test.each<[string, (mark: object) => object | undefined]>([
  ['started at another time', mark => ({...mark, startTicks: '1'})],
  ['of an earlier boot', mark => ({...mark, boot: 'other'})],
  ['that the file says no start of', () => undefined],
])('F-23 the pid of a killed server does not mean another process that has it now: one %s', async (_, change) => {
  const file = {http, pid: process.pid, process: change({...ownMark()})};
  writeFileSync(join(data, 'server.json'), JSON.stringify(file));
  await expect(ask()).rejects.toThrow(/no server is running: .* is gone/);
  expect(credentials()).toEqual([]);
});

test('F-23 the server whose process it is gets the token', async () => {
  writeFileSync(join(data, 'server.json'), JSON.stringify({http, pid: process.pid, process: ownMark()}));
  await ask();
  expect(credentials()).toEqual(['Bearer secret']);
});

test('a server whose process is not seen is asked while the store is in use', async () => {
  const lock = takeLock(join(data, 'store.sqlite'));
  try {
    await ask();
  } finally {
    lock.release();
  }
  expect(credentials()).toEqual(['Bearer secret']);
});

test.each(['localhost:8080', 'ftp://a', 'http://', 'http://a b', 'https://[::'])(
  '--server %j is an error of usage, told before anything is asked',
  async text => {
    const told = {
      name: UsageError.name,
      message: `--server "${text}": must be a URL that starts with http:// or https://`,
    };
    await expect(ask(text)).rejects.toMatchObject(told);
    expect(seen).toEqual([]);
  },
);

test.each(['?a=b', '/x#y'])('so is %s at its end: it would be lost, or end in the midst of an address', async tail => {
  const {port} = server.address() as AddressInfo;
  await expect(ask(`http://127.0.0.1:${port}${tail}`)).rejects.toMatchObject({
    name: UsageError.name,
    message: expect.stringContaining('must be a URL without query (?) and fragment (#)'),
  });
  expect(seen).toEqual([]);
});

test.each([
  ['/v1', /\n--server: its path \/v1 is put before the path of every request; remove it unless/],
  ['/', /^(?!.*its path)/s],
  ['', /^(?!.*its path)/s],
])('where nothing is found, the path %j of --server is named as what may be wrong', async (path, told) => {
  status = 404;
  const {port} = server.address() as AddressInfo;
  await expect(ask(`http://127.0.0.1:${port}${path}`)).rejects.toThrow(told);
});

test('43-4 a server that does not answer for 3 s is named on stderr, once', () => {
  const stderr = new PassThrough();
  const timers: {ms: number; action: () => void; isCancelled: boolean}[] = [];
  const onRequest = noteOfWaiting('http://10.9.0.2:8080', stderr, {
    after: (ms, action) => {
      const timer = {ms, action, isCancelled: false};
      timers.push(timer);
      return {cancel: () => (timer.isCancelled = true)};
    },
  });
  onRequest()();
  expect(timers).toMatchObject([{ms: 3_000, isCancelled: true}]);
  onRequest();
  onRequest();
  for (const {action, isCancelled} of timers) if (!isCancelled) action();
  expect(String(stderr.read())).toBe('palisade: waiting for http://10.9.0.2:8080 to answer\n');
});

test('43-4 the error about a silent server names the way out', async () => {
  server.removeAllListeners('request');
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const flags = {server: http, token: undefined, ca: undefined, insecure: false};
  const io = {stdin, stdout, stderr, env: {}, cwd: home};
  const asked = withIdsClient(flags, io, client => client.listEndpoints('x', {}), undefined, 50);
  await expect(asked).rejects.toThrow(
    /^--server: no answer from http:.* within 50 ms\ncheck that a palisade server has this address, .*; another server: --server URL$/,
  );
});
