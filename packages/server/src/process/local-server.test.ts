// SPDX-License-Identifier: Apache-2.0
/** How long a command waits for a local server that is there, in time of its own; what is in its way is named. */
import {once} from 'node:events';
import {mkdirSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {createServer, type RequestListener} from 'node:http';
import type {AddressInfo, Socket} from 'node:net';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {PassThrough} from 'node:stream';
import {ownMark} from '@palisade/engine/process-mark';
import {takeLock} from '@palisade/store/sqlite';
import {afterEach, beforeEach, expect, test} from 'vitest';
import {localServer} from './local-server.ts';

let home = '';
let data = '';
let nowMs = 0;
const end: (() => void)[] = [];
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'palisade-local-'));
  data = join(home, 'palisade');
  mkdirSync(data);
  nowMs = 0;
  silence = undefined;
});
afterEach(() => {
  for (const one of end.splice(0)) one();
  rmSync(home, {recursive: true});
});

/** Lets the time of the probe that is under way run out. */
let silence: (() => void) | undefined;
/** The longest wait of a command: that for the answer to a probe. */
const isProbe = (delayMs: number): boolean => delayMs > 1_000;
const parts = {
  clock: {now: () => nowMs},
  timers: {
    /** Time passes by waiting alone; a probe waits until its server calls `silence`. */
    after: (delayMs: number, action: () => void) => {
      const fire = (): void => {
        nowMs += delayMs;
        action();
      };
      if (!isProbe(delayMs)) {
        const soon = setImmediate(fire);
        return {cancel: () => clearImmediate(soon)};
      }
      silence = fire;
      return {
        cancel: () => {
          silence = undefined;
        },
      };
    },
  },
};
const command = (): ReturnType<typeof localServer> => {
  return localServer({stderr: new PassThrough(), env: {XDG_STATE_HOME: home}}, {program: '/nowhere', parts});
};
/** A server that the address file names. */
const serve = async (answer: RequestListener): Promise<string> => {
  const server = createServer(answer).listen(0, '127.0.0.1');
  const sockets: Socket[] = [];
  server.on('connection', socket => sockets.push(socket));
  await once(server, 'listening');
  end.push(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const http = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  writeFileSync(join(data, 'server.json'), JSON.stringify({http, pid: process.pid, process: ownMark()}));
  return http;
};

test.each<[string, RequestListener]>([
  ['never answers', () => silence?.()],
  [
    'never ends its head',
    (_request, response) => void response.socket?.write('HTTP/1.1 200 OK\r\nA: ', () => silence?.()),
  ],
  ['never gets ready', (_request, response) => void response.writeHead(500).write('no end')],
])('a server that %s is waited for 30 s, all told', async (_what, answer) => {
  const http = await serve(answer);
  await expect(command()).rejects.toMatchObject({
    name: 'CommandError',
    message: `the local server on ${data} was not ready within 30 s: it is not ready at ${http}; try again, or stop it with: kill ${process.pid}`,
  });
  expect(nowMs).toBeGreaterThanOrEqual(30_000);
  expect(nowMs).toBeLessThan(33_000);
});

test('a new server gets the Node flags of the command', async () => {
  const program = join(home, 'program.mjs');
  writeFileSync(program, 'console.log(JSON.stringify(process.execArgv));');
  const before = process.execArgv;
  process.execArgv = ['--expose-gc', '--max-semi-space-size=8'];
  end.push(() => {
    process.execArgv = before;
  });
  await expect(localServer({stderr: new PassThrough(), env: {XDG_STATE_HOME: home}}, {program, parts})).rejects.toThrow(
    'did not print its ready line: ["--expose-gc","--max-semi-space-size=8"]',
  );
});

test('43-5 a new server does not take the configuration file of the user: the command says how it is served', async () => {
  const program = join(home, 'program.mjs');
  writeFileSync(program, "console.log('file: ' + process.env.PALISADE_CONFIG + ', of ' + process.env.HOME);");
  const env = {XDG_STATE_HOME: home, HOME: '/h', PALISADE_CONFIG: '/etc/palisade.yaml'};
  await expect(localServer({stderr: new PassThrough(), env}, {program, parts})).rejects.toThrow(
    'did not print its ready line: file: undefined, of /h',
  );
});

test('another command that starts one without end is waited for 30 s', async () => {
  const lock = takeLock(join(data, 'start'));
  end.push(() => lock.release());
  await expect(command()).rejects.toThrow('was not ready within 30 s: another command is starting it; try again');
});

test('a lock that cannot be taken is told with its file and the way out', async () => {
  mkdirSync(join(data, 'start-lock'));
  await expect(command()).rejects.toMatchObject({
    name: 'CommandError',
    message: expect.stringMatching(/start-lock cannot be locked: .*; allow this user to write there, or set/),
  });
});
