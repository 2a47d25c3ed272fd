// SPDX-License-Identifier: Apache-2.0
/**
 * Search over 5,000,000 threat records of 30 days by a real `palisade serve`: pages in time order, by CIDR block and by filters, sums by time
 * and group, and the memory of the server. A child process fills the files of the store beforehand.
 *
 *   node bench/record-search.bench.ts [RECORDS] [CASE …]     such as 1000000 page filter
 */
import {spawnSync} from 'node:child_process';
import {mkdirSync, mkdtempSync, readFileSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join, resolve} from 'node:path';
import {fileURLToPath} from 'node:url';
import {formatMicros, type Severity, type ThreatRecord} from '@palisade/ids-wire';
import {RecordFiles} from '../packages/ids/src/testing/record-files.ts';
import {median, percentile, printFigure} from './figures.ts';
import {cpuMs, end, rssMiB, start, until} from './processes.ts';

const RECORDS = Number(process.argv.find(word => /^\d+$/.test(word)) ?? 5_000_000);
const RECORDS_PER_FILE = 50_000;
const DAYS = 30;
const DAY_MS = 86_400_000;
const ROUNDS = 3;
const REQUESTS = 40;
const START_MS = 300_000;
const ALL = 'projects/-/locations/-/endpoints/-';

/** Numbers that look random and are the same in each run. Ref: mulberry32. */
const randomOf = (seed: number) => {
  let state = seed;
  return (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
};

const SEVERITIES: readonly (readonly [share: number, severity: Severity])[] = [
  [0.5, 'INFORMATIONAL'],
  [0.75, 'LOW'],
  [0.9, 'MEDIUM'],
  [0.98, 'HIGH'],
  [1, 'CRITICAL'],
];
const APPLICATIONS = ['http', 'tls', 'dns', 'ssh', 'smb', 'unknown'];

const address = (first: string, number: number): string =>
  `${first}.${(number >>> 16) & 255}.${(number >>> 8) & 255}.${number & 255}`;

const fill = (folder: string, nowMs: number): void => {
  mkdirSync(folder, {recursive: true, mode: 0o700});
  const random = randomOf(44);
  /** Few are frequent, as in real life. */
  const skewed = (count: number): number => Math.floor(count * random() ** 3);
  const files = new RecordFiles(folder, RECORDS_PER_FILE);
  const stepMicros = (DAYS * DAY_MS * 1000) / RECORDS;
  for (let i = 0; i < RECORDS; i++) {
    const at = Math.floor((nowMs - DAYS * DAY_MS) * 1000 + (i + random()) * stepMicros);
    const threat = skewed(3_000);
    const share = ((threat * 7_919) % 1_000) / 1_000;
    const severity = SEVERITIES.find(([until]) => share < until)?.[1] ?? 'LOW';
    const isInside = random() < 0.6;
    const source = isInside
      ? address('10', skewed(200_000))
      : address(String(20 + skewed(180)), Math.floor(random() * 16_777_216));
    const endpoint = `projects/bench/locations/local/endpoints/e${skewed(4)}`;
    const record: ThreatRecord = {
      threat_id: `1:${2_000_000 + threat}`,
      name: `ET EXPLOIT Possible exploitation of a weakness with the number ${threat}`,
      alert_severity: severity,
      type: 'vulnerability',
      category: 'code-execution',
      alert_time: `${formatMicros(at).slice(0, 19)}Z`,
      network: 'projects/bench/global/networks/default',
      source_ip_address: source,
      destination_ip_address: address('10', 1_000_000 + skewed(500)),
      source_port: String(1_024 + Math.floor(random() * 60_000)),
      destination_port: '443',
      ip_protocol: 'tcp',
      application: APPLICATIONS[skewed(APPLICATIONS.length)] ?? 'http',
      direction: 'client-to-server',
      session_id: String(1_000_000_000_000 + i),
      repeat_count: String(1 + skewed(20)),
      uri_or_filename: `/shop/items/${i % 10_007}?q=%27+OR+1%3D1`,
      details: `A request matched the rule ${threat}: the content of the body looks like an attack on the service behind it.`,
      endpoint,
      event_time: formatMicros(at),
      rule_revision: '3',
      rule_priority: '1',
      community_id: `1:${String(i).padStart(27, 'A')}=`,
    };
    files.add({kind: 'threats', endpoint, event: `3f2a9c11-${i * 900}`, record, written: 1 + Math.floor(i / 500)});
    if (i % 500_000 === 0) console.error(`bench: record-search: ${i} records written`);
  }
  files.close();
};

type Json = {readonly [key: string]: unknown};
type Server = {readonly url: string; readonly pid: number; readonly close: () => Promise<void>};

const open = async (folder: string): Promise<Server> => {
  const log = join(folder, 'log');
  const budget = ['--threats-bytes', '64GiB', '--threats-age', '365d'];
  const child = start(
    'palisade',
    resolve('node_modules/.bin/palisade'),
    [
      ...['serve', '--data', join(folder, 'data'), '--http', '127.0.0.1:0', '--auth', 'none', '--apis', 'ids'],
      ...['--log-level', 'error', '--locations', 'cold', ...budget],
    ],
    log,
  );
  let url = '';
  const ready = async (): Promise<boolean> => {
    const text = readFileSync(log, 'utf8');
    const line = /^\{"ready":true.*$/m.exec(text)?.[0];
    if (line === undefined && child.exitCode !== null) throw new Error(text);
    url = line === undefined ? '' : (JSON.parse(line) as {http: string}).http;
    return url !== '';
  };
  await until('palisade serve', ready, START_MS);
  return {url, pid: child.pid ?? 0, close: () => end(child)};
};

const ask = async (server: Server, path: string, query: Record<string, string>): Promise<Json> => {
  const response = await fetch(`${server.url}/v1/${ALL}/${path}?${new URLSearchParams(query)}`);
  const body = (await response.json()) as Json;
  if (response.status !== 200) throw new Error(JSON.stringify(body));
  return body;
};

type Case = {
  readonly name: string;
  readonly path: string;
  readonly query: () => Record<string, string>;
  readonly requests?: number;
};

const casesOf = (nowMs: number): readonly Case[] => {
  const random = randomOf(7);
  const time = (): string => new Date(nowMs - random() * DAYS * DAY_MS).toISOString();
  const page = {pageSize: '50'};
  return [
    {name: 'page.oldest', path: 'threats', query: () => ({...page, since: time()})},
    {name: 'page.newest', path: 'threats', query: () => ({...page, orderBy: 'event_time desc', until: time()})},
    {
      name: 'page.critical',
      path: 'threats',
      query: () => ({...page, filter: 'alert_severity>=HIGH', orderBy: 'event_time desc', until: time()}),
    },
    {
      name: 'filter.cidr',
      path: 'threats',
      query: () => ({...page, filter: `source_ip_address="${address('10', Math.floor(random() * 200_000))}/24"`}),
    },
    {
      name: 'filter.cidr-rare',
      path: 'threats',
      query: () => ({
        ...page,
        filter: `source_ip_address="${20 + Math.floor(random() * 180)}.${Math.floor(random() * 256)}.7.0/24"`,
        orderBy: 'event_time desc',
      }),
    },
    {
      name: 'filter.cidr-wide',
      path: 'threats',
      query: () => ({...page, filter: 'source_ip_address="10.0.0.0/8"', orderBy: 'event_time desc', until: time()}),
    },
    {
      name: 'filter.threat',
      path: 'threats',
      query: () => ({...page, filter: `threat_id="1:${2_000_000 + Math.floor(random() * 3_000)}"`}),
    },
    {name: 'histogram.1h', path: 'threats:aggregate', query: () => ({histogram: '1h'}), requests: 5},
    {
      name: 'histogram.cidr',
      path: 'threats:aggregate',
      query: () => ({histogram: '1h', filter: 'source_ip_address="10.0.7.0/24"'}),
      requests: 3,
    },
    {name: 'group.threat', path: 'threats:aggregate', query: () => ({groupBy: 'threat'}), requests: 1},
    {name: 'group.source', path: 'threats:aggregate', query: () => ({groupBy: 'source'}), requests: 1},
    {name: 'text.rare', path: 'threats', query: () => ({...page, filter: '"no such text"'}), requests: 1},
    {name: 'order.repeat', path: 'threats', query: () => ({...page, orderBy: 'repeat_count desc'}), requests: 1},
  ];
};

const measure = async (server: Server, nowMs: number): Promise<void> => {
  const times = new Map<string, number[]>();
  const highest = new Map<string, number>();
  const cpu = new Map<string, number[]>();
  const wanted = process.argv.slice(2).filter(word => /^[a-z]/.test(word));
  const cases = casesOf(nowMs).filter(({name}) => wanted.length === 0 || wanted.some(word => name.startsWith(word)));
  for (let round = 0; round < ROUNDS; round++)
    for (const {name, path, query, requests = REQUESTS} of cases) {
      const of: number[] = [];
      const cpuBegan = cpuMs(server.pid);
      for (let n = 0; n < requests; n++) {
        const began = performance.now();
        await ask(server, path, query());
        of.push(performance.now() - began);
      }
      cpu.set(name, [...(cpu.get(name) ?? []), (cpuMs(server.pid) - cpuBegan) / requests]);
      times.set(name, [...(times.get(name) ?? []), percentile(of, 0.95)]);
      highest.set(name, Math.max(highest.get(name) ?? 0, rssMiB(server.pid)));
    }
  const rounded = (value: number): number => Math.round(value * 10) / 10;
  for (const [name, of] of times) {
    printFigure({name: `record-search.${name}.p95`, unit: 'ms', value: rounded(median(of)), n: RECORDS});
    printFigure({
      name: `record-search.${name}.cpu`,
      unit: 'ms',
      value: rounded(median(cpu.get(name) ?? [])),
      n: RECORDS,
    });
    console.error(`bench: record-search: ${name}: rounds ${of.map(rounded).join(', ')} ms`);
  }
  for (const [name, rss] of highest) console.error(`bench: record-search: RSS after ${name}: ${rounded(rss)} MiB`);
  printFigure({name: 'record-search.rss', unit: 'MiB', value: rounded(Math.max(...highest.values())), n: RECORDS});
};

const run = async (): Promise<void> => {
  const kept = process.env['PALISADE_BENCH_RECORDS'];
  const folder = kept ?? mkdtempSync(join(tmpdir(), 'palisade-records-'));
  const nowMs = kept === undefined ? Date.now() : Number(readNow(folder));
  try {
    if (kept === undefined) {
      const words = [fileURLToPath(import.meta.url), String(RECORDS), '--fill', folder, `--now=${nowMs}`];
      const filled = spawnSync(process.execPath, words, {stdio: 'inherit'});
      if (filled.status !== 0) throw new Error('the records could not be written');
    }
    const server = await open(folder);
    try {
      await measure(server, nowMs);
    } finally {
      await server.close();
    }
  } finally {
    if (kept === undefined) rmSync(folder, {recursive: true, force: true});
  }
};

/** When a folder that was kept was filled. */
const readNow = (folder: string): string => readFileSync(join(folder, 'now'), 'utf8');

const at = process.argv.indexOf('--fill');
if (at > 0) {
  const now = Number(process.argv.find(word => word.startsWith('--now='))?.slice(6) ?? Date.now());
  fill(join(process.argv[at + 1] ?? '', 'data', 'records'), now);
} else await run();
