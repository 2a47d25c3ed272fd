// SPDX-License-Identifier: Apache-2.0
/** Writes records as two sensors do, each going on from its position; prints `ENDPOINT BATCH` behind each commit. Is killed. */
import {setTimeout} from 'node:timers/promises';
import {RECORD_BUDGETS_DEFAULT} from '../../../packages/ids/src/limits.ts';
import type {RecordBatch} from '../../../packages/ids/src/records/record-sink.ts';
import {openSqliteRecordStore} from '../../../packages/ids/src/records/sqlite/record-store.ts';
import {A, B, batch, flow, T0, threat} from '../../../packages/ids/src/testing/record-store-contract.ts';
import {RECORDS_OF_A_BATCH} from './record-store-say.ts';

const RETRY_MS = 20;
const [, , folder = ''] = process.argv;
const ignore = (): void => undefined;
const store = openSqliteRecordStore({
  folder,
  budgets: RECORD_BUDGETS_DEFAULT,
  clock: {now: () => T0},
  log: {debug: ignore, info: ignore, warn: ignore, error: ignore},
});
await store.start();

/** Tries again, as sensors do. */
const written = async (one: RecordBatch): Promise<void> => {
  for (;;)
    try {
      return await store.commit(one);
    } catch (error) {
      process.stdout.write(`failed ${(error as Error).message}\n`);
      await setTimeout(RETRY_MS);
    }
};

const sensor = async (endpoint: string): Promise<void> => {
  for (let n = ((await store.load(endpoint))?.checkpoint?.offset ?? 0) + 1; ; n++) {
    const from = n * RECORDS_OF_A_BATCH;
    const threats = Array.from({length: RECORDS_OF_A_BATCH}, (_, i) =>
      threat(from + i, {endpoint}, `event ${from + i}`),
    );
    // The last record of the batch before is written again.
    const again = n > 1 ? [threat(from - 1, {endpoint, repeat_count: '2'})] : [];
    const traffic = [flow(from, {endpoint})];
    await written(
      batch({endpoint, checkpoint: {device: 'd', inode: 'i', offset: n}, threats: [...again, ...threats], traffic}),
    );
    process.stdout.write(`${endpoint} ${n}\n`);
    if (n % 20 === 0) await store.tidy().catch(ignore);
  }
};
await Promise.all([A, B].map(sensor));
