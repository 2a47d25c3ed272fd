// SPDX-License-Identifier: Apache-2.0
/** The two that are compared: bare Suricata on a link, and `palisade serve` with an endpoint. What they cost, and what they decoded. */
import {type ChildProcess, spawn} from 'node:child_process';
import {cpSync, mkdirSync, openSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync} from 'node:fs';
import {join, resolve} from 'node:path';
import {setTimeout as delay} from 'node:timers/promises';
import {sendCommand} from '@palisade/sensor/testing';
import {end, until} from '../processes.ts';

const CLOCK_TICKS_PER_SECOND = 100;
const COMMAND_MS = 10_000;
const START_MS = 120_000;
const PARENT = 'projects/bench/locations/local';

const timers = {
  after: (ms: number, action: () => void) => {
    const timer = setTimeout(action, ms);
    return {cancel: () => clearTimeout(timer)};
  },
};

const fieldsOf = (pid: string): string[] => {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
};

/** A process and everything below it. */
export const familyOf = (root: number): string[] => {
  const parents = new Map<string, string>();
  for (const pid of readdirSync('/proc').filter(name => /^\d+$/.test(name)))
    try {
      parents.set(pid, fieldsOf(pid)[1] ?? '');
    } catch {
      // ended meanwhile
    }
  const family = [String(root)];
  for (const parent of family) for (const [pid, of] of parents) if (of === parent) family.push(pid);
  return family;
};

/** User and system time so far, in microseconds. */
const cpuOf = (pids: readonly string[]): number => {
  let ticks = 0;
  for (const pid of pids) {
    const fields = fieldsOf(pid);
    ticks += Number(fields[11]) + Number(fields[12]);
  }
  return (ticks * 1_000_000) / CLOCK_TICKS_PER_SECOND;
};

export type Engine = {
  /** Of all its processes so far, in microseconds; `suricata`: of that one alone. */
  readonly cpu: () => {readonly all: number; readonly suricata: number};
  /** Frames of the traffic that Suricata has decoded, as it last counted. */
  readonly decoded: () => Promise<number>;
  readonly dropped: () => Promise<number>;
  readonly close: () => Promise<void>;
};

type Counters = {
  readonly decoder?: {readonly pkts?: number; readonly unknown_ethertype?: number};
  readonly capture?: {readonly kernel_drops?: number};
};
/** Suricata refuses until its threads have reported for the first time, some seconds after its start. */
const countersOf = async (folder: string): Promise<Counters> => {
  let counters: Counters = {};
  const ask = async (): Promise<boolean> => {
    counters = (await sendCommand(folder, {command: 'dump-counters'}, timers, COMMAND_MS)) as Counters;
    return true;
  };
  await until('the counters of Suricata', ask, START_MS);
  return counters;
};
/** The relay keeps packet time going by frames of an unknown type. */
const decodedIn = async (folder: string): Promise<number> => {
  const {decoder} = await countersOf(folder);
  return (decoder?.pkts ?? 0) - (decoder?.unknown_ethertype ?? 0);
};
const droppedIn = async (folder: string): Promise<number> => (await countersOf(folder)).capture?.kernel_drops ?? 0;

export type Product = Engine & {
  readonly endpoint: (id: string) => Promise<{readonly ip: string; readonly vni: number; readonly pid: number}>;
  readonly health: (id: string) => Promise<Record<string, unknown>>;
  /** Resident and proportional size of all processes, in MiB. */
  readonly memory: () => {readonly rss: number; readonly pss: number};
  readonly reload: () => void;
  /** When the first endpoint's Suricata loaded the rules that it has, in its words. */
  readonly rulesLoadedAt: () => Promise<string>;
  /** Where the endpoint's Suricata works. */
  readonly folder: (id: string) => Promise<string>;
};

export type ProductOptions = {
  /** Its data and log; made if absent. */
  readonly dir: string;
  readonly driver: string;
  readonly pool: string;
  readonly link: string;
  /** A rule file; undefined: the bundled rules. */
  readonly rules?: string | undefined;
};

export class DriverMissing extends Error {
  override readonly name = 'DriverMissing';
}

type Ready = {readonly pid: number; readonly http: string};

const startServer = async ({dir, driver, pool, link, rules}: ProductOptions): Promise<[ChildProcess, Ready]> => {
  mkdirSync(dir, {recursive: true});
  const log = join(dir, 'log');
  const flags = [
    ...['--data', join(dir, 'data'), '--http', '127.0.0.1:0', '--auth', 'none', '--apis', 'ids'],
    ...['--driver', driver, '--endpoint-pool', pool, '--log-level', 'warn'],
    ...(driver === 'afpacket-bpf' ? ['--capture-interface', link] : []),
    ...(rules === undefined ? [] : ['--rules', rules]),
  ];
  const child = spawn(resolve('node_modules/.bin/palisade'), ['serve', ...flags], {
    stdio: ['ignore', openSync(join(dir, 'ready'), 'w'), openSync(log, 'w')],
  });
  const text = (): string => readFileSync(join(dir, 'ready'), 'utf8');
  await until('palisade', async () => text().includes('"ready":true') || child.exitCode !== null, START_MS);
  if (child.exitCode === null) return [child, JSON.parse(text()) as Ready];
  const words = readFileSync(log, 'utf8').trim();
  if (/--driver|capture driver/.test(words)) throw new DriverMissing(words.split('\n').at(-1) ?? words);
  throw new Error(`palisade serve ended: ${words}`);
};

export const openProduct = async (options: ProductOptions): Promise<Product> => {
  const [child, {pid, http}] = await startServer(options);
  const ask = async (path: string, body?: object): Promise<Record<string, unknown>> => {
    const init = body === undefined ? {} : {method: 'POST', body: JSON.stringify(body)};
    const answer = await fetch(`${http}/v1/${path}`, {...init, headers: {'content-type': 'application/json'}});
    const value = (await answer.json()) as Record<string, unknown>;
    if (!answer.ok || value['error'] !== undefined) throw new Error(`${path}: ${JSON.stringify(value)}`);
    return value;
  };
  const health = (id: string): Promise<Record<string, unknown>> => ask(`${PARENT}/endpoints/${id}/health`);
  /** Of each endpoint: the folder of its Suricata, which stays. */
  const folders = new Map<string, string>();
  const folder = async (id: string): Promise<string> => {
    const known = folders.get(id) ?? readlinkSync(`/proc/${(await health(id))['pid']}/cwd`);
    folders.set(id, known);
    return known;
  };
  let suricata: string | undefined;
  const kib = (name: string, at: string, text: (at: string) => string): number =>
    Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text(at))?.[1] ?? 0) / 1024;
  const read = (path: string): string => readFileSync(path, 'utf8');
  return {
    cpu: () => ({all: cpuOf(familyOf(pid)), suricata: suricata === undefined ? 0 : cpuOf([suricata])}),
    decoded: async () => decodedIn(await folder('e1')),
    dropped: async () => droppedIn(await folder('e1')),
    endpoint: async id => {
      await ask(`${PARENT}/endpoints?endpointId=${id}`, {network: 'net', severity: 'INFORMATIONAL'});
      // The sensor is ready a moment before the endpoint is, which then shows its address.
      const isUp = ({state, status}: Record<string, unknown>): boolean => state === 'READY' && status === 'READY';
      await until(`endpoint ${id}`, async () => isUp(await health(id)), START_MS);
      const {endpointIp} = await ask(`${PARENT}/endpoints/${id}`);
      if (typeof endpointIp !== 'string') throw new Error(`endpoint ${id} is READY and shows no address`);
      const state = await health(id);
      if (id === 'e1') suricata = String(state['pid']);
      return {ip: endpointIp, vni: Number(state['vni']), pid: Number(state['pid'])};
    },
    health,
    memory: () => {
      const pids = familyOf(pid);
      const sum = (of: (pid: string) => number): number => pids.reduce((total, each) => total + of(each), 0);
      return {
        rss: sum(each => kib('VmRSS', `/proc/${each}/status`, read)),
        pss: sum(each => kib('Pss', `/proc/${each}/smaps_rollup`, read)),
      };
    },
    rulesLoadedAt: async () =>
      JSON.stringify(await sendCommand(await folder('e1'), {command: 'ruleset-reload-time'}, timers, COMMAND_MS)),
    reload: () => void process.kill(pid, 'SIGHUP'),
    folder,
    close: () => end(child),
  };
};

/** The capture section of the kernel drivers, for the bare one. */
const afPacket = (link: string): string => `af-packet:
  - interface: ${link}
    threads: 1
    cluster-id: 61000
    cluster-type: cluster_flow
    defrag: yes
    use-mmap: yes
    tpacket-v3: yes
    ring-size: 2048
    block-size: 262144
    checksum-checks: no
    disable-promisc: yes
capture: {disable-offloading: false, checksum-validation: none}
`;

/** With the configuration and the rules of an endpoint's Suricata, reading a link. */
export const openBare = async (dir: string, like: string, link: string): Promise<Engine> => {
  rmSync(dir, {recursive: true, force: true});
  mkdirSync(dir, {recursive: true});
  for (const name of readdirSync(like))
    if (/\.(rules|yaml|config|lst|list)$/.test(name)) cpSync(join(like, name), join(dir, name));
  const config = readFileSync(join(dir, 'suricata.yaml'), 'utf8');
  const others = config.replace(/^(?:af-packet|capture):.*\n(?:[ -].*\n)*/gm, '');
  writeFileSync(join(dir, 'suricata.yaml'), `${others}\n${afPacket(link)}`);
  const log = join(dir, 'log');
  const output = openSync(log, 'w');
  const args = ['-c', 'suricata.yaml', '-l', '.', '--af-packet', '--runmode', 'workers'];
  const child = spawn('suricata', args, {cwd: dir, stdio: ['ignore', output, output]});
  await until('bare Suricata', async () => readFileSync(log, 'utf8').includes('Engine started'), START_MS);
  return {
    cpu: () => {
      const all = cpuOf([String(child.pid)]);
      return {all, suricata: all};
    },
    decoded: () => decodedIn(dir),
    dropped: () => droppedIn(dir),
    close: () => end(child),
  };
};

/** Until the counters of `engine` say `wanted`, or stand still. Suricata sums them up every 3 s. */
export const settled = async (engine: Engine, wanted: number): Promise<number> => {
  let last = await engine.decoded();
  let still = 0;
  while (last < wanted && still < 20) {
    await delay(500);
    const now = await engine.decoded();
    still = now === last ? still + 1 : 0;
    last = now;
  }
  return last;
};
