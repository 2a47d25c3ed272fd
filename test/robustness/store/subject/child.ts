// SPDX-License-Identifier: Apache-2.0
/**
 * The process under test: a store, and clients of it, which report what they do and see (lines.ts) until the process is
 * killed, or `finish` comes on stdin. Run: node child.ts PLAN
 */
import {setTimeout} from 'node:timers/promises';
import {type Entry, type Store, StoreError, type StoreEvent} from '@palisade/store';
import {openSqliteStore} from '@palisade/store/sqlite';
import {say} from '../../suite/say.ts';
import {breakStore} from './broken.ts';
import {Clients} from './clients.ts';
import type {EntryLine, EventLine, Line, Plan, WatchPlan} from './lines.ts';
import {idOf} from './value.ts';

const PAGE = 1_000;
const plan = JSON.parse(process.argv[2] ?? '{}') as Plan;
const report = (line: Line): void => say(JSON.stringify(line));

async function open(): Promise<Store> {
  try {
    return await openSqliteStore({dir: plan.dir});
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    report(['refused', error.code, error.message]);
    process.exit(0);
  }
}

const entryLine = ({key, value, modRevision}: Entry): EntryLine => [key, idOf(value), Number(modRevision)];
const eventLine = (event: StoreEvent): EventLine => {
  const before = Number(event.previous?.modRevision ?? 0n);
  return event.type === 'put'
    ? [Number(event.revision), event.entry.key, idOf(event.entry.value), before]
    : [Number(event.revision), event.key, null, before];
};

async function allAt(store: Store, at: bigint): Promise<EntryLine[]> {
  const lines: EntryLine[] = [];
  for (let after: string | undefined; ; ) {
    const page = await store.list('', {at, after, limit: PAGE});
    lines.push(...page.entries.map(entryLine));
    if (page.remaining === 0) return lines;
    after = page.entries.at(-1)?.key;
  }
}

/** Watches until `end` gives a revision and everything up to it was delivered; ends as well when the store refuses. */
async function watch(
  store: Store,
  {client, prefix, from, resumes, batchMs}: WatchPlan,
  end: Promise<bigint>,
): Promise<void> {
  const stop = new AbortController();
  let [seen, through] = [BigInt(from), -1n];
  const look = (): void => {
    if (through >= 0n && seen >= through) stop.abort();
  };
  void end.then(revision => {
    through = revision;
    look();
  });
  report(['watch', client, prefix, from, resumes]);
  try {
    for await (const batch of store.watch(prefix, BigInt(from), stop.signal)) {
      report(['events', client, batch.map(eventLine)]);
      seen = batch.at(-1)?.revision ?? seen;
      look();
      if (batchMs > 0 && through < 0n) await setTimeout(batchMs); // not at the end
    }
    report(['caught-up', client, Number(through)]);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    report(['ended', client, error.code]);
    if (error.code !== 'compacted') return;
    // As an informer: from the state of now.
    const now = Number(await store.currentRevision());
    await watch(store, {client, prefix, from: now, resumes: false, batchMs}, end);
  }
}

/** What is there, and how it came about since the last audit. */
async function audit(store: Store): Promise<void> {
  const [compacted, revision] = [await store.compactedRevision(), await store.currentRevision()];
  report(['audit', Number(revision), Number(compacted), await allAt(store, revision)]);
  const from = Math.max(plan.audited, Number(compacted));
  if (from >= Number(revision)) return;
  const resumes = plan.audited > 0 && from === plan.audited;
  await watch(store, {client: 'audit', prefix: '', from, resumes, batchMs: 0}, Promise.resolve(revision));
}

const finished = new Promise<void>(resolve => process.stdin.once('data', () => resolve()));
const store = breakStore(await open(), plan.broken);
await audit(store);
let endWatches: (revision: bigint) => void = () => undefined;
const end = new Promise<bigint>(resolve => (endWatches = resolve));
const watches = plan.watches.map(each => watch(store, each, end));
report(['ready']);
const clients = new Clients(store, plan, report);
const traffic = clients.run();
await finished;
await clients.stop();
await traffic;
endWatches(BigInt(await clients.mark()));
await Promise.all(watches);
await store.close();
process.exit(0);
