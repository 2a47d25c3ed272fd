// SPDX-License-Identifier: Apache-2.0
/** --https with a certificate of our own: clients that trust the CA of the first start go on over renewals and restarts. */
import {X509Certificate} from 'node:crypto';
import {copyFileSync, mkdirSync, readFileSync, rmSync, statSync} from 'node:fs';
import {get} from 'node:https';
import {join} from 'node:path';
import {connect} from 'node:tls';
import {expect, test} from 'vitest';
import {ownCertificate} from '../../packages/server/src/pki/certificates.ts';
import {quiet, scratch, serve} from '../support/palisade.ts';

const statusWith = (ca: string, url: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    get(`${url}/readyz`, {ca, agent: false}, response => {
      response.resume();
      resolve(response.statusCode);
    }).once('error', reject);
  });

const fingerprint = (pem: string): string => new X509Certificate(pem).fingerprint256;
const certificateAt = (url: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const {hostname: host, port} = new URL(url);
    const socket = connect({host, port: Number(port), rejectUnauthorized: false}, () => {
      resolve(socket.getPeerX509Certificate()?.fingerprint256 ?? '');
      socket.destroy();
    });
    socket.once('error', reject);
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

test('a pair of --tls-cert that was replaced is used after SIGHUP, in the kubeconfig too; one that does not fit is told and left', async () => {
  using folder = scratch();
  const given = (name: string): string => join(folder.dir, name);
  const take = (name: 'server.crt' | 'server.key'): void =>
    copyFileSync(join(folder.dir, 'data/pki', name), given(name));
  const flags = [...quiet(folder.dir), '--apis', 'kubernetes', '--https', '127.0.0.1:0'];
  const maker = await serve(flags);
  take('server.crt');
  take('server.key');
  const old = readFileSync(given('server.crt'), 'utf8');
  expect(await maker.stop()).toBe(0);
  rmSync(join(folder.dir, 'data/pki/server.crt'));
  await (await serve(flags)).stop(); // makes another pair

  await using server = await serve([...flags, '--tls-cert', given('server.crt'), '--tls-key', given('server.key')]);
  const https = server.ready.https ?? '';
  expect(await certificateAt(https)).toBe(fingerprint(old));
  take('server.crt');
  server.child.kill('SIGHUP');
  await expect.poll(server.stderr).toContain('the current certificate stays in use');
  expect(server.stderr()).toContain(
    `--tls-key ${given('server.key')}: is not the key of the certificate in ${given('server.crt')}: `,
  );
  expect(await certificateAt(https)).toBe(fingerprint(old));
  take('server.key');
  server.child.kill('SIGHUP');
  const renewed = readFileSync(given('server.crt'), 'utf8');
  await expect
    .poll(() => readFileSync(server.ready.kubeconfig, 'utf8'))
    .toContain(Buffer.from(renewed).toString('base64'));
  expect(await certificateAt(https)).toBe(fingerprint(renewed));
});

test('an expired pair of --tls-cert is used at the start with a warning, and given up on SIGHUP for a valid one', async () => {
  using folder = scratch();
  const places = ['expired', 'valid', 'given'].map(name => join(folder.dir, name));
  const [expired = '', valid = '', given = ''] = places;
  for (const place of places) mkdirSync(place);
  const log = {info: () => {}, warn: () => {}};
  await ownCertificate(expired, '127.0.0.1', {nowMs: Date.UTC(2020, 0, 1), log});
  const {ca} = await ownCertificate(valid, '127.0.0.1', {nowMs: Date.now(), log});
  const files = ['server.crt', 'server.key'].map(name => join(given, name));
  const [cert = '', key = ''] = files;
  const take = (from: string): void => {
    for (const name of ['server.crt', 'server.key']) copyFileSync(join(from, 'pki', name), join(given, name));
  };
  take(expired);
  const flags = [...quiet(folder.dir), '--apis', 'kubernetes', '--https', '127.0.0.1:0'];
  await using server = await serve([...flags, '--tls-cert', cert, '--tls-key', key]);
  const https = server.ready.https ?? '';
  const warning = JSON.parse(server.stderr()) as {level: number; file: string; notAfter: string; msg: string};
  expect(warning).toMatchObject({level: 40, file: cert, notAfter: 'Dec 31 00:00:00 2020 GMT'});
  expect(warning.msg).toContain('has expired, clients reject it; replace the files');
  expect(await certificateAt(https)).toBe(fingerprint(readFileSync(cert, 'utf8')));
  take(valid);
  server.child.kill('SIGHUP');
  await expect.poll(() => certificateAt(https), {timeout: 20_000}).toBe(fingerprint(readFileSync(cert, 'utf8')));
  expect(await statusWith(ca, https)).toBe(200);
});
