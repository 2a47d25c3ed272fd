// SPDX-License-Identifier: Apache-2.0
/** CoreDNS with its plugin `kubernetes`, unmodified (bench/peers/coredns), before a server. */
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {until} from '../../../bench/processes.ts';
import type {KubeSide} from './kube-side.ts';
import type {Network} from './network.ts';

export const ZONE = 'cluster.local';
export const DNS = '127.0.0.1:53';
const READY_AT = '127.0.0.1:8181';

/** What the plugin reads, and nothing else: the guide gives the same. */
export const COREDNS_RULES = [
  {apiGroups: [''], resources: ['namespaces', 'services'], verbs: ['list', 'watch']},
  {apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: ['list', 'watch']},
] as const;

const COREFILE = (kubeconfig: string, port: number, readyAt: string): string =>
  `${ZONE}:${port} in-addr.arpa:${port} ip6.arpa:${port} {
    bind 127.0.0.1
    errors
    ready ${readyAt}
    kubernetes ${ZONE} in-addr.arpa ip6.arpa {
        kubeconfig ${kubeconfig}
    }
}
`;

/** Ready: it has all objects. */
export const startCoreDns = async (
  network: Network,
  kube: KubeSide,
  dir: string,
  program: string,
): Promise<() => string> => {
  await kube.allow('coredns', COREDNS_RULES);
  const file = join(dir, 'Corefile');
  writeFileSync(file, COREFILE(kube.kubeconfig('coredns'), 53, READY_AT));
  const {child, log} = network.start('coredns', dir, program, ['-conf', file]);
  const isReady = async () =>
    (await network.ask('http', {method: 'GET', url: `http://${READY_AT}/ready`})).status === 200;
  await until('coredns', async () => child.exitCode !== null || (await isReady()), 240_000);
  if (child.exitCode !== null) throw new Error(`coredns ended: ${log()}`);
  return log;
};

/** A second one, of a user with fewer rights, that nobody asks anything: its log. */
export const startCoreDnsOf = async (
  user: string,
  rules: readonly (typeof COREDNS_RULES)[number][],
  {network, kube, dir, program}: {network: Network; kube: KubeSide; dir: string; program: string},
): Promise<() => string> => {
  await kube.allow(user, rules);
  const file = join(dir, `Corefile-${user}`);
  writeFileSync(file, COREFILE(kube.kubeconfig(user), 54, '127.0.0.1:8182'));
  return network.start(user, dir, program, ['-conf', file]).log;
};
