// SPDX-License-Identifier: Apache-2.0
/** Programs of others in build/peers (peer-builds.ts); a fresh kube-apiserver 1.36.3 over etcd 3.7.3. */
import {generateKeyPairSync} from 'node:crypto';
import {mkdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {builder} from './peer-builds.ts';
import {end, freePort, start, until} from './processes.ts';

export type Target = {
  readonly name: string;
  readonly server: string;
  readonly pids: readonly number[];
  readonly stop: () => Promise<void>;
};

export const TOKEN = 'benchtoken';
export const TOKEN_LINE = `${TOKEN},bench,bench-uid,"system:masters"\n`;

/** `peerOrWhyNot` is for suites, which build nothing (`make test`) unless PALISADE_SOAK=1. */
export const {buildPeer, peerOrWhyNot} = builder();

export const buildPeers = (): {etcd: string; apiserver: string} | undefined => {
  const etcd = buildPeer('etcd');
  const apiserver = etcd === undefined ? undefined : buildPeer('kube-apiserver');
  return etcd === undefined || apiserver === undefined ? undefined : {etcd, apiserver};
};

/** A fresh kube-apiserver over a fresh etcd, TLS with a token. */
export async function startKube(bins: {etcd: string; apiserver: string}, dir: string): Promise<Target> {
  mkdirSync(dir, {recursive: true});
  const [client, peer, secure] = [await freePort(), await freePort(), await freePort()];
  const url = (port: number) => `http://127.0.0.1:${port}`;
  const etcd = start(
    'etcd',
    bins.etcd,
    [
      '--data-dir',
      join(dir, 'etcd'),
      '--listen-client-urls',
      url(client),
      '--advertise-client-urls',
      url(client),
      '--listen-peer-urls',
      url(peer),
      '--initial-advertise-peer-urls',
      url(peer),
      '--initial-cluster',
      `default=${url(peer)}`,
      '--log-level',
      'error',
    ],
    join(dir, 'etcd.log'),
  );
  await until('etcd', async () => (await fetch(`${url(client)}/health`)).ok, 30_000);
  const {privateKey, publicKey} = generateKeyPairSync('rsa', {modulusLength: 2048});
  const file = (name: string, text: string) => {
    writeFileSync(join(dir, name), text);
    return join(dir, name);
  };
  const signing = file('sa.key', privateKey.export({type: 'pkcs8', format: 'pem'}) as string);
  const verifying = file('sa.pub', publicKey.export({type: 'spki', format: 'pem'}) as string);
  const tokens = file('tokens.csv', TOKEN_LINE);
  const api = start(
    'kube-apiserver',
    bins.apiserver,
    [
      `--etcd-servers=${url(client)}`,
      '--bind-address=127.0.0.1',
      `--secure-port=${secure}`,
      `--cert-dir=${join(dir, 'certs')}`,
      '--service-cluster-ip-range=10.96.0.0/16',
      '--endpoint-reconciler-type=none',
      `--token-auth-file=${tokens}`,
      '--authorization-mode=RBAC',
      '--service-account-issuer=https://kubernetes.default.svc',
      `--service-account-key-file=${verifying}`,
      `--service-account-signing-key-file=${signing}`,
    ],
    join(dir, 'kube-apiserver.log'),
  );
  const server = `https://127.0.0.1:${secure}`;
  await until('kube-apiserver', () => tlsOk(`${server}/readyz`), 120_000);
  return {
    name: 'kube-apiserver+etcd',
    server,
    pids: [etcd.pid, api.pid].filter(p => p !== undefined),
    stop: async () => {
      await end(api);
      await end(etcd);
    },
  };
}

/** GET over TLS without checking the certificate (a bench peer on loopback). */
export const tlsOk = async (url: string): Promise<boolean> => {
  const {get} = await import('node:https');
  return new Promise(done => {
    get(url, {rejectUnauthorized: false, headers: {authorization: `Bearer ${TOKEN}`}}, response => {
      response.resume();
      done(response.statusCode === 200);
    }).on('error', () => done(false));
  });
};
