// SPDX-License-Identifier: Apache-2.0
/**
 * Power loss at any moment of a record store: every commit that was reported is there, and each of its records once. The partitions
 * are not synced with each commit: the redo log in the journal has what they may lack.
 * PALISADE_SOAK=1: 6 lives with 30 states each instead of 1 with 3. PALISADE_SEED=n repeats a run up to the scheduling of the machine.
 */
import {randomInt} from 'node:crypto';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {describe, expect, test} from 'vitest';
import {seededRandom} from '../suite/random.ts';
import {DiskLab} from './disk-lab.ts';
import {whyNoDisk} from './faulty-disk.ts';
import {live} from './lives.ts';
import {checkRecordAnswers, type Reported, reportedIn} from './record-answers.ts';

const SOAK = process.env['PALISADE_SOAK'] === '1';
const [LIVES, STATES] = SOAK ? [6, 30] : [1, 3];
const SEED = Number(process.env['PALISADE_SEED'] ?? randomInt(1_000_000));
const CHILD = fileURLToPath(new URL('../records/record-store-child.ts', import.meta.url));
/** The store makes it, and its parent. */
const FOLDER = 'made/records';
const [COMMITS_MIN, COMMITS_MAX] = [5, SOAK ? 100 : 25];

const whyNot = whyNoDisk();
describe.skipIf(whyNot !== undefined)(`seed ${SEED}${whyNot === undefined ? '' : ` (skipped: ${whyNot})`}`, () => {
  test('48-1 records that were committed survive power loss at any moment', {timeout: 1_800_000}, async () => {
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
        check: (folder, until) => checkRecordAnswers(join(folder, FOLDER), reportedIn(until, before)),
      });
      expect(said.filter(line => line.startsWith('failed'))).toEqual([]);
      reported = reportedIn(said, before);
    }
    process.stdout.write(
      `record store power loss: PALISADE_SEED=${SEED}: ${LIVES * STATES} states, ${[...reported.values()].join(' and ')} batches, 0 lost\n`,
    );
  });
});
