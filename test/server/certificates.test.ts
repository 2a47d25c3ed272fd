// SPDX-License-Identifier: Apache-2.0
/** --https with a certificate of our own: clients that trust the CA of the first start go on over renewals and restarts. */
import {readFileSync, rmSync, statSync} from 'node:fs';
import {get} from 'node:https';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {quiet, scratch, serve} from '../support/palisade.ts';

const statusWith = (ca: string, url: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    get(`${url}/readyz`, {ca, agent: false}, response => {
      response.resume();
      resolve(response.statusCode);
    }).once('error', reject);
  });

test('a new server certificate comes from the CA of before, and the kubeconfig names that CA', async () => {
  using folder = scratch();
  const flags = [...quiet(folder.dir), '--apis', 'kubernetes', '--https', '127.0.0.1:0'];
  const pki = (name: string): string => join(folder.dir, 'data/pki', name);
  const first = await serve(flags);
  const ca = readFileSync(pki('ca.crt'), 'utf8');
  const leaf = readFileSync(pki('server.crt'), 'utf8');
  expect(await statusWith(ca, first.ready.https ?? '')).toBe(200);
  expect(statSync(pki('ca.key')).mode & 0o777).toBe(0o600);
  expect(await first.stop()).toBe(0);
  rmSync(pki('server.crt'));
  await using second = await serve(flags);
  expect(readFileSync(pki('server.crt'), 'utf8')).not.toBe(leaf);
  expect(await statusWith(ca, second.ready.https ?? '')).toBe(200);
  const {kubeconfig} = second.ready;
  expect(readFileSync(kubeconfig, 'utf8')).toContain(Buffer.from(ca).toString('base64'));
  expect(statSync(kubeconfig).mode & 0o777).toBe(0o600);
});
