// SPDX-License-Identifier: Apache-2.0
/**
 * The embedded store: durable writes of 1 KB by writes in flight, with their CPU (all threads of the process), then how
 * long 100,000 entries of 2 KB take to open, and reads over them. Rates hang on the disk's fsync: compare within one run.
 *
 *   node bench/store.bench.ts
 */
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import type {Store} from '@palisade/store';
import {openSqliteStore} from '@palisade/store/sqlite';
import {median, printFigure} from './figures.ts';

const WRITES: Readonly<Record<number, number>> = {1: 2_000, 8: 10_000, 64: 30_000, 256: 60_000};
const ROUNDS = 3;
const ENTRIES = 100_000;
const value = (sizeBytes: number): Uint8Array => new Uint8Array(sizeBytes).fill(97);

type Cost = {readonly ms: number; readonly cpuUs: number};
async function measure(work: () => Promise<unknown>): Promise<Cost> {
  const [start, cpu] = [performance.now(), process.cpuUsage()];
  await work();
  const {user, system} = process.cpuUsage(cpu);
  return {ms: performance.now() - start, cpuUs: user + system};
}

/** `n` creates, `inFlight` at a time. */
function write(store: Store, name: string, {n, inFlight, bytes}: {n: number; inFlight: number; bytes: Uint8Array}) {
  let next = 0;
  const writer = async (): Promise<void> => {
    while (next < n) await store.put(`/kube/endpoints/${name}/${String(next++).padStart(7, '0')}`, bytes, 0n);
  };
  return measure(() => Promise.all(Array.from({length: inFlight}, writer)));
}

async function benchWrites(dir: string): Promise<void> {
  await using store = await openSqliteStore({dir});
  await write(store, 'warm', {n: 5_000, inFlight: 64, bytes: value(1_024)});
  for (const [inFlight, n] of Object.entries(WRITES)) {
    const costs: Cost[] = [];
    for (let round = 0; round < ROUNDS; round++)
      costs.push(await write(store, `${inFlight}-${round}`, {n, inFlight: Number(inFlight), bytes: value(1_024)}));
    const rate = Math.round(median(costs.map(({ms}) => (n / ms) * 1_000)));
    printFigure({name: `store.write.${inFlight}-in-flight`, unit: 'writes/s', value: rate, n});
    const cpu = Math.round(median(costs.map(({cpuUs}) => cpuUs / n)) * 10) / 10;
    printFigure({name: `store.write.${inFlight}-in-flight.cpu`, unit: 'us/write', value: cpu, n});
  }
}

async function benchOpen(dir: string): Promise<void> {
  const filled = await openSqliteStore({dir});
  await write(filled, 'web', {n: ENTRIES, inFlight: 256, bytes: value(2_048)});
  await filled.close();
  let store: Store | undefined;
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    await store?.close();
    const {ms} = await measure(async () => {
      store = await openSqliteStore({dir});
    });
    times.push(ms);
  }
  if (store === undefined) return;
  printFigure({name: 'store.open.100k-entries', unit: 'ms', value: Math.round(median(times)), n: ENTRIES});
  await benchReads(store);
  await store.close();
}

async function benchReads(store: Store): Promise<void> {
  const before = await store.currentRevision();
  await write(store, 'later', {n: 2_000, inFlight: 64, bytes: value(1_024)});
  for (const [name, at] of [
    ['now', undefined],
    ['past', before],
  ] as const) {
    let pages = 0;
    const {ms} = await measure(async () => {
      for (let after: string | undefined; ; pages++) {
        const page = await store.list('/kube/endpoints/', {at, after, limit: 500});
        if (page.remaining === 0) break;
        after = page.entries.at(-1)?.key;
      }
    });
    printFigure({name: `store.list.500.${name}`, unit: 'us/page', value: Math.round((ms / pages) * 1_000), n: pages});
  }
  let events = 0;
  const {ms} = await measure(async () => {
    for await (const batch of store.watch('', 0n, new AbortController().signal)) {
      events += batch.length;
      if (batch.at(-1)?.revision === (await store.currentRevision())) break;
    }
  });
  printFigure({name: 'store.replay', unit: 'events/s', value: Math.round((events / ms) * 1_000), n: events});
  const compaction = await measure(async () => store.compact(await store.currentRevision()));
  printFigure({name: 'store.compact', unit: 'ms', value: Math.round(compaction.ms)});
}

const scratch = mkdtempSync(join(tmpdir(), 'palisade-store-bench-'));
try {
  await benchWrites(join(scratch, 'writes'));
  await benchOpen(join(scratch, 'open'));
} finally {
  rmSync(scratch, {recursive: true, force: true});
}
