// SPDX-License-Identifier: Apache-2.0
/**
 * `decision-writer.ts FOLDER SEED FIRST`: opens a record store and decides, several at a time, until it is killed. Every decision is a
 * comment with a number of its own, from FIRST on; between them the records are written again, and comments go to all LOW records at once.
 *
 *   ready                    it is open and has its records
 *   begin N TARGET           before; TARGET is the number of a threat, or `low`
 *   done N                   it was answered
 */
import {RECORD_BUDGETS_DEFAULT} from '../../../packages/ids/src/limits.ts';
import {openSqliteRecordStore} from '../../../packages/ids/src/records/sqlite/record-store.ts';
import {idAt, writeThreats} from '../../../packages/ids/src/testing/triage-contract.ts';
import {seededRandom} from '../suite/random.ts';
import {say} from '../suite/say.ts';
import {CLOCK, ENDPOINT, LOW, SILENT, THREATS} from './decision-records.ts';

const PARALLEL = 6;
const LOW_EVERY = 8;
const WRITE_EVERY = 5;

const [folder = '', seed = '0', first = '0'] = process.argv.slice(2);
const random = seededRandom(Number(seed));
const store = openSqliteRecordStore({folder, budgets: RECORD_BUDGETS_DEFAULT, clock: CLOCK, log: SILENT});
await store.start();
await writeThreats(store, ENDPOINT, THREATS);
say('ready');

let next = Number(first);
const decide = async (): Promise<void> => {
  const number = next++;
  const threat = Math.floor(random() * THREATS.length);
  const toLow = random() * LOW_EVERY < 1;
  const record = THREATS[threat];
  if (record === undefined) return;
  say(`begin ${number} ${toLow ? 'low' : threat}`);
  const target = toLow ? LOW : {endpoint: ENDPOINT, id: idAt(record, threat)};
  await store.triage(target, {action: 'comment', user: 'ann', timeMs: CLOCK.now(), text: String(number)});
  say(`done ${number}`);
  if (random() * WRITE_EVERY < 1)
    await writeThreats(
      store,
      ENDPOINT,
      THREATS.map(each => ({...each, repeat_count: String(number)})),
    );
};
const run = async (): Promise<void> => {
  for (;;) await decide();
};
await Promise.all(Array.from({length: PARALLEL}, run));
