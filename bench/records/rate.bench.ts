// SPDX-License-Identifier: Apache-2.0
/**
 * How fast a server stores records while its API answers: alert lines of distinct sources, each a record, are appended to the event file of
 * an endpoint faster than they can be stored; meanwhile one client reads pages of threats and another one /livez. With evidence and without.
 * Aim: 20,000 records/s or more. Runs itself again in a network namespace of its own: needs root and Suricata, otherwise says so.
 */
import {execFileSync, spawnSync} from 'node:child_process';
import {appendFile} from 'node:fs/promises';
import {loadavg} from 'node:os';
import {setTimeout as delay} from 'node:timers/promises';
import {fileURLToPath} from 'node:url';
import {median, percentile, printFigure} from '../figures.ts';
import {cpuMs, rssMiB} from '../processes.ts';
import {ALERT_PORT, ALERT_WORD, type AlertServer, openAlertServer} from './server.ts';

const SELF = fileURLToPath(import.meta.url);
const ROUNDS = 3;
const RECORDS = 100_000;
const CHUNK = 2_000;
const LIMIT_MS = 300_000;
const PAUSE_MS = 20;
const POLL_MS = 100;
/** Not so old that retention takes it. */
const FIRST_MS = Date.now() - 24 * 3_600_000;
/** Of packet time, from the first alert of a round to the next round's. */
const ROUND_MS = 3_600_000;

const stamp = (micros: number): string =>
  `${new Date(Math.floor(micros / 1000)).toISOString().slice(0, 23)}${String(micros % 1000).padStart(3, '0')}+0000`;
const payload = Buffer.from(ALERT_WORD).toString('base64');
const packet = Buffer.alloc(60, ALERT_WORD).toString('base64');

/** As Suricata 7 writes it with `--evidence payload`. */
const lineOf = (number: number, micros: number): string => {
  const [time, source] = [stamp(micros), `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`];
  const ends = {src_ip: source, src_port: 40_000, dest_ip: '192.0.2.1', dest_port: ALERT_PORT};
  const alert = {
    ...{action: 'allowed', gid: 1, signature_id: 1, rev: 1, signature: 'BENCH alert'},
    ...{category: 'Attempted Administrator Privilege Gain', severity: 1},
  };
  const counts = {pkts_toserver: 1, pkts_toclient: 0, bytes_toserver: 60, bytes_toclient: 0, start: time};
  const rest = {payload, stream: 0, packet, packet_info: {linktype: 1}};
  const event = {timestamp: time, flow_id: 10_000_000_000 + number, event_type: 'alert', ...ends, proto: 'UDP'};
  const ids = {pkt_src: 'wire/pcap', community_id: '1:FnsWAOogA4vys/uPss+o6NxjSE0='};
  return `${JSON.stringify({...event, ...ids, alert, app_proto: 'failed', direction: 'to_server', flow: counts, ...rest})}\n`;
};

/** How long requests took, one after the other until it is stopped. */
const asking = (url: string): {readonly stop: () => Promise<readonly number[]>} => {
  const times: number[] = [];
  let stopped = false;
  const done = (async () => {
    while (!stopped) {
      const from = performance.now();
      const response = await fetch(url);
      if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
      await response.arrayBuffer();
      times.push(performance.now() - from);
      await delay(PAUSE_MS);
    }
    return times;
  })();
  done.catch(() => undefined); // reported by `stop`
  return {
    stop: () => {
      stopped = true;
      return done;
    },
  };
};

/** Records that are on disk. */
const stored = async ({url}: AlertServer): Promise<number> => {
  const response = await fetch(`${url}/health`);
  return ((await response.json()) as {records: {threats: number}}).records.threats;
};

type Round = {
  readonly perSecond: number;
  readonly page: number;
  readonly livez: number;
  readonly rss: number;
  readonly cpu: number;
};

const roundOf = async (server: AlertServer, number: number): Promise<Round> => {
  const beginMs = FIRST_MS + number * ROUND_MS;
  const chunks = Array.from({length: RECORDS / CHUNK}, (_, chunk) =>
    Array.from({length: CHUNK}, (_line, i) => {
      const at = chunk * CHUNK + i;
      return lineOf(number * RECORDS + at, beginMs * 1000 + at * 50);
    }).join(''),
  );
  const [page, livez] = [
    asking(`${server.url}/threats?pageSize=50&orderBy=alert_time%20desc`),
    asking(`${server.base}/livez`),
  ];
  await delay(500);
  const [from, cpuFrom] = [performance.now(), cpuMs(server.pid)];
  for (const chunk of chunks) await appendFile(server.eveFile(), chunk);
  while ((await stored(server)) < (number + 1) * RECORDS) {
    if (performance.now() - from > LIMIT_MS) throw new Error(`${await stored(server)} records after ${LIMIT_MS} ms`);
    await delay(POLL_MS);
  }
  const perSecond = (RECORDS * 1000) / (performance.now() - from);
  const [rss, cpu] = [rssMiB(server.pid), ((cpuMs(server.pid) - cpuFrom) * 1000) / RECORDS];
  return {perSecond, rss, cpu, page: percentile(await page.stop(), 0.95), livez: percentile(await livez.stop(), 0.95)};
};

const benchRate = async (evidence: 'none' | 'payload'): Promise<void> => {
  const server = await openAlertServer(['--evidence', evidence]);
  try {
    const rounds: Round[] = [];
    for (let i = 0; i < ROUNDS; i++) {
      rounds.push(await roundOf(server, i));
      const words = `${evidence}: ${Math.round(rounds.at(-1)?.perSecond ?? 0)} records/s, load average ${loadavg()[0]}`;
      console.error(`bench: records-rate: ${words}`);
    }
    const print = (what: string, unit: string, of: (round: Round) => number): void => {
      const value = Math.round(median(rounds.map(of)) * 10) / 10;
      printFigure({name: `record_rate_evidence_${evidence}_${what}`, unit, value, n: ROUNDS * RECORDS});
    };
    print('stored', 'ops/s', ({perSecond}) => perSecond);
    print('page_p95', 'ms', ({page}) => page);
    print('livez_p95', 'ms', ({livez}) => livez);
    print('server_cpu', 'us/record', ({cpu}) => cpu); // all threads, with the requests that it answered
    print('server_rss', 'MiB', ({rss}) => rss);
  } finally {
    await server.close();
  }
};

if (process.argv[2] === 'inside') {
  execFileSync('ip', ['link', 'set', 'lo', 'up']);
  await benchRate('payload');
  await benchRate('none');
} else if (process.getuid?.() !== 0 || spawnSync('suricata', ['-V']).status !== 0)
  console.error('bench: records-rate is left out: it needs root (a network namespace) and Suricata');
else process.exitCode = spawnSync('unshare', ['-n', process.execPath, SELF, 'inside'], {stdio: 'inherit'}).status ?? 1;
