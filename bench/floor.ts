// SPDX-License-Identifier: Apache-2.0
/**
 * What creates, patches and watches cost before there is any of our code: `palisade serve` beside Node's own HTTPS server that does
 * nothing but keep and pass on what it is sent (floor-server.ts), with the same flags of V8, the same certificate and the same load
 * over HTTP/2 and over HTTP/1.1, rounds in turn.
 *
 *   node bench/floor.ts [--rounds 3] [--objects 5000]
 */
import {mkdtempSync, readFileSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join, resolve} from 'node:path';
import {parseArgs} from 'node:util';
import {buildApibench, load, PROTOCOLS, type Protocol} from './apibench.ts';
import {median, printFigure} from './figures.ts';
import {startOurs} from './kube.ts';
import type {Target} from './peers.ts';
import {end, start, until} from './processes.ts';

const MEASURES: ReadonlySet<string> = new Set(['create', 'merge_patch', 'watch_fanout']);

/** The flags with which the command starts its server: bin/palisade is the one place that has them. */
const v8Flags = (): string[] => {
  const lines = readFileSync(resolve('packages/cli/bin/palisade'), 'utf8').split('\n');
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
  const costs = new Map<string, {readonly unit: string; readonly values: number[]}>();
  const note = (name: string, unit: string, value: number): void => {
    const {values} = costs.get(name) ?? {values: []};
    costs.set(name, {unit, values: [...values, value]});
  };
  const measure = async (target: Target, protocol: Protocol): Promise<void> => {
    try {
      const measures = await load(target, bin, {protocol, objects: Number(values.objects), last: 'watch_fanout'});
      for (const {measure, server_cpu_us_per_op: cost = Number.NaN, deliveries_per_s: rate} of measures) {
        if (!MEASURES.has(measure)) continue;
        console.error(`floor: ${target.name} over ${protocol}: ${cost} µs of CPU per ${measure}`);
        const name = `${measure}.${target.name}.${protocol}`;
        note(`${name}.cpu`, 'us/op', cost);
        if (rate !== undefined) note(`${name}.rate`, '/s', rate);
      }
    } finally {
      await target.stop();
    }
  };
  try {
    for (let round = 1; round <= Number(values.rounds); round++)
      for (const protocol of PROTOCOLS) {
        const dir = mkdtempSync(join(scratch, 'server-'));
        await measure(await startOurs(dir), protocol);
        await measure(await startFloor(dir, join(dir, 'data', 'pki')), protocol);
      }
  } finally {
    rmSync(scratch, {recursive: true, force: true});
  }
  for (const [name, {unit, values}] of costs) printFigure({name, unit, value: median(values), n: values.length});
}

if (import.meta.main) await main();
