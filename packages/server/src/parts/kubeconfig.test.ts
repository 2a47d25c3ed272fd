// SPDX-License-Identifier: Apache-2.0
import {mkdtempSync, readFileSync, rmSync, statSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterAll, expect, test} from 'vitest';
import {parse} from 'yaml';
import {writeKubeconfig} from './kubeconfig.ts';

const folder = mkdtempSync(join(tmpdir(), 'palisade-kubeconfig-'));
afterAll(() => rmSync(folder, {recursive: true}));

test.each([
  ['none', {token: 'any'}], // without one, kubectl asks for a user name over TLS
  ['tokens', {}],
] as const)('with --auth %s the user of the kubeconfig is %j', async (auth, user) => {
  const path = join(folder, auth);
  await writeKubeconfig(path, {server: 'https://127.0.0.1:6443', ca: 'PEM', auth});
  expect(parse(readFileSync(path, 'utf8'))).toMatchObject({
    clusters: [{cluster: {server: 'https://127.0.0.1:6443', 'certificate-authority-data': 'UEVN'}}],
    users: [{user}],
  });
  expect(parse(readFileSync(path, 'utf8')).clusters[0].cluster).not.toHaveProperty('insecure-skip-tls-verify');
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('without TLS it says that no certificate is looked at, without which @kubernetes/client-node refuses the server', async () => {
  const path = join(folder, 'http');
  await writeKubeconfig(path, {server: 'http://127.0.0.1:8080', ca: undefined, auth: 'none'});
  expect(parse(readFileSync(path, 'utf8')).clusters[0].cluster).toEqual({
    server: 'http://127.0.0.1:8080',
    'insecure-skip-tls-verify': true,
  });
});

test('47-1 a client certificate is in the kubeconfig itself; user names and tokens keep their characters', async () => {
  const path = join(folder, 'certificate');
  const reached = {server: 'https://127.0.0.1:6443', ca: 'PEM', auth: 'tokens'} as const;
  await writeKubeconfig(path, {...reached, client: {cert: 'CERT', key: 'KEY'}});
  expect(parse(readFileSync(path, 'utf8')).users).toEqual([
    {name: 'palisade', user: {'client-certificate-data': 'Q0VSVA==', 'client-key-data': 'S0VZ'}},
  ]);
  await writeKubeconfig(path, {...reached, user: 'a: "b" #c', token: 'x}#y'});
  expect(parse(readFileSync(path, 'utf8'))).toMatchObject({
    users: [{name: 'a: "b" #c', user: {token: 'x}#y'}}],
    contexts: [{context: {cluster: 'palisade', user: 'a: "b" #c'}}],
  });
});
