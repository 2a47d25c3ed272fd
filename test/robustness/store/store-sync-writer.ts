// SPDX-License-Identifier: Apache-2.0
/**
 * Writes in rounds, for a trace of its system calls: `inFlight` writes at once, `rounds` times, and each answer is a line
 * `ack <n>` on stdout, written in the turn in which it came. A round begins when the one before is answered.
 * Run: node store-sync-writer.ts DIR IN_FLIGHT ROUNDS [unsynced]   (`unsynced`: a store that promises too much, to try the trace)
 */
import {join} from 'node:path';
import {DatabaseSync} from 'node:sqlite';
import {openSqliteStore, STORE_FILE} from '@palisade/store/sqlite';
import {say} from '../suite/say.ts';

const [dir = '', inFlight = '1', rounds = '1', mode] = process.argv.slice(2);
const VALUE = Buffer.alloc(200, 'x');

type Writer = {put(key: string): Promise<unknown>; close(): Promise<void> | void};

/** COMMITs that do not wait for the disk. */
const openUnsynced = (): Writer => {
  const db = new DatabaseSync(join(dir, STORE_FILE));
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; CREATE TABLE t (key TEXT, value BLOB)');
  const insert = db.prepare('INSERT INTO t VALUES (?, ?)');
  return {put: async key => insert.run(key, VALUE), close: () => db.close()};
};

const openStore = async (): Promise<Writer> => {
  const store = await openSqliteStore({dir});
  return {put: key => store.put(key, VALUE), close: () => store.close()};
};

const writer = mode === 'unsynced' ? openUnsynced() : await openStore();
say('ready');
let written = 0;
for (let round = 0; round < Number(rounds); round++)
  await Promise.all(
    Array.from({length: Number(inFlight)}, async () => {
      const n = written++;
      await writer.put(`/k${n}`);
      say(`ack ${n}`);
    }),
  );
say('done');
await writer.close();
