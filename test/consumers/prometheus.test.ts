// SPDX-License-Identifier: Apache-2.0
/** Prometheus, unmodified, finds its targets in EndpointSlices and Endpoints. */
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {peerOrWhyNot} from '../../bench/peers.ts';
import {until} from '../../bench/processes.ts';
import {type Scratch, scratch} from '../support/palisade.ts';
import {KubeSide, START_MS} from './support/kube-side.ts';
import {endpoints, ready, service} from './support/manifests.ts';
import {Network, whyNoNetwork} from './support/network.ts';

const prometheus = peerOrWhyNot('prometheus');
const whyNot = prometheus.whyNot || whyNoNetwork;
const skipReason = whyNot === '' ? '' : ` (skipped: ${whyNot})`;
const AT = '127.0.0.1:9090';
const ROLES = ['endpointslice', 'endpoints'] as const;
/** Labels of a target, which each role calls otherwise. */
const NAMES = {
  endpointslice: {
    ready: '__meta_kubernetes_endpointslice_endpoint_conditions_ready',
    hostname: '__meta_kubernetes_endpointslice_endpoint_hostname',
    nodeName: '__meta_kubernetes_endpointslice_endpoint_node_name',
    portName: '__meta_kubernetes_endpointslice_port_name',
  },
  endpoints: {
    ready: '__meta_kubernetes_endpoint_ready',
    hostname: '__meta_kubernetes_endpoint_hostname',
    nodeName: '__meta_kubernetes_endpoint_node_name',
    portName: '__meta_kubernetes_endpoint_port_name',
  },
} as const;
const REFUSED = /forbidden|level=ERROR/;
const METRICS = [{name: 'metrics', port: 9100}];
/** Of the role `endpoints`, and of `endpointslice`: both also ask for the Services and Pods behind the addresses. */
const RULES = [
  {apiGroups: [''], resources: ['services', 'endpoints', 'pods'], verbs: ['get', 'list', 'watch']},
  {apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: ['get', 'list', 'watch']},
];

const job = (role: string, kubeconfig: string): object => ({
  job_name: role,
  scrape_interval: '1h',
  kubernetes_sd_configs: [{role, kubeconfig_file: kubeconfig, namespaces: {names: ['default']}}],
});

type Target = {readonly scrapePool: string; readonly discoveredLabels: Readonly<Record<string, string>>};

describe.skipIf(whyNot !== '')(`Prometheus${skipReason}`, () => {
  let folder: Scratch;
  let network: Network;
  let kube: KubeSide;
  let log: () => string;

  const startPrometheus = (user: string, at: string) => {
    const file = join(folder.dir, `${user}.json`);
    writeFileSync(file, JSON.stringify({scrape_configs: ROLES.map(role => job(role, kube.kubeconfig(user)))}));
    const data = `--storage.tsdb.path=${join(folder.dir, `${user}-tsdb`)}`;
    const flags = [`--config.file=${file}`, data, `--web.listen-address=${at}`];
    return network.start(user, folder.dir, prometheus.path, flags);
  };

  beforeAll(async () => {
    folder = scratch();
    network = await Network.open();
    kube = await KubeSide.start(network, folder.dir, ['prometheus', 'too-few']);
    await kube.allow('prometheus', RULES);
    const started = startPrometheus('prometheus', AT);
    log = started.log;
    const isReady = async () =>
      (await network.ask('http', {method: 'GET', url: `http://${AT}/-/ready`})).status === 200;
    await until('prometheus', async () => started.child.exitCode !== null || (await isReady()), 240_000);
    if (started.child.exitCode !== null) throw new Error(`prometheus ended: ${log()}`);
  }, START_MS);
  afterAll(async () => {
    await network?.[Symbol.asyncDispose]();
    folder?.[Symbol.dispose]();
  });

  const targets = async (): Promise<readonly Target[]> => {
    const {text} = await network.ask('http', {method: 'GET', url: `http://${AT}/api/v1/targets?state=active`});
    return (JSON.parse(text) as {data: {activeTargets: Target[]}}).data.activeTargets;
  };
  const labels = async (role: string, service: string): Promise<Target['discoveredLabels'][]> =>
    (await targets())
      .filter(({scrapePool}) => scrapePool === role)
      .map(({discoveredLabels}) => discoveredLabels)
      .filter(found => found['__meta_kubernetes_service_name'] === service)
      .toSorted((a, b) => ((a['__address__'] ?? '') < (b['__address__'] ?? '') ? -1 : 1));
  const addresses = (role: string, service: string) =>
    expect.poll(async () => (await labels(role, service)).map(found => found['__address__']), {interval: 200});

  test.each(ROLES)('45-3 role %s: the targets are the addresses with their labels, and follow a change', async role => {
    const name = `node-${role}`;
    await kube.apply({
      ...service(name, {clusterIP: 'None', ports: METRICS}),
      metadata: {name, namespace: 'default', labels: {team: 'storage'}},
    });
    const first = {ip: '192.0.2.1', hostname: 'disk-0', nodeName: 'rack-1'};
    await kube.apply(endpoints(name, [first, {ip: '192.0.2.2'}], METRICS, ready('192.0.2.3')));
    await addresses(role, name).toEqual(['192.0.2.1:9100', '192.0.2.2:9100', '192.0.2.3:9100']);
    const found = await labels(role, name);
    expect(found.map(of => of[NAMES[role].ready])).toEqual(['true', 'true', 'false']);
    expect(found[0]).toMatchObject({
      __meta_kubernetes_namespace: 'default',
      __meta_kubernetes_service_label_team: 'storage',
      [NAMES[role].hostname]: 'disk-0',
      [NAMES[role].nodeName]: 'rack-1',
      [NAMES[role].portName]: 'metrics',
    });
    await kube.apply(endpoints(name, ready('192.0.2.2', '192.0.2.4'), METRICS));
    await addresses(role, name).toEqual(['192.0.2.2:9100', '192.0.2.4:9100']);
  });

  test('45-3 the rights to read Services, Endpoints, EndpointSlices and Pods are all it needs', async () => {
    await kube.allow('too-few', RULES.slice(0, 1));
    const short = startPrometheus('too-few', '127.0.0.1:9091').log;
    await expect.poll(short, {timeout: 60_000}).toMatch(REFUSED); // a missing right shows in the log
    expect(short()).toContain('endpointslices');
    expect(log()).toContain('level=INFO');
    expect(log()).not.toMatch(REFUSED);
  }, 90_000);
});
