// SPDX-License-Identifier: Apache-2.0
/**
 * The robustness suite over the record store: one short life with the faults that matter most. The long form is `make soak MINUTES=N`.
 * A run prints its seed; PALISADE_SEED=n repeats it. PALISADE_SOAK=1: each broken record store is found, too.
 */
import {randomInt} from 'node:crypto';
import {rmSync} from 'node:fs';
import {expect, test} from 'vitest';
import {whyNoDisk} from '../disk/faulty-disk.ts';
import type {Round} from '../suite/faults.ts';
import {type LifeResult, runLife} from '../suite/life.ts';
import {linesOf} from '../suite/report.ts';
import {BREAKS} from './subject/lines.ts';
import {recordsSubject} from './subject/records-subject.ts';

const SEED = Number(process.env['PALISADE_SEED'] ?? randomInt(1_000_000));
const round = (end: Round['end'], ...during: Round['during']): Round => ({during, end, damage: undefined});
const SHORT: readonly Round[] = [
  round('power-loss', 'eio-sync'),
  {...round('kill', 'disk-full'), damage: 'wal-zero'},
  round('power-loss', 'clock-back'),
];
const WITHOUT_DISK: readonly Round[] = [round('kill', 'pause'), {...round('kill'), damage: 'wal-cut'}];

const found = ({violations}: LifeResult): string[] =>
  Object.entries(violations).flatMap(([name, list]) => (list.length > 0 ? name : []));

test(`48-1 a life of the record store: nothing that was answered is lost (seed ${SEED})`, async () => {
  const script = whyNoDisk() === undefined ? SHORT : WITHOUT_DISK;
  const life = await runLife(recordsSubject(), SEED, {rounds: script.length, script});
  expect(found(life), linesOf(life)).toEqual([]);
  expect(life.counts['answered']).toBeGreaterThan(0);
  expect(life.counts['exported']).toBeGreaterThan(0);
});

test.runIf(process.env['PALISADE_SOAK'] === '1').each(BREAKS)(
  `48-1 a record store that %s is found (seed ${SEED})`,
  async broken => {
    const script = [round('kill'), round('kill'), round('kill')];
    let caught: string[] = [];
    for (let seed = SEED; caught.length === 0 && seed < SEED + 5; seed++) {
      const life = await runLife(recordsSubject({broken}), seed, {rounds: script.length, script});
      caught = found(life);
      if (life.kept !== undefined) rmSync(life.kept, {recursive: true});
    }
    expect(caught.length).toBeGreaterThan(0);
  },
  600_000,
);
