// SPDX-License-Identifier: Apache-2.0
/** Programs of others, unmodified, built from their Go modules (bench/peers) into build/peers; a fresh kube-apiserver 1.36.3 over etcd 3.7.3. */
import {spawnSync} from 'node:child_process';
import {generateKeyPairSync} from 'node:crypto';
import {existsSync, mkdirSync, writeFileSync} from 'node:fs';
import {join, resolve} from 'node:path';
import {end, freePort, start, until} from './processes.ts';

export type Target = {
  readonly name: string;
  readonly server: string;
  readonly pids: readonly number[];
  readonly stop: () => Promise<void>;
};

export const TOKEN = 'benchtoken';
export const TOKEN_LINE = `${TOKEN},bench,bench-uid,"system:masters"\n`;
const folder = resolve('build/peers');

const K8S_DISCOVERY_ALONE = 'remove_all_sd,enable_kubernetes_sd';

/** Release builds of Kubernetes get their version from the linker. */
const versionFlags = (minor: number, patch: number): readonly string[] => {
  const values = {gitVersion: `v1.${minor}.${patch}`, gitMajor: '1', gitMinor: String(minor)};
  const flags = Object.entries(values).map(([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`);
  return ['-ldflags', `-s -w ${flags.join(' ')}`];
};

/** Arguments of `go build`: the wrapper in its folder, or a command of the module itself. */
const BUILDS = {
  etcd: ['.'],
  'kube-apiserver': ['.'],
  otelcol: ['.'],
  coredns: ['.'],
  'kube-proxy': ['.'],
  prometheus: ['-tags', K8S_DISCOVERY_ALONE, 'github.com/prometheus/prometheus/cmd/prometheus'],
  'client-go': ['.'],
  kubectl: [...versionFlags(37, 1), '.'],
  helm: ['helm.sh/helm/v4/cmd/helm'],
  e2e: [...versionFlags(36, 3), 'k8s.io/kubernetes/test/e2e'],
} as const;

export type Peer = keyof typeof BUILDS;
export const PEERS = Object.keys(BUILDS) as readonly Peer[];

/** Builds it if it is missing (minutes, once). Undefined: Go is absent or the build failed, reported on stderr. */
export const buildPeer = (name: Peer): string | undefined => {
  const out = join(folder, name);
  if (existsSync(out)) return out;
  mkdirSync(folder, {recursive: true});
  console.error(`peers: building ${name} from its Go module (minutes, once)`);
  const verb = name === 'e2e' ? ['test', '-c'] : ['build']; // upstream's tests are a test binary
  const done = spawnSync('go', [...verb, '-o', out, ...BUILDS[name]], {
    cwd: resolve('bench/peers', name),
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (done.status === 0) return out;
  console.error(`peers: ${name} could not be built: ${done.error?.message ?? `exit ${done.status}`}`);
  return undefined;
};

/** For a suite: its path if it is built, or with PALISADE_SOAK=1 if it can be; and else why the suite is skipped. */
export const peerOrWhyNot = (name: Peer): {readonly path: string; readonly whyNot: string} => {
  const isWanted = existsSync(join(folder, name)) || process.env['PALISADE_SOAK'] === '1';
  const path = isWanted ? buildPeer(name) : undefined;
  return path === undefined
    ? {path: '', whyNot: `no build/peers/${name}, which make peers builds`}
    : {path, whyNot: ''};
};

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
