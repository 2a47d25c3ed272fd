// SPDX-License-Identifier: Apache-2.0
/** An audit log whose disk takes no more: requests are answered, it is reported, and what waited is written when there is room; in the strict mode such requests fail. */
import {execFileSync} from 'node:child_process';
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {quiet, scratch, serve} from '../support/palisade.ts';

const PATH = '/api/v1/namespaces/default/secrets';
const limitFiles = (pid: number, bytes: number | 'unlimited'): unknown =>
  execFileSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:`]);
const get = async (url: string): Promise<[number, string, string]> => {
  const answer = await fetch(url);
  return [answer.status, await answer.text(), answer.headers.get('audit-id') ?? ''];
};

test('47-5 batch: reads go on, metrics and log show it, and no event is lost or written twice', async () => {
  using folder = scratch();
  await using server = await serve([
    ...quiet(folder.dir).map(word => (word === 'warn' ? 'info' : word)),
    '--apis',
    'kubernetes',
  ]);
  const {http, pid} = server.ready;
  const log = join(folder.dir, 'data', 'audit', 'audit.log');
  const ids: string[] = [];
  const read = async (count: number): Promise<void> => {
    for (let n = 0; n < count; n++) {
      const [code, , id] = await get(`${http}${PATH}`);
      expect(code).toBe(200);
      ids.push(id);
    }
  };
  await read(3);
  limitFiles(pid, 4_096);
  await read(20);
  await expect.poll(() => server.stderr()).toContain('audit log cannot be written');
  expect((await get(`${http}/metrics`))[1]).toContain('\npalisade_audit_log_writable 0\n');
  limitFiles(pid, 'unlimited');
  await expect.poll(() => server.stderr(), {timeout: 20_000}).toContain('audit log recovered, events are written');
  await read(1);
  const written = () =>
    readFileSync(log, 'utf8')
      .split('\n')
      .slice(0, -1)
      .map(line => (JSON.parse(line) as {auditID: string}).auditID);
  await expect.poll(written).toEqual(ids);
  expect((await get(`${http}/metrics`))[1]).toMatch(/\napiserver_audit_error_total\{plugin="log"\} 0\n/);
}, 60_000);

test('47-5 blocking-strict: a request whose event cannot be written fails with 500 and does nothing', async () => {
  using folder = scratch();
  const flags = [...quiet(folder.dir), '--apis', 'kubernetes', '--audit-log-mode', 'blocking-strict'];
  await using server = await serve(flags);
  const {http, pid} = server.ready;
  expect((await get(`${http}${PATH}`))[0]).toBe(200);
  limitFiles(pid, 16);
  const headers = {'content-type': 'application/json'};
  const body = JSON.stringify({metadata: {name: 'x'}});
  const refused = await fetch(`${http}${PATH}`, {method: 'POST', headers, body});
  expect([refused.status, await refused.text()]).toEqual([500, expect.stringContaining('failed to store audit event')]);
  expect((await get(`${http}/readyz`))[0]).toBe(200);
  expect((await get(`${http}/metrics`))[1]).toContain('\napiserver_audit_requests_rejected_total 1\n');
  limitFiles(pid, 'unlimited');
  const [code, text] = await get(`${http}${PATH}`);
  expect([code, (JSON.parse(text) as {items: unknown[]}).items]).toEqual([200, []]);
}, 60_000);
