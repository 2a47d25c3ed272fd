// SPDX-License-Identifier: Apache-2.0
/**
 * kill -9 in the middle of writes (design.md section 5, invariants 1, 2 and 3). A data folder lives through 14 rounds:
 * each starts a writer with 64 writes in flight, kills it at a moment that the seed chooses
 * (while it makes the file, after it opened, after so many answers), opens the store and checks, by name:
 *   kept       every answered write is in the history, as it was answered
 *   whole      every write that is there is there with all its bytes and all its keys
 *   gapless    revisions follow each other, from the oldest that can be read to the newest
 *   replayed   a watch from the oldest gives exactly the way from the state then to the state now
 *   counted    the counter went up by one with each of its changes: no two writers won with one revision
 * A run prints its seed; PALISADE_SEED=n repeats it (kill moments follow from it up to the scheduling of the machine).
 * PALISADE_SOAK=1: 12 folders instead of one.
 *
 * Track record: nothing found in the store so far.
 */
import {type ChildProcess, spawn} from 'node:child_process';
import {randomInt} from 'node:crypto';
import {readdirSync, statSync} from 'node:fs';
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {fileURLToPath} from 'node:url';
import type {Entry, Store, StoreEvent} from '@palisade/store';
import {openSqliteStore} from '@palisade/store/sqlite';
import {NO_FAULTS, validateWatch, WatchRecorder} from '@palisade/store/testing';
import {expect, test} from 'vitest';
import {seededRandom} from '../suite/random.ts';
import {idOf} from './store-traffic.ts';

const SOAK = process.env['PALISADE_SOAK'] === '1';
const LIVES = SOAK ? 12 : 1;
const ROUNDS = 14;
const RUN_SEED = Number(process.env['PALISADE_SEED'] ?? randomInt(1_000_000));
const WRITER = fileURLToPath(new URL('./store-writer.ts', import.meta.url));

type Ack = {readonly revision: bigint; readonly op: string; readonly key: string; readonly id: string};
type Kill =
  | {readonly at: 'spawn' | 'opening' | 'ready'}
  | {readonly at: 'folder change' | 'ack'; readonly count: number};

/** The first rounds die before, or while, the file is made; the others in the middle of writes. */
function killOf(round: number, random: () => number): Kill {
  if (round === 0) return {at: 'spawn'};
  if (round === 1) return {at: 'opening'};
  if (round < 5) return {at: 'folder change', count: 1 + Math.floor(random() * 9)};
  if (round === 5) return {at: 'ready'};
  return {at: 'ack', count: 1 + Math.floor(random() ** 2 * 6_000)};
}

async function runAndKill(dir: string, seed: number, kill: Kill): Promise<readonly Ack[]> {
  const child = spawn(process.execPath, [WRITER, dir, String(seed)], {stdio: ['ignore', 'pipe', 'pipe']});
  const ended = new Promise<void>(resolve => child.once('close', () => resolve()));
  let over = false;
  const folder = kill.at === 'folder change' ? afterChanges(dir, kill.count, () => over) : Promise.resolve();
  if (kill.at === 'folder change') void folder.then(() => end(child));
  if (kill.at === 'spawn') end(child);
  const acks: Ack[] = [];
  let complaint = '';
  child.stderr.on('data', (chunk: Buffer) => {
    complaint += chunk.toString();
  });
  // What the process said before it died is still in the pipe: it is read to the end.
  for await (const line of createInterface({input: child.stdout})) {
    const [word, revision = '0', op = '', key = '', id = ''] = line.split(' ');
    if (word === 'ack') acks.push({revision: BigInt(revision), op, key, id});
    if (kill.at === word && (kill.at !== 'ack' || acks.length === kill.count)) end(child);
    if (kill.at === 'folder change' && word === 'ready') end(child);
  }
  over = true;
  await folder;
  await ended;
  expect({signal: child.signalCode, complaint}).toEqual({signal: 'SIGKILL', complaint: ''});
  return acks;
}
const end = (child: ChildProcess): void => void child.kill('SIGKILL');

/** Looks at names and sizes, again and again, until they have changed so often. */
async function afterChanges(dir: string, count: number, isOver: () => boolean): Promise<void> {
  const look = (): string =>
    readdirSync(dir)
      .map(name => `${name} ${statSync(join(dir, name), {throwIfNoEntry: false})?.size}`)
      .join();
  for (let changes = 0, before = look(); changes < count && !isOver(); ) {
    await new Promise(resolve => setImmediate(resolve));
    const now = look();
    if (now !== before) changes++;
    before = now;
  }
}

type Observed = {
  readonly before: ReadonlyMap<string, Entry>;
  readonly now: ReadonlyMap<string, Entry>;
  readonly events: readonly StoreEvent[];
};

/** All that the store can tell: the oldest state, the newest, and the changes between. */
async function observe(store: Store): Promise<Observed> {
  const [from, to] = [await store.compactedRevision(), await store.currentRevision()];
  await using watch = new WatchRecorder(store, '', from);
  if (to > from) await watch.seen(to);
  expect(watch.failure).toBeUndefined();
  expect(validateWatch(watch.batches, {history: watch.events, from})).toEqual(NO_FAULTS);
  return {before: await stateAt(store, from), now: await stateAt(store, to), events: watch.events};
}

async function stateAt(store: Store, at: bigint): Promise<Map<string, Entry>> {
  const state = new Map<string, Entry>();
  for (let after: string | undefined; ; ) {
    const page = await store.list('', {at, after, limit: 1_000});
    for (const entry of page.entries) state.set(entry.key, entry);
    if (page.remaining === 0) return state;
    after = page.entries.at(-1)?.key;
  }
}

const keyOf = (event: StoreEvent): string => (event.type === 'put' ? event.entry.key : event.key);
const shown = (value: Uint8Array, key: string): string | undefined =>
  key === '/counter' ? new TextDecoder().decode(value) : idOf(value);

type Known = {readonly revision: bigint; readonly id: string};
const REMOVED = '-';

/** The newest that is known of each key, from answers and from what earlier rounds saw. */
class Ledger {
  readonly newest = new Map<string, Known>();

  note(key: string, known: Known): void {
    if ((this.newest.get(key)?.revision ?? -1n) < known.revision) this.newest.set(key, known);
  }
}

/** Answered, but not there. Of what is older than the oldest revision, the newest of each key must be there. */
function lost(
  acks: readonly Ack[],
  ledger: Ledger,
  {observed, oldest}: {observed: Observed; oldest: bigint},
): string[] {
  const history = new Map<string, string>();
  for (const event of observed.events) {
    const key = keyOf(event);
    const id = event.type === 'delete' ? REMOVED : (shown(event.entry.value, key) ?? 'torn');
    history.set(`${event.revision} ${key}`, id);
    ledger.note(key, {revision: event.revision, id});
  }
  const faults: string[] = [];
  for (const {revision, key, id, op} of acks) {
    ledger.note(key, {revision, id});
    const found = history.get(`${revision} ${key}`) ?? 'nothing';
    if (revision > oldest && found !== id) faults.push(`${op} ${key} @${revision}: ${found} instead of ${id}`);
  }
  for (const [key, {revision, id}] of ledger.newest) {
    const entry = observed.now.get(key);
    const found = entry === undefined ? REMOVED : shown(entry.value, key);
    const same = id === REMOVED ? entry === undefined : entry?.modRevision === revision && found === id;
    if (!same) faults.push(`${key}: ${found} @${entry?.modRevision} instead of ${id} @${revision}`);
  }
  return faults;
}

function halves({events, before}: Observed): string[] {
  const values = [...before.values(), ...events.flatMap(event => (event.type === 'put' ? [event.entry] : []))];
  const torn = values.flatMap(({key, value}) => (shown(value, key) === undefined ? [`${key}: bytes are missing`] : []));
  const steps = new Map<string, number>();
  for (const event of events) {
    const key = keyOf(event);
    if (!key.startsWith('/t/')) continue;
    const txn = `${event.revision} ${key.slice(0, key.lastIndexOf('/'))}`;
    steps.set(txn, (steps.get(txn) ?? 0) + 1);
  }
  return [...torn, ...[...steps].flatMap(([txn, count]) => (count === 3 ? [] : [`${txn}: ${count} of 3 keys`]))];
}

function gaps(events: readonly StoreEvent[], from: bigint, to: bigint): string[] {
  const there = new Set(events.map(event => event.revision));
  const missing: string[] = [];
  for (let revision = from + 1n; revision <= to; revision++) if (!there.has(revision)) missing.push(`${revision}`);
  return missing;
}

function replay({before, now, events}: Observed): string[] {
  const state = new Map(before);
  const faults: string[] = [];
  for (const event of events) {
    const key = keyOf(event);
    if (state.get(key)?.modRevision !== event.previous?.modRevision)
      faults.push(`${event.revision} ${key}: previous is wrong`);
    if (event.type === 'put') state.set(key, event.entry);
    else state.delete(key);
  }
  const plain = (map: ReadonlyMap<string, Entry>) =>
    [...map.values()]
      .map(entry => `${entry.key} ${entry.createRevision} ${entry.modRevision}`)
      .sort()
      .join('\n');
  return plain(state) === plain(now) ? faults : [...faults, 'the changes do not lead to the state of now'];
}

function miscounts({before, events}: Observed): string[] {
  const first = before.get('/counter');
  let count = first === undefined ? 0 : Number(shown(first.value, '/counter'));
  return events.flatMap(event => {
    if (event.type !== 'put' || event.entry.key !== '/counter') return [];
    const got = Number(shown(event.entry.value, '/counter'));
    return got === ++count ? [] : [`${event.revision}: ${got} after ${count - 1}`];
  });
}

/** One data folder from its making through all rounds. */
async function live(dir: string, seed: number): Promise<{answered: number; written: number; unanswered: number}> {
  const random = seededRandom(seed);
  const acks: Ack[] = [];
  const ledger = new Ledger();
  const tally = {written: 0, unanswered: 0};
  for (let round = 0; round < ROUNDS; round++) {
    const kill = killOf(round, random);
    const answered = await runAndKill(dir, seed + round, kill);
    acks.push(...answered);
    await using store = await openSqliteStore({dir});
    const [oldest, newest] = [await store.compactedRevision(), await store.currentRevision()];
    const observed = await observe(store);
    const faults = {
      kept: lost(acks, ledger, {observed, oldest}),
      whole: halves(observed),
      gapless: gaps(observed.events, oldest, newest),
      replayed: replay(observed),
      counted: miscounts(observed),
    };
    const label = `PALISADE_SEED=${seed} round ${round}, killed at ${JSON.stringify(kill)}`;
    expect(faults, label).toEqual({kept: [], whole: [], gapless: [], replayed: [], counted: []});
    tally.written += Number(answered.length > 0);
    tally.unanswered += Number(answered.length > 0 && answered.every(ack => ack.revision < newest));
  }
  return {...tally, answered: new Set(acks.map(ack => ack.revision)).size};
}

test.each(Array.from({length: LIVES}, (_, i) => RUN_SEED + i * 1_000))(
  'seed %d: what was answered survives kill -9 at any moment, the rest is there wholly or not at all',
  {timeout: 300_000},
  async seed => {
    const dir = await mkdtemp(join(tmpdir(), 'palisade-crash-'));
    try {
      const {answered, written, unanswered} = await live(dir, seed);
      process.stdout.write(
        `store crash test: PALISADE_SEED=${seed}: ${answered} answered writes in ${written} of ${ROUNDS} rounds, 0 lost; ${unanswered} rounds ended with writes that were kept but not answered\n`,
      );
      expect(written).toBeGreaterThan(ROUNDS / 3);
    } finally {
      await rm(dir, {recursive: true});
    }
  },
);
