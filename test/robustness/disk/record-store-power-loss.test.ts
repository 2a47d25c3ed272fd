// SPDX-License-Identifier: Apache-2.0
/**
 * Power loss at any moment of a record store: every commit that was reported is there, and each of its records once. The partitions
 * are not synced with each commit: the redo log in the journal has what they may lack.
 * PALISADE_SOAK=1: 6 lives with 30 states each instead of 2 with 2. PALISADE_SEED=n repeats a run up to the scheduling of the machine.
 */
import {randomInt} from 'node:crypto';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {expect, test} from 'vitest';
import {RECORD_BUDGETS_DEFAULT} from '../../../packages/ids/src/limits.ts';
import type {RecordStore} from '../../../packages/ids/src/records/record-store.ts';
import {openSqliteRecordStore} from '../../../packages/ids/src/records/sqlite/record-store.ts';
import {A, B, readAll, T0} from '../../../packages/ids/src/testing/record-store-contract.ts';
import {parseIdsEndpointName} from '../../../packages/ids-wire/src/index.ts';
import {RECORDS_OF_A_BATCH} from '../records/record-store-say.ts';
import {seededRandom} from '../suite/random.ts';
import {DiskLab} from './disk-lab.ts';
import {whyNoDisk} from './faulty-disk.ts';
import {live} from './lives.ts';

const SOAK = process.env['PALISADE_SOAK'] === '1';
const [LIVES, STATES] = SOAK ? [6, 30] : [2, 2];
const SEED = Number(process.env['PALISADE_SEED'] ?? randomInt(1_000_000));
const CHILD = fileURLToPath(new URL('../records/record-store-child.ts', import.meta.url));
/** The store makes it, and its parent. */
const FOLDER = 'made/records';
const [COMMITS_MIN, COMMITS_MAX] = [5, SOAK ? 100 : 25];

/** The last batch that was reported, by endpoint. */
type Reported = ReadonlyMap<string, number>;

const reportedIn = (said: readonly string[], before: Reported): Reported => {
  const all = new Map(before);
  for (const line of said) {
    const [endpoint = '', batch] = line.split(' ');
    all.set(endpoint, Number(batch));
  }
  return all;
};

const faultsOf = async (store: RecordStore, endpoint: string, reported: number): Promise<string[]> => {
  const batches = (await store.load(endpoint))?.checkpoint?.offset ?? 0;
  const name = parseIdsEndpointName(endpoint);
  if (name === undefined) throw new Error(endpoint);
  const threats = await readAll(store, {kind: 'threats', name, filter: ''});
  const counts = await store.counts(endpoint);
  const evidence = threats.length === 0 ? 'event 0' : await store.evidence(endpoint, threats.at(-1)?.id ?? '');
  const sum = threats.reduce((total, {record}) => total + Number(record.repeat_count), 0);
  const expected = batches * RECORDS_OF_A_BATCH;
  return [
    ...(batches < reported ? [`batch ${reported} was reported, the position is ${batches}`] : []),
    ...(threats.length === expected ? [] : [`${threats.length} threats instead of ${expected}`]),
    ...(new Set(threats.map(({id}) => id)).size === threats.length ? [] : ['a threat is there twice']),
    ...(sum === threats.length + Math.max(0, batches - 1) ? [] : [`repeat_count adds up to ${sum}`]),
    ...(counts.threats === expected && counts.traffic === batches ? [] : [`counted as ${JSON.stringify(counts)}`]),
    ...(/^event \d+$/.test(evidence ?? '') ? [] : ['the last threat has no evidence']),
  ];
};

const check = async (folder: string, reported: Reported): Promise<void> => {
  const complaints: string[] = [];
  const complain = (fields: object, message: string): void =>
    void complaints.push(`${message} ${JSON.stringify(fields)}`);
  const ignore = (): void => undefined;
  const store = openSqliteRecordStore({
    folder,
    budgets: RECORD_BUDGETS_DEFAULT,
    clock: {now: () => T0},
    log: {debug: ignore, info: ignore, warn: complain, error: complain},
  });
  try {
    await store.start();
    const faults = await Promise.all([A, B].map(async one => faultsOf(store, one, reported.get(one) ?? 0)));
    if (faults.flat().length + complaints.length > 0) throw new Error([...faults.flat(), ...complaints].join('\n'));
  } finally {
    await store.close();
  }
};

test.skipIf(whyNoDisk() !== undefined)(
  `48-1 records that were committed survive power loss at any moment (seed ${SEED})${whyNoDisk() ?? ''}`,
  {timeout: 1_800_000},
  async () => {
    await using lab = await DiskLab.make();
    const random = seededRandom(SEED);
    let reported: Reported = new Map();
    for (let n = 0; n < LIVES; n++) {
      const before = reported;
      const {said} = await live({
        lab,
        program: [CHILD, lab.at(FOLDER)],
        lines: COMMITS_MIN + Math.floor(random() * (COMMITS_MAX - COMMITS_MIN)),
        states: STATES,
        random,
        check: (folder, until) => check(join(folder, FOLDER), reportedIn(until, before)),
      });
      expect(said.filter(line => line.startsWith('failed'))).toEqual([]);
      reported = reportedIn(said, before);
    }
    process.stdout.write(
      `record store power loss: PALISADE_SEED=${SEED}: ${LIVES * STATES} states, ${[...reported.values()].join(' and ')} batches, 0 lost\n`,
    );
  },
);
