// SPDX-License-Identifier: Apache-2.0
/**
 * Machines with a backend each register themselves in a group that checks them. One is killed, one is cut off, one drains, and the
 * server is killed during all of it: Endpoints, EndpointSlices and DNS follow, and a fourth machine is in them all the time.
 */
import type {ChildProcess} from 'node:child_process';
import {mkdirSync, rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {setTimeout as delay} from 'node:timers/promises';
import {fileURLToPath} from 'node:url';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {peerOrWhyNot} from '../../bench/peers.ts';
import {endBy, until} from '../../bench/processes.ts';
import {PALISADE, type Scratch, scratch} from '../support/palisade.ts';
import {DNS, startCoreDns, ZONE} from './support/coredns.ts';
import {type Followed, KubeSide, START_MS} from './support/kube-side.ts';
import {HUB, Lan, type Machine} from './support/lan.ts';
import {service} from './support/manifests.ts';
import {whyNoNetwork, whyNotWithin} from './support/network.ts';

const coredns = peerOrWhyNot('coredns');
const whyNoDns = coredns.whyNot || (whyNotWithin('dig', '-v') && 'no dig, Debian: bind9-dnsutils');
const whyNoSwitch =
  whyNoNetwork || (whyNotWithin('ip', 'link', 'add', 'x', 'type', 'bridge') && 'ip cannot add a bridge');
const skipReason =
  whyNoSwitch === '' ? (whyNoDns === '' ? '' : ` (dig skipped: ${whyNoDns})`) : ` (skipped: ${whyNoSwitch})`;

const BACKEND = fileURLToPath(new URL('./support/backend.ts', import.meta.url));
const PORT = 8080;
const PERIOD_MS = 1_000;
const THRESHOLD = 2;
const TIMEOUT_MS = 1_000;
const TTL_MS = 10_000;
/** The clock of leases ticks once a second. */
const STEP_MS = 1_000;
/** On top of what is documented, for a machine that is busy with other tests. */
const SLACK_MS = 10_000;
/** Until a member whose checks fail is not ready. */
const NOT_READY_MS = PERIOD_MS * THRESHOLD + TIMEOUT_MS;
/** Until a member that does not renew its Lease is out. */
const OUT_MS = TTL_MS + STEP_MS;
const DRAIN = '2s';
const BETWEEN_QUERIES_MS = 20;
/** A server that was killed counts its start as a renewal. */
const START_SLACK_MS = 30_000;
const NAMES = ['m1', 'm2', 'm3', 'm4'] as const;
type Name = (typeof NAMES)[number];
const IPS: Readonly<Record<Name, string>> = {m1: '192.0.2.11', m2: '192.0.2.12', m3: '192.0.2.13', m4: '192.0.2.14'};
/** Nothing happens to this machine: nobody may ever miss it. */
const WITNESS = 'm4';
const GROUP = {
  apiVersion: 'platform.io/v1alpha1',
  kind: 'EndpointGroup',
  metadata: {name: 'web', namespace: 'default'},
  spec: {
    selector: {matchLabels: {'platform.io/group': 'web'}},
    ports: [
      {
        name: 'http',
        port: PORT,
        check: {
          httpGet: {path: '/healthz'},
          periodSeconds: PERIOD_MS / 1_000,
          failureThreshold: THRESHOLD,
          timeoutSeconds: TIMEOUT_MS / 1_000,
        },
      },
    ],
  },
};
const MACHINE_RULES = [
  {
    apiGroups: ['platform.io'],
    resources: ['endpointregistrations'],
    verbs: ['create', 'get', 'update', 'patch', 'delete'],
  },
  {apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['create', 'get', 'update', 'patch', 'delete']},
];

/** How a machine is in the set. */
type Place = 'ready' | 'not ready' | 'out';
type Model = Readonly<Record<Name, Place>>;
type Subset = {
  readonly addresses?: readonly {readonly ip: string}[];
  readonly notReadyAddresses?: readonly {readonly ip: string}[];
  readonly ports?: readonly {readonly name?: string; readonly port: number}[];
};
type Endpoints = {readonly subsets?: readonly Subset[]};

const modelOf = (isReady: (ip: string) => boolean | undefined): Model =>
  Object.fromEntries(
    NAMES.map(name => {
      const ready = isReady(IPS[name]);
      return [name, ready === undefined ? 'out' : ready ? 'ready' : 'not ready'];
    }),
  ) as Model;

const ofEndpoints = ({subsets = []}: Endpoints): Model => {
  const has = (ip: string, field: 'addresses' | 'notReadyAddresses'): boolean =>
    subsets.some(subset => subset[field]?.some(address => address.ip === ip) === true);
  return modelOf(ip => (has(ip, 'addresses') ? true : has(ip, 'notReadyAddresses') ? false : undefined));
};

type Slice = {
  readonly endpoints?: readonly {
    readonly addresses: readonly string[];
    readonly conditions: {readonly ready?: boolean};
  }[];
};
const ofSlices = (slices: readonly Slice[]): Model => {
  const all = slices.flatMap(({endpoints = []}) => endpoints);
  return modelOf(ip => all.find(({addresses}) => addresses.includes(ip))?.conditions.ready);
};

const readyIps = (model: Model): string[] => NAMES.filter(name => model[name] === 'ready').map(name => IPS[name]);

/** A machine with its two processes: the backend, and `palisade register`. */
class Station {
  readonly machine: Machine;
  readonly #dir: string;
  readonly #kubeconfig: string;
  readonly #healthy: string;
  #starts = 0;
  #backend: ChildProcess | undefined;
  #register: ChildProcess | undefined;

  constructor(machine: Machine, dir: string, kubeconfig: string) {
    this.machine = machine;
    this.#dir = join(dir, machine.name);
    this.#kubeconfig = kubeconfig;
    this.#healthy = join(this.#dir, 'healthy');
    mkdirSync(this.#dir);
  }

  async start(): Promise<void> {
    const {network, ip} = this.machine;
    this.isHealthy(true);
    const backend = network.start(`backend-${++this.#starts}`, this.#dir, process.execPath, [
      BACKEND,
      ip,
      String(PORT),
      this.#healthy,
    ]);
    await until('the backend', async () => backend.log().includes('ready'), START_MS);
    this.#backend = backend.child;
    this.startRegister();
  }

  startRegister(): void {
    const {network, name} = this.machine;
    const flags = ['--group', 'web', '--name', `web-${name}`, '--port', `http=${PORT}`, '--ttl', `${TTL_MS / 1_000}s`];
    const command = [`KUBECONFIG=${this.#kubeconfig}`, PALISADE, 'register', ...flags, '--drain', DRAIN];
    this.#register = network.start(`register-${++this.#starts}`, this.#dir, 'env', command).child;
  }

  /** Whether its check passes from now on. */
  isHealthy(healthy: boolean): void {
    if (healthy) writeFileSync(this.#healthy, '');
    else rmSync(this.#healthy);
  }

  /** As by a power cut. */
  async kill(): Promise<void> {
    await Promise.all([end(this.#backend, 'SIGKILL'), end(this.#register, 'SIGKILL')]);
  }

  /** As by `systemctl stop`: resolves to the exit code. */
  stop(): Promise<number | null> {
    return end(this.#register, 'SIGTERM');
  }
}

const end = async (child: ChildProcess | undefined, signal: NodeJS.Signals): Promise<number | null> =>
  child === undefined ? null : endBy(child, signal);

describe.skipIf(whyNoSwitch !== '')(`46-6 machines that come and go${skipReason}`, () => {
  let folder: Scratch;
  let lan: Lan;
  let kube: KubeSide;
  let followed: () => readonly Followed<Endpoints>[];
  let stations: Readonly<Record<Name, Station>>;

  beforeAll(async () => {
    folder = scratch();
    lan = await Lan.open();
    kube = await KubeSide.start(lan.hub, folder.dir, ['coredns', ...NAMES], {host: HUB});
    for (const name of NAMES) await kube.allow(name, MACHINE_RULES);
    await kube.apply(service('web', {clusterIP: 'None', ports: [{name: 'http', port: PORT}]}));
    await kube.apply(GROUP);
    if (whyNoDns === '') await startCoreDns(lan.hub, kube, folder.dir, coredns.path);
    followed = kube.follow('follower', '/api/v1/namespaces/default/endpoints?fieldSelector=metadata.name=web');
    const made = NAMES.map(async name => {
      const machine = await lan.add(name, IPS[name]);
      return [name, new Station(machine, folder.dir, kube.kubeconfig(name))] as const;
    });
    stations = Object.fromEntries(await Promise.all(made)) as Record<Name, Station>;
  }, START_MS);
  afterAll(async () => {
    await lan?.[Symbol.asyncDispose]();
    folder?.[Symbol.dispose]();
  });

  /** What the watcher of the Endpoints saw since then. */
  const seen = (sinceMs = 0): readonly {readonly atMs: number; readonly model: Model}[] =>
    followed()
      .filter(({atMs}) => atMs >= sinceMs)
      .map(({atMs, object}) => ({atMs, model: ofEndpoints(object)}));

  const slices = async (): Promise<Model> => {
    const path =
      '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices?labelSelector=kubernetes.io/service-name=web';
    const {items} = (await kube.request('GET', path)) as {items: readonly Slice[]};
    return ofSlices(items);
  };
  const dig = (): string[] => {
    const answer = lan.hub.run('dig', '@127.0.0.1', '+short', `web.default.svc.${ZONE}`, 'A').trim();
    return answer === '' ? [] : answer.split('\n').toSorted();
  };

  /** Endpoints, slices and DNS say the same in the end. */
  const becomes = async (model: Model): Promise<void> => {
    await expect.poll(() => seen().at(-1)?.model, {interval: 20}).toEqual(model);
    await expect.poll(slices, {interval: 50}).toEqual(model);
    if (whyNoDns === '') await expect.poll(dig, {interval: 50}).toEqual(readyIps(model));
  };

  /** One place after the other, as the watcher saw them; the time at which the last one came, since `fromMs`. */
  const placesOf = (name: Name, fromMs: number): readonly Place[] =>
    seen(fromMs)
      .map(({model}) => model[name])
      .filter((place, at, all) => place !== all[at - 1]);
  const tookMs = (name: Name, place: Place, fromMs: number): number =>
    (seen(fromMs).find(({model}) => model[name] === place)?.atMs ?? Number.POSITIVE_INFINITY) - fromMs;

  /** Answers of DNS that lack the machine, until the end. */
  const missesOf = (name: Name): {end(): Promise<readonly unknown[]>} => {
    let isEnded = whyNoDns !== '';
    const ask = async (): Promise<readonly unknown[]> => {
      const misses: unknown[] = [];
      while (!isEnded) {
        const found = await lan.hub.ask('resolve', {server: DNS, type: 'A', name: `web.default.svc.${ZONE}`});
        if (found !== 'ETIMEOUT' && !(Array.isArray(found) && found.includes(IPS[name]))) misses.push(found);
        await delay(BETWEEN_QUERIES_MS);
      }
      return misses;
    };
    const asked = ask();
    return {
      end: () => {
        isEnded = true;
        return asked;
      },
    };
  };

  const ALL: Model = {m1: 'ready', m2: 'ready', m3: 'ready', m4: 'ready'};

  test('machines that register are in the set when their checks pass', async () => {
    for (const name of NAMES) await stations[name].start();
    await becomes(ALL);
    for (const name of NAMES)
      expect(placesOf(name, 0).filter(place => place !== 'out')).toEqual(['not ready', 'ready']);
  });

  test('a service that fails its check is not ready while its machine renews, and comes back', async () => {
    const fromMs = Date.now();
    stations.m1.isHealthy(false);
    await becomes({...ALL, m1: 'not ready'});
    expect(tookMs('m1', 'not ready', fromMs)).toBeLessThan(NOT_READY_MS + SLACK_MS);
    stations.m1.isHealthy(true);
    await becomes(ALL);
    expect(placesOf('m1', fromMs)).toEqual(['not ready', 'ready']);
  });

  test('a machine that is killed is not ready when its checks fail, and out when its Lease ends', async () => {
    const fromMs = Date.now();
    await stations.m1.kill();
    await becomes({...ALL, m1: 'not ready'});
    expect(tookMs('m1', 'not ready', fromMs)).toBeLessThan(NOT_READY_MS + SLACK_MS);
    await becomes({...ALL, m1: 'out'});
    expect(tookMs('m1', 'out', fromMs)).toBeLessThan(OUT_MS + SLACK_MS);
    await stations.m1.start();
    await becomes(ALL);
  });

  test('a machine that is cut off leaves likewise, and comes back when its cable does', async () => {
    const fromMs = Date.now();
    stations.m2.machine.cut();
    await becomes({...ALL, m2: 'not ready'});
    expect(tookMs('m2', 'not ready', fromMs)).toBeLessThan(NOT_READY_MS + SLACK_MS);
    await becomes({...ALL, m2: 'out'});
    expect(tookMs('m2', 'out', fromMs)).toBeLessThan(OUT_MS + SLACK_MS);
    stations.m2.machine.mend();
    await becomes(ALL);
    expect(placesOf('m2', fromMs)).toEqual(['not ready', 'out', 'not ready', 'ready']);
  });

  test('a machine that drains is not ready at once, and out when it has ended', async () => {
    const fromMs = Date.now();
    const end = stations.m3.stop();
    await becomes({...ALL, m3: 'not ready'});
    expect(tookMs('m3', 'not ready', fromMs)).toBeLessThan(SLACK_MS);
    await becomes({...ALL, m3: 'out'});
    expect(await end).toBe(0);
    expect(placesOf('m3', fromMs)).toEqual(['not ready', 'out']);
    stations.m3.startRegister();
    await becomes(ALL);
  });

  test('all of it at once while the server is killed, too: nobody else is missed, and the end is the same', async () => {
    const fromMs = Date.now();
    const misses = missesOf(WITNESS);
    stations.m2.machine.cut();
    const others = [stations.m1.kill(), stations.m3.stop()];
    await kube.kill();
    await kube.serve();
    await becomes({m1: 'out', m2: 'out', m3: 'out', m4: 'ready'});
    stations.m2.machine.mend();
    await becomes({m1: 'out', m2: 'ready', m3: 'out', m4: 'ready'});
    expect(await Promise.all(others)).toEqual([undefined, 0]);
    for (const name of ['m1', 'm3'] as const) expect(placesOf(name, fromMs).slice(1)).not.toContain('ready');
    expect(await misses.end()).toEqual([]);
    expect(placesOf(WITNESS, fromMs)).toEqual(['ready']);
    expect(tookMs('m1', 'out', fromMs)).toBeLessThan(OUT_MS + START_SLACK_MS);
  });
});
