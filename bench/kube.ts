// SPDX-License-Identifier: Apache-2.0
/**
 * Kubernetes side, ours against kube-apiserver + etcd: the same load generator (bench/apibench), the same machine, TLS and a
 * token on both, rounds in turn. HTTP/2 is the main column, as kubectl and client-go use it; HTTP/1.1 is the second. Each server is
 * started for each of them and loaded twice: just started (V8 has compiled nothing yet, heaps are small), and as it runs from then
 * on. Prints a JSON line per measure, then the ratios of the medians.
 *
 *   node bench/kube.ts [--rounds 3] [--objects 5000] [--only-ours]
 */
import {mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join, resolve} from 'node:path';
import {parseArgs} from 'node:util';
import {buildApibench, load, type Measure, PROTOCOLS, type Protocol} from './apibench.ts';
import {median} from './figures.ts';
import {buildPeers, startKube, type Target, TOKEN_LINE, tlsOk} from './peers.ts';
import {end, start, until} from './processes.ts';

export async function startOurs(dir: string): Promise<Target> {
  mkdirSync(dir, {recursive: true});
  const tokens = join(dir, 'tokens.csv');
  writeFileSync(tokens, TOKEN_LINE);
  const log = join(dir, 'palisade.log');
  const child = start(
    'palisade',
    resolve('node_modules/.bin/palisade'),
    [
      'serve',
      '--data',
      join(dir, 'data'),
      '--http',
      '127.0.0.1:0',
      '--https',
      '127.0.0.1:0',
      '--token-auth-file',
      tokens,
      '--apis',
      'kubernetes',
      '--log-level',
      'warn',
    ],
    log,
  );
  let ready: {https: string; pid: number} | undefined;
  await until(
    'palisade',
    async () => {
      const line = readFileSync(log, 'utf8')
        .split('\n')
        .find(l => l.startsWith('{"ready":true'));
      ready = line === undefined ? undefined : (JSON.parse(line) as {https: string; pid: number});
      return ready !== undefined && (await tlsOk(`${ready.https}/readyz`));
    },
    30_000,
  );
  if (ready === undefined) throw new Error('palisade was not ready');
  return {name: 'palisade', server: ready.https, pids: [ready.pid], stop: () => end(child)};
}

/** Figures that are compared: [measure, key, better]. */
const COMPARED: readonly (readonly [string, string, 'lower' | 'higher'])[] = [
  ...[
    'create',
    'merge_patch',
    'get',
    'list_all_rv0',
    'list_all_consistent',
    'list_selector',
    'watch_fanout',
    'delete',
  ].map(m => [m, 'server_cpu_us_per_op', 'lower'] as const),
  ...['create', 'merge_patch', 'get', 'list_all_rv0', 'list_all_consistent', 'list_selector', 'delete'].map(
    m => [m, 'per_s', 'higher'] as const,
  ),
  ['watch_fanout', 'deliveries_per_s', 'higher'],
  ['watch_fanout', 'p99_ms', 'lower'],
  ['rss_idle', 'mb', 'lower'],
  ['rss_loaded', 'mb', 'lower'],
];

const STATES = ['just started', 'running'] as const;
type State = (typeof STATES)[number];

/** Memory is compared as the first load finds and leaves it: the second finds what the first has left behind. */
const isCompared = (state: State, measure: string): boolean => state === 'just started' || !measure.startsWith('rss_');

type Round = {
  readonly target: string;
  readonly protocol: Protocol;
  readonly state: State;
  readonly measures: readonly Measure[];
};

const table = (rounds: readonly Round[]): void => {
  const value = (target: string, protocol: Protocol, state: State, measure: string, key: string) =>
    median(
      rounds
        .filter(round => round.target === target && round.protocol === protocol && round.state === state)
        .map(({measures}) => measures.find(m => m.measure === measure)?.[key] ?? Number.NaN),
    );
  const head = PROTOCOLS.map(
    protocol => `${protocol}: palisade`.padStart(20) + 'reference'.padStart(11) + 'ratio'.padStart(8),
  );
  for (const state of STATES) {
    console.log(`\n${state.padEnd(22)}${'figure'.padEnd(22)}${head.join('')}`);
    for (const [measure, key, better] of COMPARED.filter(([measure]) => isCompared(state, measure))) {
      const figures = PROTOCOLS.map(protocol => {
        const ours = value('palisade', protocol, state, measure, key);
        const theirs = value('kube-apiserver+etcd', protocol, state, measure, key);
        return ours.toFixed(1).padStart(20) + theirs.toFixed(1).padStart(11) + (ours / theirs).toFixed(3).padStart(8);
      });
      console.log(`${measure.padEnd(22)}${key.padEnd(22)}${figures.join('')}  (${better} is better)`);
    }
  }
};

/** Loads a new server in both states. */
const measure = async (target: Target, bin: string, protocol: Protocol, objects: number): Promise<Round[]> => {
  const rounds: Round[] = [];
  for (const state of STATES)
    rounds.push({target: target.name, protocol, state, measures: await load(target, bin, {protocol, objects})});
  return rounds;
};

async function main(): Promise<void> {
  const {values} = parseArgs({
    options: {
      rounds: {type: 'string', default: '3'},
      objects: {type: 'string', default: '5000'},
      'only-ours': {type: 'boolean', default: false},
    },
  });
  const bin = buildApibench();
  const bins = values['only-ours'] ? undefined : buildPeers();
  const rounds: Round[] = [];
  const scratch = mkdtempSync(join(tmpdir(), 'palisade-bench-'));
  try {
    for (let round = 1; round <= Number(values.rounds); round++) {
      const starts = [
        (dir: string) => startOurs(dir),
        ...(bins === undefined ? [] : [(dir: string) => startKube(bins, dir)]),
      ];
      for (const [protocol, begin] of PROTOCOLS.flatMap(one => starts.map(begin => [one, begin] as const))) {
        const dir = join(scratch, 'server');
        const target = await begin(dir);
        try {
          const done = await measure(target, bin, protocol, Number(values.objects));
          for (const {measures, ...of} of done)
            for (const m of measures) console.log(JSON.stringify({round, ...of, ...m}));
          rounds.push(...done);
        } finally {
          await target.stop();
          rmSync(dir, {recursive: true, force: true});
        }
      }
    }
    table(rounds);
  } finally {
    rmSync(scratch, {recursive: true, force: true});
  }
}

if (import.meta.main) await main();
