// SPDX-License-Identifier: Apache-2.0
/**
 * What a create costs before there is any of our code: `palisade serve` beside Node's own HTTPS server that does nothing but parse
 * the body and send it back (floor-server.ts), with the same flags of V8, the same certificate and the same load, rounds in turn.
 *
 *   node bench/floor.ts [--rounds 3] [--objects 5000]
 */
import {mkdtempSync, readFileSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join, resolve} from 'node:path';
import {parseArgs} from 'node:util';
import {buildApibench, load} from './apibench.ts';
import {median, printFigure} from './figures.ts';
import {startOurs} from './kube.ts';
import type {Target} from './peers.ts';
import {end, start, until} from './processes.ts';

/** The flags with which the command starts its server: bin/palisade is the one place that has them. */
const v8Flags = (): string[] => {
  const lines = readFileSync(resolve('packages/server/bin/palisade'), 'utf8').split('\n');
  return lines.filter(line => !line.startsWith('#')).flatMap(line => line.match(/--[a-z0-9-]+(?:=\S+)?/g) ?? []);
};

async function startFloor(dir: string, tls: string): Promise<Target> {
  const log = join(dir, 'floor.log');
  const args = [...v8Flags(), resolve('bench/floor-server.ts'), join(tls, 'server.key'), join(tls, 'server.crt')];
  const child = start('floor', process.execPath, args, log);
  const line = () => readFileSync(log, 'utf8').split('\n')[0] ?? '';
  await until('floor', async () => line().startsWith('{"ready":true'), 10_000);
  const {https} = JSON.parse(line()) as {https: string};
  return {name: 'floor', server: https, pids: [child.pid ?? 0], stop: () => end(child)};
}

async function main(): Promise<void> {
  const {values} = parseArgs({
    options: {rounds: {type: 'string', default: '3'}, objects: {type: 'string', default: '5000'}},
  });
  const bin = buildApibench();
  const scratch = mkdtempSync(join(tmpdir(), 'palisade-bench-'));
  const costs = new Map<string, number[]>();
  const measure = async (target: Target): Promise<void> => {
    try {
      const measures = await load(target, bin, Number(values.objects), 'create');
      const cost = measures.find(m => m.measure === 'create')?.['server_cpu_us_per_op'] ?? Number.NaN;
      console.error(`floor: ${target.name}: ${cost.toFixed(0)} µs of CPU per create`);
      costs.set(target.name, [...(costs.get(target.name) ?? []), cost]);
    } finally {
      await target.stop();
    }
  };
  try {
    for (let round = 1; round <= Number(values.rounds); round++) {
      const dir = join(scratch, String(round));
      await measure(await startOurs(dir));
      await measure(await startFloor(dir, join(dir, 'data', 'pki')));
    }
  } finally {
    rmSync(scratch, {recursive: true, force: true});
  }
  for (const [name, values] of costs)
    printFigure({name: `create.${name}.cpu`, unit: 'us/op', value: median(values), n: values.length});
}

if (import.meta.main) await main();
