// SPDX-License-Identifier: Apache-2.0
/**
 * From the end of a listener to the Endpoints with its address in notReadyAddresses, as a watcher sees them. Listeners end at random
 * times: the time until the next check is a part of it, so that the aim is period × threshold + 200 ms.
 *
 *   node bench/member-failure.bench.ts [members, default 100]
 *
 * Root: the members are addresses in a network namespace, since a check connects to no loopback address.
 */
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {setTimeout as delay} from 'node:timers/promises';
import {type Followed, KubeSide} from '../test/consumers/support/kube-side.ts';
import {connectNetworks, Network, whyNoNetwork} from '../test/consumers/support/network.ts';
import {percentile, printFigure} from './figures.ts';
import {until} from './processes.ts';

const MEMBERS = Number(process.argv[2] ?? 100);
const PERIOD_SECONDS = 1;
const THRESHOLD = 2;
/** Within which all of them end. */
const SPREAD_MS = 20_000;
const LIMIT_MS = 60_000;
const PORT = 8080;
const SERVER = '10.77.0.1/16';

type Seen = Followed<{
  readonly subsets?: readonly {
    readonly addresses?: readonly {readonly ip: string}[];
    readonly notReadyAddresses?: readonly {readonly ip: string}[];
  }[];
}>;

const ips = Array.from({length: MEMBERS}, (_, n) => `10.77.${1 + (n >> 8)}.${n & 255}`);

const group = {
  apiVersion: 'platform.io/v1alpha1',
  kind: 'EndpointGroup',
  metadata: {name: 'web', namespace: 'default'},
  spec: {
    members: ips.map(ip => ({ip})),
    ports: [
      {name: 'tcp', port: PORT, check: {tcpSocket: {}, periodSeconds: PERIOD_SECONDS, failureThreshold: THRESHOLD}},
    ],
  },
};

const countReady = (events: readonly Seen[]): number =>
  events.at(-1)?.object.subsets?.reduce((sum, {addresses = []}) => sum + addresses.length, 0) ?? 0;

/** By IP: the first event that has it not ready. */
const notReadySince = (events: readonly Seen[]): ReadonlyMap<string, number> => {
  const times = new Map<string, number>();
  for (const {atMs, object} of events)
    for (const {notReadyAddresses = []} of object.subsets ?? [])
      for (const {ip} of notReadyAddresses) if (!times.has(ip)) times.set(ip, atMs);
  return times;
};

const measure = async (dir: string): Promise<void> => {
  await using hub = await Network.open();
  await using others = await Network.open();
  connectNetworks(
    hub,
    SERVER,
    others,
    ips.map(ip => `${ip}/16`),
  );
  for (const host of ips) await others.ask('listen', {host, port: PORT, says: ''});
  const kube = await KubeSide.start(hub, dir, []);
  await kube.apply(group);
  const path = '/api/v1/namespaces/default/endpoints?fieldSelector=metadata.name=web';
  const follow = (name: string): (() => readonly Seen[]) => kube.follow(name, path);
  const start = follow('start');
  await until('all members', async () => countReady(start()) === MEMBERS, LIMIT_MS);
  const follower = follow('follower');
  await until('the watch', async () => follower().length > 0, LIMIT_MS);
  const ended = await Promise.all(
    ips.map(async host => {
      await delay(Math.random() * SPREAD_MS);
      return [host, await others.ask('close', {host, port: PORT})] as const;
    }),
  );
  await until('all of them', async () => notReadySince(follower()).size === MEMBERS, LIMIT_MS);
  const seen = notReadySince(follower());
  const times = ended.map(([ip, atMs]) => (seen.get(ip) ?? Number.NaN) - atMs);
  const print = (name: string, value: number): void =>
    printFigure({name: `member-failure.${name}`, unit: 'ms', value: Math.round(value), n: MEMBERS});
  print('to-not-ready.p50', percentile(times, 0.5));
  print('to-not-ready.p95', percentile(times, 0.95));
  print('to-not-ready.max', Math.max(...times));
  print('to-not-ready.p95-above-period-times-threshold', percentile(times, 0.95) - PERIOD_SECONDS * THRESHOLD * 1_000);
};

if (whyNoNetwork !== '') console.error(`member-failure: skipped: ${whyNoNetwork}`);
else {
  const dir = mkdtempSync(join(tmpdir(), 'palisade-member-failure-'));
  try {
    await measure(dir);
  } finally {
    rmSync(dir, {recursive: true, force: true});
  }
}
