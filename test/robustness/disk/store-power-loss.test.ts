// SPDX-License-Identifier: Apache-2.0
/**
 * Power loss at any moment of a store: while it is made, opened, written, checkpointed, compacted, and while it recovers from the
 * loss before; in every other life the disk also fails some syncs and writes. What was answered is there, every value and every transaction is whole, and the start is not refused.
 * PALISADE_SOAK=1: 10 lives with 30 states each instead of 2 with 3. PALISADE_SEED=n repeats a run up to the scheduling of the machine.
 */
import {randomInt} from 'node:crypto';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {describe, expect, test} from 'vitest';
import {seededRandom} from '../suite/random.ts';
import {DiskLab} from './disk-lab.ts';
import {type DiskFault, whyNoDisk} from './faulty-disk.ts';
import {live} from './lives.ts';
import {checkAnswers, type Known, newestAnswers} from './store-answers.ts';

const SOAK = process.env['PALISADE_SOAK'] === '1';
const [LIVES, STATES] = SOAK ? [10, 30] : [2, 3];
const SEED = Number(process.env['PALISADE_SEED'] ?? randomInt(1_000_000));
const WRITER = fileURLToPath(new URL('./store-writer.ts', import.meta.url));
/** The store makes it, and its parent. */
const FOLDER = 'made/data';
/** The log is moved into the file after about 500. */
const [ANSWERS_MIN, ANSWERS_MAX] = [20, SOAK ? 1_500 : 550];

const FAULTS: readonly Omit<DiskFault, 'after' | 'times'>[] = [
  {call: 'sync', errno: 'EIO', files: '-wal'},
  {call: 'sync', errno: 'EIO', files: 'store.db'},
  {call: 'write', errno: 'EIO', files: '-wal'},
  {call: 'write', errno: 'ENOSPC', files: '-wal'},
  {call: 'write', errno: 'short', files: '-wal'},
  {call: 'write', errno: 'EIO', files: 'store.db'},
];

/** In every other life, two faults that strike a few times each, some way into it. */
const faultsOfLife = (life: number, random: () => number): DiskFault[] =>
  Array.from({length: (life % 2) * 2}, () => {
    const fault = FAULTS[Math.floor(random() * FAULTS.length)] ?? {call: 'sync', errno: 'EIO'};
    return {...fault, after: Math.floor(random() * 60), times: 1 + Math.floor(random() * 3)};
  });

const whyNot = whyNoDisk();
describe.skipIf(whyNot !== undefined)(`seed ${SEED}${whyNot === undefined ? '' : ` (skipped: ${whyNot})`}`, () => {
  test('48-1 answered writes of a store survive power loss at any moment', {timeout: 1_800_000}, async () => {
    await using lab = await DiskLab.make();
    const random = seededRandom(SEED);
    let known: ReadonlyMap<string, Known> = new Map();
    let [lost, torn, failed] = [0, 0, 0];
    for (let n = 0; n < LIVES; n++) {
      const lines = ANSWERS_MIN + Math.floor(random() * (ANSWERS_MAX - ANSWERS_MIN));
      const before = known;
      const {said, loss} = await live({
        lab,
        program: [WRITER, lab.at(FOLDER), String(SEED + n)],
        lines,
        states: STATES,
        random,
        faults: faultsOfLife(n, random),
        check: (folder, until) => checkAnswers(join(folder, FOLDER), newestAnswers(until, before)),
      });
      known = newestAnswers(said, before);
      failed += said.filter(line => line.startsWith('failed')).length;
      lost += loss.lost;
      torn += loss.torn;
    }
    process.stdout.write(
      `store power loss: PALISADE_SEED=${SEED}: ${LIVES * STATES} states, ${known.size} keys, 0 lost; ${failed} writes failed; disk: ${lost} writes lost, ${torn} torn at the ends\n`,
    );
    expect(known.size).toBeGreaterThan(10);
  });

  test('48-1 a sync of the log that fails loses no later answer: unsynced bytes are written again', {
    timeout: 1_800_000,
  }, async () => {
    await using lab = await DiskLab.make();
    const {said} = await live({
      lab,
      program: [WRITER, lab.at(FOLDER), String(SEED)],
      lines: 90,
      states: SOAK ? 100 : 6,
      random: seededRandom(SEED),
      // That of a commit, and of the close after it, so that the log remains.
      faults: [{call: 'sync', errno: 'EIO', after: 4, times: 2, files: '-wal'}],
      check: (folder, until) => checkAnswers(join(folder, FOLDER), newestAnswers(until)),
    });
    expect(lab.disk.hits()[0]?.struck).toBe(2);
    expect(said.some(line => line.startsWith('failed'))).toBe(true);
  });
});
