// SPDX-License-Identifier: Apache-2.0
/** kube-proxy, unmodified, in mode nftables on a machine of its own: a connection to a cluster IP reaches an address of the Endpoints. */
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {peerOrWhyNot} from '../../bench/peers.ts';
import {until} from '../../bench/processes.ts';
import {type Scratch, scratch} from '../support/palisade.ts';
import {KubeSide, START_MS} from './support/kube-side.ts';
import {endpoints, ready, service} from './support/manifests.ts';
import {connectNetworks, Network, whyNotWithin} from './support/network.ts';

const proxy = peerOrWhyNot('kube-proxy');
const noNft = whyNotWithin('nft', 'add', 'table', 'ip', 'probe');
const whyNot = proxy.whyNot || (noNft && `nft in a network namespace: ${noNft}`);
const skipReason = whyNot === '' ? '' : ` (skipped: ${whyNot})`;

const MACHINE = '192.0.2.1';
const BACKENDS = ['192.0.2.11', '192.0.2.12', '192.0.2.13'] as const;
const [A, B, C] = BACKENDS;
const VIP = '10.96.0.80';
const PORT = 8080;
const HTTP = [{name: 'http', port: PORT}];
const HEALTHZ = '127.0.0.1:10256';
/** Each connection chooses at random: that one of two is never chosen has the probability 2^-39. */
const CONNECTIONS = 40;
/** `Node` of this machine, which kube-proxy waits for. */
const NODE = {apiVersion: 'v1', kind: 'Node', metadata: {name: 'machine'}};
const USER = 'system:kube-proxy';

const CONFIGURATION = (kubeconfig: string): string => `apiVersion: kubeproxy.config.k8s.io/v1alpha1
kind: KubeProxyConfiguration
mode: nftables
hostnameOverride: machine
clientConnection: {kubeconfig: ${kubeconfig}}
healthzBindAddress: ${HEALTHZ}
metricsBindAddress: 127.0.0.1:10249
nodePortAddresses: [primary]
conntrack: {maxPerCore: 0, min: 0, tcpEstablishedTimeout: 0s, tcpCloseWaitTimeout: 0s}
nftables: {minSyncPeriod: 0s}
`;

describe.skipIf(whyNot !== '')(`kube-proxy in mode nftables${skipReason}`, () => {
  let folder: Scratch;
  let machine: Network;
  let others: Network;
  let kube: KubeSide;

  const startProxy = async (): Promise<void> => {
    const file = join(folder.dir, 'kube-proxy.yaml');
    writeFileSync(file, CONFIGURATION(kube.kubeconfig(USER)));
    const {child, log} = machine.start('kube-proxy', folder.dir, proxy.path, ['--config', file, '--v', '2']);
    const isReady = async () =>
      (await machine.ask('http', {method: 'GET', url: `http://${HEALTHZ}/healthz`})).status === 200;
    await until('kube-proxy', async () => child.exitCode !== null || (await isReady()), 240_000);
    if (child.exitCode !== null) throw new Error(`kube-proxy ended: ${log()}`);
  };

  beforeAll(async () => {
    folder = scratch();
    machine = await Network.open();
    others = await Network.open();
    connectNetworks(
      machine,
      `${MACHINE}/24`,
      others,
      BACKENDS.map(ip => `${ip}/24`),
    );
    machine.run('ip', 'route', 'add', 'default', 'via', A);
    for (const host of BACKENDS) await others.ask('listen', {host, port: PORT, says: host});
    kube = await KubeSide.start(machine, folder.dir, [USER]);
    await kube.apply(NODE);
    const status = {addresses: [{type: 'InternalIP', address: MACHINE}]};
    await kube.request('PATCH', '/api/v1/nodes/machine/status', {status}, 'application/merge-patch+json');
    await startProxy();
  }, START_MS);
  afterAll(async () => {
    await machine?.[Symbol.asyncDispose]();
    await others?.[Symbol.asyncDispose]();
    folder?.[Symbol.dispose]();
  });

  const connect = (host = VIP, port = 80): Promise<string> => machine.ask('connect', {host, port});
  /** All that answered, each once. */
  const reached = async (host = VIP, port = 80): Promise<string[]> => {
    const all = await Promise.all(Array.from({length: CONNECTIONS}, () => connect(host, port)));
    return [...new Set(all)].toSorted();
  };
  const reaches = (host = VIP, port = 80) => expect.poll(() => reached(host, port), {interval: 100});

  test('45-3 a TCP connection to the cluster IP reaches each ready address, no other one, and follows a change', async () => {
    await kube.apply(service('web', {clusterIP: VIP, ports: [{name: 'http', port: 80, targetPort: PORT}]}));
    await kube.apply(endpoints('web', ready(A, B), HTTP, ready(C)));
    await reaches().toEqual([A, B]);
    await kube.apply(endpoints('web', ready(C), HTTP, ready(A, B)));
    await reaches().toEqual([C]);
  });

  test('45-3 a cluster IP without ready addresses refuses connections at once', async () => {
    await kube.apply(endpoints('web', [], HTTP, ready(A, B, C)));
    await reaches().toEqual(['ECONNREFUSED']);
  });
});
