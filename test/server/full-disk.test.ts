// SPDX-License-Identifier: Apache-2.0
/** A disk that takes no more: both APIs name it, health and metrics show it, and the log has one line for each change. */
import {execFileSync} from 'node:child_process';
import {readdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {quiet, scratch, serve} from '../support/palisade.ts';

const post = async (url: string, body: object): Promise<[number, string]> => {
  const headers = {'content-type': 'application/json'};
  const answer = await fetch(url, {method: 'POST', headers, body: JSON.stringify(body)});
  return [answer.status, await answer.text()];
};
const get = async (url: string): Promise<[number, string]> => {
  const answer = await fetch(url);
  return [answer.status, await answer.text()];
};
const limitFiles = (pid: number, bytes: number | 'unlimited'): unknown =>
  execFileSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:`]);

test('F-09 a disk without room: 503 names it on both sides, /readyz is red with the reason, one line each for its begin and end', async () => {
  using folder = scratch();
  const flags = quiet(folder.dir).map(word => (word === 'warn' ? 'info' : word));
  await using server = await serve(flags);
  const {http, pid} = server.ready;
  const data = join(folder.dir, 'data');
  const endpoints = `${http}/api/v1/namespaces/default/endpoints`;
  expect((await post(endpoints, {metadata: {name: 'before'}}))[0]).toBe(201);
  // The kernel lets the server write nothing beyond 4 KiB of a file: write(2) fails with EFBIG, as with ENOSPC on a full disk.
  limitFiles(pid, 4_096);
  for (let n = 0; n < 10; n++) {
    const [code, text] = await post(endpoints, {metadata: {name: `e${n}`, annotations: {a: 'x'.repeat(20_000)}}});
    expect([code, text]).toEqual([503, expect.stringContaining('the disk of the server is full')]);
  }
  const ids = await post(`${http}/v1/projects/p/locations/local/endpoints?endpointId=a`, {
    network: 'n',
    severity: 'LOW',
  });
  expect(ids).toEqual([503, expect.stringContaining('the disk of the server is full')]);
  expect(await get(`${http}/readyz`)).toEqual([
    500,
    expect.stringContaining('[-]disk failed: the disk is full, writes are refused\n'),
  ]);
  expect((await get(`${http}/readyz/disk`))[1]).toContain('raise it (ulimit -f)');
  expect(await get(`${http}/livez`)).toEqual([200, 'ok']);
  expect((await get(`${http}/metrics`))[1]).toContain('\npalisade_store_writable 0\n');
  limitFiles(pid, 'unlimited');
  await expect.poll(() => server.stderr(), {timeout: 20_000}).toContain('disk recovered, writes resumed');
  expect(await get(`${http}/readyz`)).toEqual([200, 'ok']);
  expect((await get(`${http}/metrics`))[1]).toContain('\npalisade_store_writable 1\n');
  // The sensors may still be writing their rule set, which is a file of theirs.
  const errors = server
    .stderr()
    .split('\n')
    .filter(line => line.includes('"level":50') && !line.includes('"part":"sensor"'));
  expect(errors).toEqual([expect.stringContaining('disk refuses writes')]);
  expect((await post(endpoints, {metadata: {name: 'after'}}))[0]).toBe(201);
  expect(readdirSync(data)).not.toContain('store.sqlite-room');
}, 60_000);

test('F-09 where the IDS side alone is served, a single check, which names files, needs a credential, too', async () => {
  using folder = scratch();
  const tokens = join(folder.dir, 'tokens.csv');
  writeFileSync(tokens, 'secret-1,alice,alice-uid,"system:masters"\n', {mode: 0o600});
  const access = ['--token-auth-file', tokens, '--http', '127.0.0.1:0'];
  await using server = await serve(['--data', join(folder.dir, 'data'), ...access, '--apis', 'ids']);
  const {http} = server.ready;
  expect(await get(`${http}/readyz`)).toEqual([200, 'ok']);
  const headers = {authorization: 'Bearer secret-1'};
  for (const path of ['/readyz/disk', '/livez/store']) {
    expect([path, (await get(`${http}${path}`))[0]]).toEqual([path, 403]);
    expect([path, (await fetch(`${http}${path}`, {headers})).status]).toEqual([path, 200]);
  }
});
