// SPDX-License-Identifier: Apache-2.0
/**
 * The Cloud IDS API of a real `palisade serve`: get and list of 10,000 endpoints in a location without a sensor; create to READY
 * where there is one, with the bundled rules and with 30,000, and which step of it takes the time.
 * Runs itself again in a network namespace of its own, where UDP 4789 is free: the second half needs root and Suricata.
 */
import {execFileSync, spawnSync} from 'node:child_process';
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {Agent, request} from 'node:http';
import {tmpdir} from 'node:os';
import {join, resolve} from 'node:path';
import {setTimeout as delay} from 'node:timers/promises';
import {fileURLToPath} from 'node:url';
import {median, percentile, printFigure} from './figures.ts';
import {manyRules} from './many-rules.ts';
import {end, start, until} from './processes.ts';

const SELF = fileURLToPath(import.meta.url);
const COLD = 'projects/bench/locations/cold';
const LOCAL = 'projects/bench/locations/local';
const ENDPOINTS = 10_000;
const CLIENTS = 16;
const WARM_UP_MS = 1_000;
const MEASURE_MS = 4_000;
const CREATES = 20;
const MANY_RULES = 30_000;
const CREATES_MANY_RULES = 5;
const POLL_MS = 4;
const START_MS = 300_000;

type Json = {readonly [key: string]: unknown};
type Server = {readonly url: string; readonly close: () => Promise<void>};

const folder = mkdtempSync(join(tmpdir(), 'palisade-bench-'));
const agent = new Agent({keepAlive: true, maxSockets: CLIENTS});

const open = async (name: string, flags: readonly string[]): Promise<Server> => {
  const log = join(folder, `${name}.log`);
  const child = start(
    name,
    resolve('node_modules/.bin/palisade'),
    [
      ...['serve', '--data', join(folder, name), '--http', '127.0.0.1:0', '--auth', 'none', '--apis', 'ids'],
      ...['--log-level', 'error', '--locations', 'cold', '--sensors-at', 'local', ...flags],
    ],
    log,
  );
  let url = '';
  const ready = async (): Promise<boolean> => {
    const line = /^\{"ready":true.*$/m.exec(readFileSync(log, 'utf8'))?.[0];
    if (line === undefined && child.exitCode !== null) throw new Error(readFileSync(log, 'utf8'));
    url = line === undefined ? '' : (JSON.parse(line) as {http: string}).http;
    return url !== '';
  };
  await until('palisade serve', ready, START_MS);
  return {url, close: () => end(child)};
};

const call = (server: Server, method: string, path: string, body?: Json): Promise<Json> =>
  new Promise((done, fail) => {
    const sent = request(`${server.url}/v1/${path}`, {method, agent}, response => {
      const parts: Buffer[] = [];
      response.on('data', part => parts.push(part as Buffer));
      response.on('error', fail);
      response.on('end', () => {
        const text = Buffer.concat(parts).toString();
        if (response.statusCode === 200)
          done({size: text.length, ...(method === 'GET' && text.length > 20_000 ? {} : JSON.parse(text))});
        else fail(new Error(`${method} ${path}: ${response.statusCode} ${text}`));
      });
    });
    sent.on('error', fail);
    if (body !== undefined) sent.setHeader('content-type', 'application/json');
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });

const create = (server: Server, parent: string, id: string): Promise<Json> =>
  call(server, 'POST', `${parent}/endpoints?endpointId=${id}`, {
    network: 'projects/bench/global/networks/default',
    severity: 'LOW',
    labels: {team: `t${id.length}`, number: id},
  });

const round = (value: number, digits = 1): number => Math.round(value * 10 ** digits) / 10 ** digits;

/** CLIENTS connections, each with one request at a time; requests of the warm-up do not count. */
const perSecond = async (name: string, clients: number, one: () => Promise<unknown>): Promise<void> => {
  let count = 0;
  const begun = performance.now();
  const warm = begun + WARM_UP_MS;
  const finish = warm + MEASURE_MS;
  await Promise.all(
    Array.from({length: clients}, async () => {
      while (performance.now() < finish) {
        await one();
        if (performance.now() >= warm) count += 1;
      }
    }),
  );
  printFigure({name, unit: 'ops/s', value: round((count * 1000) / MEASURE_MS), n: count});
};

const benchLists = async (): Promise<void> => {
  const server = await open('lists', []);
  try {
    console.error(`bench: ids: declaring ${ENDPOINTS} endpoints`);
    const begun = performance.now();
    let next = 0;
    const declare = async (): Promise<void> => {
      while (next < ENDPOINTS) await create(server, COLD, `e${String(next++).padStart(5, '0')}`);
    };
    await Promise.all(Array.from({length: CLIENTS}, declare));
    const value = round((ENDPOINTS * 1000) / (performance.now() - begun));
    printFigure({name: 'ids_declare', unit: 'ops/s', value, n: ENDPOINTS});
    let turn = 0;
    const anyId = (): string => `e${String((turn++ * 7919) % ENDPOINTS).padStart(5, '0')}`;
    const list = (query: string) => () => call(server, 'GET', `${COLD}/endpoints?${query}`);
    await perSecond('ids_get', CLIENTS, () => call(server, 'GET', `${COLD}/endpoints/${anyId()}`));
    await perSecond('ids_list_page_50', CLIENTS, list('pageSize=50'));
    await perSecond('ids_list_page_1000', CLIENTS, list('pageSize=1000'));
    await perSecond('ids_list_filter_50', 1, list('pageSize=50&filter=labels.number%3De09999'));
    await perSecond('ids_list_order_50', 1, list('pageSize=50&orderBy=createTime%20desc'));
  } finally {
    await server.close();
  }
};

type Created = {readonly ms: number; readonly steps: ReadonlyMap<string, number>};

/** From the request until the operation is done; and how long each `statusMessage` was there. */
const createToReady = async (server: Server, id: string): Promise<Created> => {
  const begun = performance.now();
  const steps = new Map<string, number>();
  let [step, since] = ['accepting the request', begun];
  const enter = (next: string): void => {
    const now = performance.now();
    steps.set(step, (steps.get(step) ?? 0) + now - since);
    [step, since] = [next, now];
  };
  const name = String((await create(server, LOCAL, id))['name']);
  for (;;) {
    const operation = await call(server, 'GET', name);
    if (operation['done'] === true) {
      enter('');
      if (operation['error'] !== undefined) throw new Error(JSON.stringify(operation['error']));
      return {ms: performance.now() - begun, steps};
    }
    const said = String((operation['metadata'] as Json | undefined)?.['statusMessage'] ?? 'queued');
    const next = said.replace(/(at|in) \d+\.\d+\.\d+\.\d+/, '').trim();
    if (next !== step) enter(next);
    await delay(POLL_MS);
  }
};

const benchCreates = async (name: string, flags: readonly string[], count: number): Promise<void> => {
  const begun = performance.now();
  const server = await open(name, flags);
  try {
    printFigure({name: `ids_${name}_server_start`, unit: 'ms', value: round(performance.now() - begun, 0), n: 1});
    const done: Created[] = [];
    for (let i = 0; i < count; i++) {
      done.push(await createToReady(server, `r${i}`));
      if (i === 0)
        printFigure({name: `ids_${name}_create_to_ready_first`, unit: 'ms', value: round(done[0]?.ms ?? 0), n: 1});
      const gone = String((await call(server, 'DELETE', `${LOCAL}/endpoints/r${i}`))['name']);
      await until('delete', async () => (await call(server, 'GET', gone))['done'] === true, START_MS);
    }
    const times = done.map(d => d.ms);
    for (const [word, p] of [
      ['p50', 0.5],
      ['p95', 0.95],
    ] as const)
      printFigure({
        name: `ids_${name}_create_to_ready_${word}`,
        unit: 'ms',
        value: round(percentile(times, p)),
        n: count,
      });
    dominant(name, done);
  } finally {
    await server.close();
  }
};

/** The median of each step, longest first: the first one dominates. A figure is named by the first two words of the step. */
const dominant = (name: string, done: readonly Created[]): void => {
  const words = new Set(done.flatMap(d => [...d.steps.keys()]));
  const steps = [...words].map(word => ({word, ms: median(done.map(d => d.steps.get(word) ?? 0))}));
  const total = steps.reduce((sum, step) => sum + step.ms, 0);
  for (const {word, ms} of steps.toSorted((a, b) => b.ms - a.ms)) {
    const slug = word.toLowerCase().split(' ').slice(0, 2).join('_');
    printFigure({name: `ids_${name}_step_${slug}`, unit: 'ms', value: round(ms), n: done.length});
    console.error(`bench: ids: ${name}: ${Math.round((ms / total) * 100)} % ${word}`);
  }
};

const benchSensors = async (): Promise<void> => {
  await benchCreates('bundled_rules', ['--driver', 'relay'], CREATES);
  const rules = join(folder, 'many.rules');
  writeFileSync(rules, manyRules(MANY_RULES));
  console.error(`bench: ids: verifying ${MANY_RULES} rules, once`);
  await benchCreates(`${MANY_RULES}_rules`, ['--driver', 'relay', '--rules', rules], CREATES_MANY_RULES);
};

const [mode] = process.argv.slice(2);
try {
  if (mode === 'inside') {
    execFileSync('ip', ['link', 'set', 'lo', 'up']);
    await benchSensors();
  } else {
    await benchLists();
    if (process.getuid?.() !== 0 || spawnSync('suricata', ['-V']).status !== 0)
      console.error('bench: ids: create to READY is left out: it needs root (a network namespace) and Suricata');
    else
      process.exitCode = spawnSync('unshare', ['-n', process.execPath, SELF, 'inside'], {stdio: 'inherit'}).status ?? 1;
  }
} finally {
  agent.destroy();
  rmSync(folder, {recursive: true, force: true});
}
