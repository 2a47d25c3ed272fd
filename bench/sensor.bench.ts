// SPDX-License-Identifier: Apache-2.0
/**
 * The data plane: time from nothing to READY (bundled rules, 30,000 rules), time from a packet to its record, and what the relay costs.
 * Runs itself again in a network namespace of its own, where UDP 4789 is free: needs root and Suricata, otherwise says so.
 */
import {execFileSync, spawn, spawnSync} from 'node:child_process';
import {randomUUID} from 'node:crypto';
import {createSocket} from 'node:dgram';
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {setTimeout as delay} from 'node:timers/promises';
import {fileURLToPath} from 'node:url';
import {
  BUNDLED_RULES,
  createSensorHost,
  plainRuleSet,
  type SensorHostOptions,
  type SensorSpec,
  type SuricataSensorHost,
} from '@palisade/sensor';
import {dnsLookup, httpExchange, MemorySink, type Traffic} from '@palisade/sensor/testing';
import {percentile, printFigure} from './figures.ts';
import {manyRules} from './many-rules.ts';

const SELF = fileURLToPath(import.meta.url);
const VXLAN_PORT = 4789;
const CLOCK_TICKS_PER_SECOND = 100;
const STARTS = 10;
const LATENCY_SAMPLES = 200;
const LOAD_SECONDS = 5;

const [mode, ...rest] = process.argv.slice(2);
const quiet = (): void => undefined;
const folder = mkdtempSync(join(tmpdir(), 'palisade-bench-'));
const never = new AbortController().signal;

const openHost = (
  name: string,
  {rules, sink}: {readonly rules: readonly string[]; readonly sink: SensorHostOptions['sink']},
): Promise<SuricataSensorHost> =>
  createSensorHost({
    dir: join(folder, name),
    driver: 'relay',
    clock: {now: () => Date.now()},
    timers: {
      after: (ms, action) => {
        const timer = setTimeout(action, ms);
        return {cancel: () => clearTimeout(timer)};
      },
    },
    random: {uuid: () => randomUUID()},
    log: {debug: quiet, info: quiet, warn: quiet, error: (fields, message) => console.error(message, fields)},
    rules: plainRuleSet(rules),
    sink,
  });

const spec = (number: number): SensorSpec => ({
  endpoint: `projects/bench/locations/local/endpoints/e${number}`,
  network: 'bench',
  ip: `127.77.2.${number}`,
  vni: number,
  severity: 'INFORMATIONAL',
  threatExceptions: [],
  trafficLogs: false,
});
const start = (host: SuricataSensorHost, number: number): Promise<void> =>
  host.start(spec(number), {signal: never, onProgress: quiet});

const quantiles = (name: string, unit: string, values: readonly number[]): void => {
  for (const [word, p] of [
    ['p50', 0.5],
    ['p95', 0.95],
  ] as const)
    printFigure({
      name: `${name}_${word}`,
      unit,
      value: Math.round(percentile(values, p) * 100) / 100,
      n: values.length,
    });
};

const benchStarts = async (): Promise<void> => {
  const host = await openHost('bundled', {rules: BUNDLED_RULES, sink: new MemorySink()});
  const from = performance.now();
  await host.ready();
  printFigure({
    name: 'sensor_verify_bundled_rules',
    unit: 'ms',
    value: Math.round(performance.now() - from),
    n: host.ruleSet().rules,
  });
  const times: number[] = [];
  for (let i = 1; i <= STARTS; i++) {
    const begun = performance.now();
    await start(host, i);
    times.push(performance.now() - begun);
    await host.stop(spec(i).endpoint);
  }
  quantiles('sensor_create_to_ready_bundled_rules', 'ms', times);
  await host.close();
};

const benchManyRules = async (): Promise<void> => {
  const rules = join(folder, 'many.rules');
  writeFileSync(rules, manyRules(30_000));
  const host = await openHost('many', {rules: [rules], sink: new MemorySink()});
  const from = performance.now();
  await host.ready();
  printFigure({name: 'sensor_verify_30000_rules', unit: 's', value: Math.round(performance.now() - from) / 1000, n: 1});
  const begun = performance.now();
  await start(host, 1);
  printFigure({name: 'sensor_start_30000_rules', unit: 's', value: Math.round(performance.now() - begun) / 1000, n: 1});
  await host.close();
};

/** For the first endpoint. */
const encapsulate = (frame: Buffer): Buffer => {
  const header = Buffer.from('0800000000000000', 'hex');
  header.writeUInt32BE(spec(1).vni * 256, 4);
  return Buffer.concat([header, frame]);
};

const benchLatency = async (): Promise<void> => {
  const sink = new MemorySink();
  const host = await openHost('latency', {rules: BUNDLED_RULES, sink});
  await start(host, 1);
  const socket = createSocket('udp4');
  const times: number[] = [];
  for (let i = 1; i <= LATENCY_SAMPLES; i++) {
    const [query] = dnsLookup({client: `10.0.${i >> 8}.${i & 255}`, server: '10.1.0.1'}, 'a.callback.palisade.test');
    const begun = performance.now();
    if (query !== undefined) socket.send(encapsulate(query), VXLAN_PORT, spec(1).ip);
    await sink.until(() => sink.threats.size >= i, AbortSignal.timeout(10_000));
    times.push(performance.now() - begun);
    await delay(5);
  }
  socket.close();
  quantiles('sensor_packet_to_record', 'ms', times);
  await host.close();
};

/** User and system time of a process so far, in microseconds. */
const cpuOf = (pid: number): number => {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return ((Number(fields[11]) + Number(fields[12])) * 1_000_000) / CLOCK_TICKS_PER_SECOND;
};

const benchRelay = async (perSecond: number): Promise<void> => {
  const host = await openHost(`relay${perSecond}`, {rules: BUNDLED_RULES, sink: new MemorySink()});
  await start(host, 1);
  const pid = host.health(spec(1).endpoint)?.pid ?? 0;
  const before = {node: cpuOf(process.pid), suricata: cpuOf(pid)};
  const sender = spawn(process.execPath, [SELF, 'send', spec(1).ip, String(perSecond)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const said = await new Promise<string>(resolve => sender.stdout.once('data', data => resolve(String(data))));
  await delay(3000); // the queue, and one look at the kernel's counters
  const packets = host.health(spec(1).endpoint)?.packets;
  const sent = Number(said);
  const received = (packets?.received ?? 0) - (packets?.drops.socket ?? 0); // what took processor time
  const each = (from: number, to: number): number => Math.round(((to - from) / received) * 100) / 100;
  const name = `sensor_relay_${perSecond / 1000}k`;
  printFigure({name: `${name}_sent`, unit: 'packets/s', value: Math.round(sent / LOAD_SECONDS), n: sent});
  printFigure({
    name: `${name}_loss`,
    unit: 'ratio',
    value: Math.round(((packets?.dropped ?? 0) / sent) * 1e5) / 1e5,
    n: sent,
  });
  printFigure({name: `${name}_node_cpu`, unit: 'us/packet', value: each(before.node, cpuOf(process.pid)), n: received});
  printFigure({name: `${name}_suricata_cpu`, unit: 'us/packet', value: each(before.suricata, cpuOf(pid)), n: received});
  await host.close();
};

/** The sender, a process of its own: web traffic of many clients at a fixed rate. Prints how many it sent. */
const sendLoad = async (ip: string, perSecond: number): Promise<void> => {
  const traffic: Traffic = Array.from({length: 250}, (_, i) =>
    httpExchange({client: `10.2.0.${i + 1}`, server: '10.3.0.1'}, {answer: 'x'.repeat(600)}),
  ).flat();
  const datagrams = traffic.map(encapsulate);
  const socket = createSocket('udp4');
  await new Promise<void>(resolve => socket.bind(0, resolve));
  const begun = performance.now();
  let sent = 0;
  let flying = 0;
  while (performance.now() - begun < LOAD_SECONDS * 1000) {
    const due = ((performance.now() - begun) / 1000) * perSecond;
    while (sent < due && flying < 2000) {
      flying++;
      socket.send(datagrams[sent++ % datagrams.length] ?? '', VXLAN_PORT, ip, () => flying--);
    }
    await delay(1);
  }
  while (flying > 0) await delay(1);
  socket.close();
  console.log(sent);
};

const inNamespace = async (): Promise<void> => {
  execFileSync('ip', ['link', 'set', 'lo', 'up']);
  await benchStarts();
  await benchLatency();
  for (const perSecond of [20_000, 40_000]) await benchRelay(perSecond);
  await benchManyRules();
};

try {
  if (mode === 'send') await sendLoad(rest[0] ?? '', Number(rest[1]));
  else if (mode === 'inside') await inNamespace();
  else if (process.getuid?.() !== 0 || spawnSync('suricata', ['-V']).status !== 0)
    console.error('bench: sensor is left out: it needs root (a network namespace) and Suricata');
  else
    process.exitCode = spawnSync('unshare', ['-n', process.execPath, SELF, 'inside'], {stdio: 'inherit'}).status ?? 1;
} finally {
  rmSync(folder, {recursive: true, force: true});
}
