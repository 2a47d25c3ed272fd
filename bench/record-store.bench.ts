// SPDX-License-Identifier: Apache-2.0
/**
 * Records committed per second by the embedded record store, with the event loop's delay meanwhile and the memory after it.
 * RECORDS (default 400,000) threats in batches of BATCH (default 2,000, as sensors send them), four sensors at once; with 1 KB of
 * evidence each, but for EVIDENCE=none. CPU, loop delay and memory count the making of the records, too.
 *
 *   node bench/record-store.bench.ts
 */
import {mkdtempSync, readdirSync, rmSync, statSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {monitorEventLoopDelay} from 'node:perf_hooks';
import {openSqliteRecordStore} from '../packages/ids/src/records/sqlite/record-store.ts';
import {batch, threat} from '../packages/ids/src/testing/record-store-contract.ts';
import {printFigure} from './figures.ts';

const RECORDS = Number(process.env['RECORDS'] ?? 400_000);
const BATCH = Number(process.env['BATCH'] ?? 2_000);
const SENSORS = 4;
const EVIDENCE = process.env['EVIDENCE'] === 'none' ? undefined : JSON.stringify({payload: 'x'.repeat(1_000)});
const GIB = 1024 ** 3;
const DAY_MS = 86_400_000;
const MIB = 1024 ** 2;

const ignore = (): void => undefined;
const budget = {bytes: 16 * GIB, ageMs: 36_500 * DAY_MS};
const folder = mkdtempSync(join(process.env['BENCH_DIR'] ?? tmpdir(), 'palisade-records-'));
const store = openSqliteRecordStore({
  folder: join(folder, 'records'),
  budgets: {threats: budget, traffic: budget, evidence: budget},
  clock: {now: Date.now},
  log: {debug: ignore, info: ignore, warn: ignore, error: ignore},
});

let next = 0;
const SEVERITIES = ['LOW', 'MEDIUM', 'HIGH'] as const;
const address = (i: number): string => `10.${(i >> 8) % 256}.${i % 256}.${(i * 7) % 250}`;
const sensor = async (name: string): Promise<void> => {
  while (next < RECORDS) {
    const from = next;
    next += BATCH;
    const threats = Array.from({length: BATCH}, (_, i) =>
      threat(
        from + i,
        {
          endpoint: name,
          alert_severity: SEVERITIES[i % 3] ?? 'LOW',
          source_ip_address: address(from + i),
          destination_ip_address: address((from + i) * 31),
          details: 'A request with a path that is known from attacks was sent to the server. '.repeat(2),
        },
        EVIDENCE,
      ),
    );
    await store.commit(batch({endpoint: name, threats}));
  }
};

const rssMiB = (): number => Math.round(process.memoryUsage.rss() / MIB);
const rounded = (value: number): number => Math.round(value * 10) / 10;

try {
  await store.start();
  const delay = monitorEventLoopDelay({resolution: 5});
  delay.enable();
  const [start, before] = [performance.now(), process.cpuUsage()];
  await Promise.all(Array.from({length: SENSORS}, (_, i) => sensor(`projects/p/locations/l/endpoints/sensor-${i}`)));
  const seconds = (performance.now() - start) / 1000;
  const {user, system} = process.cpuUsage(before);
  delay.disable();
  const files = readdirSync(join(folder, 'records'));
  const bytes = files.reduce((sum, file) => sum + statSync(join(folder, 'records', file)).size, 0);
  const figure = (name: string, unit: string, value: number): void =>
    printFigure({name: `record-store.${name}`, unit, value, n: next});
  figure('commit', 'records/s', Math.round(next / seconds));
  figure('commit.cpu', 'us/record', rounded((user + system) / next));
  figure('commit.loop-delay-p99', 'ms', rounded(delay.percentile(99) / 1e6));
  figure('disk', 'bytes/record', Math.round(bytes / next));
  figure('rss', 'MiB', rssMiB());
} finally {
  await store.close();
  rmSync(folder, {recursive: true, force: true});
}
