// SPDX-License-Identifier: Apache-2.0
/**
 * Writes to a store until it is killed: large values, so that the log is moved into the file every few hundred writes, with removals,
 * transactions over three keys and compaction. Says on stdout `ready`, then `ack REVISION KEY ID` (`-`: removed) for each answer, and
 * `removing 0 KEY` before a removal is asked for; `failed 0 CODE` when the disk did not take something, or refused the start.
 * Run: node store-writer.ts DIR SEED
 */
import {openSqliteStore} from '@palisade/store/sqlite';
import {seededRandom} from '../suite/random.ts';
import {say} from '../suite/say.ts';
import {largeValue} from './large-value.ts';

const WRITERS = 6;
const KEYS = 40;
const HISTORY = 60n;
/** In a row: a store that stays closed after the disk is well again is a fault. */
const FAILURES_MAX = 100;
let failures = 0;
const [dir = '', seed = '0'] = process.argv.slice(2);

const noteFailure = (error: unknown): void => {
  const {code = ''} = error as {code?: string};
  if (!/^disk-|^unavailable$/.test(code) || ++failures > FAILURES_MAX) throw error;
  say(`failed 0 ${code}`);
};

/** A start that the disk refuses is tried again. */
const open = (): ReturnType<typeof openSqliteStore> =>
  openSqliteStore({dir}).catch(error => {
    noteFailure(error);
    return open();
  });

const store = await open();
say('ready');

/** After a failure of the disk the next write is tried. */
const write = async (writer: number): Promise<void> => {
  for (let round = 0; ; round++)
    try {
      await writeOn(writer, round);
    } catch (error) {
      noteFailure(error);
    }
};

const writeOn = async (writer: number, round: number): Promise<void> => {
  const random = seededRandom(Number(seed) * 100 + writer + round * 10_000);
  for (let n = 0; ; n++) {
    const id = `${seed}.${writer}.${round}.${n}`;
    const [dice, key] = [random(), `/k/${writer}/${Math.floor(random() * KEYS)}`];
    if (dice < 0.2) {
      const keys = ['x', 'y', 'z'].map(name => `/t/${writer}/${name}`);
      const revision = await store.txn(keys.map(name => ({op: 'put', key: name, value: largeValue(id)})));
      for (const name of keys) say(`ack ${revision} ${name} ${id}`);
    } else if (dice < 0.3 && (await store.get(key)) !== undefined) {
      say(`removing 0 ${key}`);
      say(`ack ${await store.delete(key)} ${key} -`);
    } else say(`ack ${await store.put(key, largeValue(id))} ${key} ${id}`);
    failures = 0;
    const now = await store.currentRevision();
    if (writer === 0 && n % 10 === 9 && now > HISTORY) await store.compact(now - HISTORY);
  }
};

await Promise.all(Array.from({length: WRITERS}, (_, writer) => write(writer)));
