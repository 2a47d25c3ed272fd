// SPDX-License-Identifier: Apache-2.0
/**
 * The process that gets killed: opens a store and writes with many in flight, and says on stdout what was answered,
 * one line each, written before the next write of that writer begins:
 *   `opening`, `ready <revision>`, `ack <revision> <op> <key> <id>`
 * What it writes follows from the seed and from the state that it finds. Run: node store-writer.ts DIR SEED
 */
import {openSqliteStore} from '@palisade/store/sqlite';
import {seededRandom} from '../suite/random.ts';
import {say} from '../suite/say.ts';
import {fillValue} from './store-traffic.ts';

const WRITERS = 64;
const [dir = '', seedText = '0'] = process.argv.slice(2);
const seed = Number(seedText);

say('opening');
const store = await openSqliteStore({dir});
const start = await store.currentRevision();
say(`ready ${start}`);

/** One writer: its own keys, transactions over three keys, removals, and a counter that all of them fight for. */
async function write(writer: number): Promise<void> {
  const random = seededRandom(seed * 1_000 + writer);
  const own = `/w/${seed}/${writer}`;
  let last: string | undefined;
  for (let n = 0; ; n++) {
    const id = `${seed}.${writer}.${n}`;
    const dice = random();
    if (dice < 0.55) {
      last = `${own}/${n}`;
      say(`ack ${await store.put(last, fillValue(id), 0n)} put ${last} ${id}`);
    } else if (dice < 0.75) {
      const keys = ['x', 'y', 'z'].map(name => `/t/${writer}/${name}`);
      const revision = await store.txn(keys.map(key => ({op: 'put', key, value: fillValue(id)})));
      for (const key of keys) say(`ack ${revision} put ${key} ${id}`);
    } else if (dice < 0.85) {
      if (last === undefined) continue;
      say(`ack ${await store.delete(last)} delete ${last} -`);
      last = undefined;
    } else await count();
  }
}

/** Adds one to the counter, or loses to another writer. */
async function count(): Promise<void> {
  const found = await store.get('/counter');
  const next = Number(new TextDecoder().decode(found?.value ?? new Uint8Array(1).fill(48))) + 1;
  try {
    const value = new TextEncoder().encode(String(next));
    say(`ack ${await store.put('/counter', value, found?.modRevision ?? 0n)} count /counter ${next}`);
  } catch (error) {
    if (!(error instanceof Error && /^(revision-conflict|key-exists)/.test(error.message))) throw error;
  }
}

/** Every third seed also compacts, so that the process may die in the middle of that. */
async function compact(): Promise<void> {
  for (;;) {
    const now = await store.currentRevision();
    if (now > 200n) await store.compact(now - 200n);
    await store.put('/compactor', fillValue(`${seed}.c.${now}`));
  }
}

await Promise.all([...Array.from({length: WRITERS}, (_, i) => write(i)), ...(seed % 3 === 0 ? [compact()] : [])]);
