// SPDX-License-Identifier: Apache-2.0
/** The embedded store in this process: how long writes wait for a compaction, what its steps take, how the file shrinks. */
import {statSync} from 'node:fs';
import {join} from 'node:path';
import {setTimeout as delay} from 'node:timers/promises';
import type {Store} from '@palisade/store';
import {openSqliteStore} from '@palisade/store/sqlite';
import {percentile, printFigure} from '../figures.ts';
import {type Burst, each, keyOf, printMiB, printWaits, scattered, waitsDuring} from './probe.ts';

const QUIET_MS = 5_000;
const IN_FLIGHT = 512;

/** Writes the burst; `value` of a version. */
export async function fill(store: Store, burst: Burst, value: (key: string, version: number) => Uint8Array) {
  for (let version = 0; version <= burst.replaced; version++)
    await each(burst.objects, IN_FLIGHT, i => {
      const key = keyOf(scattered(i, burst.objects));
      return store.put(key, value(key, version));
    });
}

export async function benchStore(dir: string, burst: Burst): Promise<void> {
  const steps = new Map<string, number[]>();
  const file = join(dir, 'store.db');
  const name = `store.compaction.${burst.name}`;
  await using store = await openSqliteStore({
    dir,
    onCompactionStep: ({of, ms}) => steps.set(of, [...(steps.get(of) ?? []), ms]),
  });
  await fill(store, burst, (_, version) => new Uint8Array(burst.bytes).fill(version));
  printMiB(`${name}.file.before`, statSync(file).size);
  const write = (): Promise<unknown> => store.put('/probe', new Uint8Array(500));
  printWaits(`${name}.without`, await waitsDuring(write, () => delay(QUIET_MS)));
  const began = performance.now();
  printWaits(`${name}.during`, await waitsDuring(write, async () => store.compact(await store.currentRevision())));
  printFigure({name: `${name}.time`, unit: 'ms', value: Math.round(performance.now() - began)});
  for (const [of, times] of steps) {
    const [median, max] = [percentile(times, 0.5), Math.max(...times)].map(ms => Math.round(ms * 10) / 10);
    printFigure({name: `${name}.step.${of}.median`, unit: 'ms', value: median ?? 0, n: times.length});
    printFigure({name: `${name}.step.${of}.max`, unit: 'ms', value: max ?? 0, n: times.length});
  }
  printMiB(`${name}.file.after`, statSync(file).size);
  printMiB(`${name}.wal.after`, statSync(`${file}-wal`).size);
}
