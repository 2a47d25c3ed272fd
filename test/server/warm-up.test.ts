// SPDX-License-Identifier: Apache-2.0
/** `palisade serve --warm-up on`: what it rehearses is nowhere to be seen. */
import {spawn} from 'node:child_process';
import {existsSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {parseOptions} from '../../packages/server/src/cli/options.ts';
import {serveOptions} from '../../packages/server/src/commands/serve-options.ts';
import {toServeConfig} from '../../packages/server/src/run/config.ts';
import {createLogger} from '../../packages/server/src/run/logger.ts';
import {startServer} from '../../packages/server/src/run/server.ts';
import {PALISADE, quiet, scratch, serve} from '../support/palisade.ts';

test('a server that rehearsed over TLS shows no trace of it in its objects, its metrics or its ports', async () => {
  using folder = scratch();
  await using server = await serve([
    ...quiet(folder.dir),
    '--apis',
    'kubernetes',
    '--https',
    '127.0.0.1:0',
    '--warm-up',
    'on',
  ]);
  const text = async (path: string) => (await fetch(`${server.ready.http}${path}`)).text();
  expect(await text('/readyz')).toBe('ok');
  expect(await text('/api/v1/namespaces')).not.toContain('rehearsal');
  expect(await text('/api/v1/endpoints')).not.toContain('rehearsal');
  const counted = (await text('/metrics')).split('\n').filter(line => line.startsWith('palisade_http_requests_total{'));
  expect(counted).toEqual(['palisade_http_requests_total{side="kubernetes",method="GET",code="200"} 3']);
  expect(server.stderr()).toBe('');
});

test('the server answers during the rehearsal, and says on /readyz that it is not ready', async () => {
  using folder = scratch();
  const words = [...quiet(folder.dir), '--apis', 'kubernetes', '--warm-up', 'on'];
  const config = toServeConfig(parseOptions(words, serveOptions).options, {}, folder.dir);
  let isReady = false;
  const starting = startServer(config, createLogger('error'), new AbortController().signal).finally(() => {
    isReady = true;
  });
  const file = join(folder.dir, 'data', 'server.json');
  await expect.poll(() => isReady || existsSync(file), {interval: 1}).toBe(true);
  const {http} = JSON.parse(readFileSync(file, 'utf8')) as {http: string};
  const get = async (path: string) => {
    const {status, body} = await fetch(`${http}${path}`).then(async r => ({status: r.status, body: await r.text()}));
    return {status, body, during: !isReady};
  };
  // In this process: the rehearsal goes on for thousands of turns.
  expect(await get('/readyz')).toMatchObject({status: 500, body: expect.stringContaining('all-parts'), during: true});
  expect(await get('/api/v1/endpoints')).toMatchObject({status: 200, during: true});
  const server = await starting;
  expect(await get('/readyz')).toMatchObject({status: 200, body: 'ok'});
  await server.stop();
});

test('a signal during the rehearsal ends the start with 0, without the ready line', async () => {
  using folder = scratch();
  const child = spawn(PALISADE, ['serve', ...quiet(folder.dir), '--apis', 'kubernetes', '--warm-up', 'on'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let stdout = '';
  child.stdout.on('data', chunk => {
    stdout += String(chunk);
  });
  const ended = new Promise(resolve => child.once('close', resolve));
  // Written when the ports are open, just before the rehearsal begins.
  await expect
    .poll(() => existsSync(join(folder.dir, 'data', 'server.json')), {timeout: 30_000, interval: 10})
    .toBe(true);
  child.kill('SIGTERM');
  expect(await ended).toBe(0);
  expect(stdout).toBe('');
});
