// SPDX-License-Identifier: Apache-2.0
/**
 * The short form of the suite: one life of each subject by a new seed, and stores that are broken on purpose, which it has to
 * find. A run prints its seeds; PALISADE_SEED=n repeats it. The long form: `make soak MINUTES=N`.
 */
import {randomInt} from 'node:crypto';
import {rmSync} from 'node:fs';
import {expect, test} from 'vitest';
import {whyNoDisk} from '../disk/faulty-disk.ts';
import {storeSubject} from '../store/subject/store-subject.ts';
import type {Round} from './faults.ts';
import {type LifeOptions, type LifeResult, runLife} from './life.ts';
import {isViolated, linesOf} from './report.ts';
import {SUBJECTS} from './subjects.ts';

const SEED = Number(process.env['PALISADE_SEED'] ?? randomInt(1_000_000));
const CHANCES = 15;
const LIMIT_MS = 300_000;
const ending = (end: Round['end']): Round => ({during: [], end, damage: undefined});

/** The short form of each subject; of others: three rounds as the seed draws them. */
const SHORT: Readonly<Record<string, LifeOptions>> = {
  store: {script: [ending('kill-at-start'), ending('kill')], rounds: 3, answersMax: 600},
  server: {script: [{during: [], end: 'kill', damage: 'wal-zero'}], rounds: 1, answersMax: 60},
  records: {
    script: [
      {during: ['eio-sync'], end: 'power-loss', damage: undefined},
      {during: ['disk-full'], end: 'kill', damage: 'wal-zero'},
    ],
    rounds: 1,
    answersMax: 40,
  },
};

/** Checks of violations that a broken subject must have. */
const foundIn = (life: LifeResult): string[] => {
  if (life.kept !== undefined) rmSync(life.kept, {recursive: true}); // it is broken on purpose
  return Object.entries(life.violations)
    .filter(([, list]) => list.length > 0)
    .map(([name]) => name);
};

test.each(SUBJECTS.map(subject => ({name: subject.name, subject})))(
  `48-1 $name: random traffic and faults, and every promise is kept (seed ${SEED})`,
  {timeout: LIMIT_MS},
  async ({subject}) => {
    const life = await runLife(subject, SEED, SHORT[subject.name] ?? {rounds: 3});
    process.stdout.write(`${linesOf(life)}\n`);
    expect(isViolated(life) ? linesOf(life) : '').toBe('');
    expect(life.counts['writes']).toBeGreaterThan(0);
  },
);

const noDisk = whyNoDisk();
test.skipIf(noDisk !== undefined)(
  `48-1 a store that does not wait for the disk loses answered writes when power goes: found${noDisk === undefined ? '' : ` (skipped: ${noDisk})`}`,
  {timeout: LIMIT_MS},
  async () => {
    const options = {script: [ending('power-loss')], rounds: 0, answersMax: 300};
    expect(foundIn(await runLife(storeSubject(), SEED, options))).toEqual([]);
    // A disk may keep all of it by chance, or so little that the start is refused.
    const found: string[] = [];
    for (let n = 0; n < CHANCES && !found.includes('linearizable'); n++)
      found.push(...foundIn(await runLife(storeSubject('unsynced'), SEED + n, options)));
    expect(found).toContain('linearizable');
  },
);

test('48-1 a watch that leaves one change out: found', {timeout: LIMIT_MS}, async () => {
  const options = {script: [ending('kill')], rounds: 0, answersMax: 300};
  const found = foundIn(await runLife(storeSubject('drops-event'), SEED, options));
  expect(found.some(name => name === 'reliable' || name === 'resumable')).toBe(true);
});
