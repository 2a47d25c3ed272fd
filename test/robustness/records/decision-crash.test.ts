// SPDX-License-Identifier: Apache-2.0
/**
 * kill -9 in the middle of decisions about threats. A folder of records lives through ROUNDS: each decides until it is killed at a moment that
 * the seed chooses, then the store is opened and looked at:
 *   kept       every decision that was answered is with its threat, once
 *   whole      one about several threats that was not answered is with all of them or with none
 *   nothing    else is there, and no record is lost
 * A run prints its seed; PALISADE_SEED=n repeats it (the moments follow from it up to the scheduling of the machine). PALISADE_SOAK=1: 20 folders instead of one.
 */
import {spawn} from 'node:child_process';
import {randomInt} from 'node:crypto';
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {fileURLToPath} from 'node:url';
import type {ThreatRecord} from '@palisade/ids-wire';
import {expect, test} from 'vitest';
import {RECORD_BUDGETS_DEFAULT} from '../../../packages/ids/src/limits.ts';
import type {RecordStore} from '../../../packages/ids/src/records/record-store.ts';
import {openSqliteRecordStore} from '../../../packages/ids/src/records/sqlite/record-store.ts';
import {idAt} from '../../../packages/ids/src/testing/triage-contract.ts';
import {seededRandom} from '../suite/random.ts';
import {CLOCK, LOW, SILENT, THREATS} from './decision-records.ts';

const LIVES = process.env['PALISADE_SOAK'] === '1' ? 20 : 1;
const ROUNDS = 6;
const DECISIONS_MAX = 120;
const SEED = Number(process.env['PALISADE_SEED'] ?? randomInt(1_000_000));
const WRITER = fileURLToPath(new URL('./decision-writer.ts', import.meta.url));

/** By number: which threats, and whether it was answered. */
type Said = Map<number, {readonly target: string; done: boolean}>;

const runAndKill = async (folder: string, seed: number, said: Said, answers: number): Promise<void> => {
  const first = String(Math.max(-1, ...said.keys()) + 1);
  const child = spawn(process.execPath, [WRITER, folder, String(seed), first], {stdio: ['ignore', 'pipe', 'pipe']});
  const ended = new Promise(resolve => child.once('close', resolve));
  let complaint = '';
  child.stderr.on('data', (chunk: Buffer) => {
    complaint += chunk.toString();
  });
  let count = 0;
  // What it said before it died is still in the pipe: it is read to the end.
  for await (const line of createInterface({input: child.stdout})) {
    const [word, number = '0', target = ''] = line.split(' ');
    const known = said.get(Number(number));
    if (word === 'begin') said.set(Number(number), {target, done: false});
    else if (word === 'done' && known !== undefined) known.done = true;
    if (word === 'done' && ++count === answers) child.kill('SIGKILL');
  }
  await ended;
  expect({signal: child.signalCode, complaint}).toEqual({signal: 'SIGKILL', complaint: ''});
};

const commentsOf = async (store: RecordStore): Promise<readonly number[][]> => {
  const {records} = await store.page({...LOW, filter: '', orderBy: '', limit: 10 * THREATS.length});
  expect(records).toHaveLength(THREATS.length);
  const byId = new Map(records.map(({id, record}) => [id, record as ThreatRecord]));
  return THREATS.map((threat, i) => (byId.get(idAt(threat, i))?.comments ?? []).map(({text}) => Number(text)));
};

const faultsOf = (comments: readonly number[][], said: Said): string[] => {
  const low = THREATS.flatMap(({alert_severity}, i) => (alert_severity === 'LOW' ? [i] : []));
  const faults: string[] = [];
  for (const [number, {target, done}] of said) {
    const wanted = target === 'low' ? low : [Number(target)];
    const having = comments.flatMap((numbers, i) => numbers.filter(each => each === number).map(() => i));
    if (having.length === 0 && !done) continue;
    if (having.join() !== wanted.join()) faults.push(`${number} (${done ? 'answered' : 'not answered'}): ${having}`);
  }
  const unknown = comments.flat().filter(number => !said.has(number));
  return unknown.length === 0 ? faults : [...faults, `nobody said ${unknown}`];
};

const live = async (folder: string, seed: number): Promise<void> => {
  const random = seededRandom(seed);
  const said: Said = new Map();
  for (let round = 0; round < ROUNDS; round++) {
    await runAndKill(folder, seed + round, said, 1 + Math.floor(random() * DECISIONS_MAX));
    const store = openSqliteRecordStore({folder, budgets: RECORD_BUDGETS_DEFAULT, clock: CLOCK, log: SILENT});
    await store.start();
    try {
      expect({round, faults: faultsOf(await commentsOf(store), said)}).toEqual({round, faults: []});
    } finally {
      await store.close();
    }
  }
  expect([...said.values()].some(({done}) => done)).toBe(true);
};

test.each(Array.from({length: LIVES}, (_, i) => SEED + i * 1000))(
  '44-4 decisions survive kill -9 (seed %i)',
  async seed => {
    const parent = await mkdtemp(join(tmpdir(), 'palisade-decisions-'));
    try {
      await live(join(parent, 'records'), seed);
    } finally {
      await rm(parent, {recursive: true, force: true});
    }
  },
);
