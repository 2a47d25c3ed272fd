// SPDX-License-Identifier: Apache-2.0
/** Commands that want the local server at the same time, and an address file that is damaged. */
import {once} from 'node:events';
import {mkdirSync, readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';
import {join, resolve} from 'node:path';
import {PassThrough} from 'node:stream';
import {ownMark} from '@palisade/engine/process-mark';
import {afterEach, beforeEach, describe, expect, test} from 'vitest';
import {localServer} from '../../packages/server/src/process/local-server.ts';
import {run, scratch} from '../support/palisade.ts';

let folder: ReturnType<typeof scratch>;
/** The servers that commands of this test started. */
let started: number[];
beforeEach(() => {
  folder = scratch();
  started = [];
});
afterEach(async () => {
  for (const pid of started) process.kill(pid, 'SIGTERM');
  await expect.poll(() => started.filter(isRunning), {timeout: 20_000}).toEqual([]);
  folder[Symbol.dispose]();
});
const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};
const data = (): string => join(folder.dir, 'palisade');
const serverFile = (): string => join(data(), 'server.json');
const env = (): Record<string, string> => ({XDG_STATE_HOME: folder.dir, PATH: process.env['PATH'] ?? ''});

/** The address that a command gets, and what it says. */
const command = async (): Promise<{url: string; said: string}> => {
  const stderr = new PassThrough();
  const {url} = await localServer({stderr, env: env()}, {program: resolve('packages/cli/src/bin/palisade.ts')});
  const said = String(stderr.read() ?? '');
  const pid = /stop it with: kill (\d+)\n/.exec(said)?.[1];
  if (pid !== undefined) started.push(Number(pid));
  return {url, said};
};

const usingLocal = (http: string): string =>
  `palisade: no server configured (PALISADE_SERVER, KUBECONFIG or the stack's configuration): using the local server at ${http}\n`;

describe('the local server', () => {
  test('of commands that want one at the same time one starts it, and all get it', async () => {
    const commands = await Promise.all(Array.from({length: 4}, command));
    expect(new Set(commands.map(({url}) => url)).size).toBe(1);
    const starters = commands.filter(({said}) => said.includes('the local server is at'));
    expect(starters).toHaveLength(1);
    expect(readFileSync(join(data(), 'serve.log'), 'utf8')).not.toContain('is using it');
    const late = await command();
    const url = commands[0]?.url;
    expect(late).toEqual({url, said: usingLocal(String(url))});
  });

  test('a server that is not ready yet is waited for, and no other is started beside it', async () => {
    mkdirSync(data());
    const codes = [500, 500, 500, 200];
    const server = createServer((_request, response) => response.writeHead(codes.shift() ?? 200).end()).listen(0);
    await once(server, 'listening');
    const http = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    writeFileSync(serverFile(), JSON.stringify({http, pid: process.pid, process: ownMark()}));
    const said = `palisade: waiting for the local server: it is not ready at ${http}\n${usingLocal(http)}`;
    expect(await command()).toEqual({url: http, said});
    expect(codes).toEqual([]);
    server.close();
  });

  test.each(['{"http":', '', '"text"', '{"http":7,"pid":1}'])(
    'a damaged address file (%j) is named; a server that starts writes it anew, whole',
    async text => {
      mkdirSync(data());
      writeFileSync(serverFile(), text);
      const asked = await run(['expand', 'web'], {env: env()});
      expect(asked.code).toBe(1);
      expect(asked.stderr).toContain(`${serverFile()} is damaged`);
      expect(asked.stderr).not.toMatch(/JSON|SyntaxError/);
      const {url, said} = await command();
      expect(said).toContain(`${serverFile()} is damaged`);
      expect(JSON.parse(readFileSync(serverFile(), 'utf8'))).toMatchObject({http: url});
      expect(readdirSync(data()).filter(name => name.endsWith('.new'))).toEqual([]);
    },
  );
});
