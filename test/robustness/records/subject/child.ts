// SPDX-License-Identifier: Apache-2.0
/**
 * The process under test: a record store, and clients of it, which report what they do and see (lines.ts) until the process is
 * killed or terminated, or `finish` comes on stdin. Run: node child.ts PLAN
 */
import {RecordStoreError} from '../../../../packages/ids/src/records/record-store.ts';
import {openSqliteRecordStore} from '../../../../packages/ids/src/records/sqlite/record-store.ts';
import {say} from '../../suite/say.ts';
import {breakRecords} from './broken.ts';
import {Clients} from './clients.ts';
import type {Line, Plan} from './lines.ts';
import {BUDGETS} from './traffic.ts';

const plan = JSON.parse(process.argv[2] ?? '{}') as Plan;
const report = (line: Line): void => say(JSON.stringify(line));
const ignore = (): void => undefined;

const store = openSqliteRecordStore({
  folder: plan.folder,
  budgets: BUDGETS,
  clock: {now: Date.now},
  log: {debug: ignore, info: ignore, warn: ignore, error: ignore},
});
try {
  await store.start();
} catch (error) {
  if (!(error instanceof RecordStoreError)) throw error;
  report(['refused', error.code, error.message]);
  process.exit(0);
}
const clients = new Clients(breakRecords(store, plan.broken), plan, report);
process.once('SIGTERM', () => {
  // In the middle of traffic: what was answered is on disk when it is closed.
  void store.close().then(() => process.exit(0));
});
const traffic = clients.run(() => report(['ready']));
await new Promise<void>(resolve => process.stdin.once('data', () => resolve()));
clients.stop();
await traffic;
await store.close();
process.exit(0);
