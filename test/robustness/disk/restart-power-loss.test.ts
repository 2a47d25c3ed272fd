// SPDX-License-Identifier: Apache-2.0
/**
 * A disk that fails syncs, a kill, and a start on a disk that is well again, before power goes: the system takes what the failed syncs
 * left out for written, so a log that begins with it would end there. PALISADE_SOAK=1: 100 states instead of 6.
 */
import {spawnSync} from 'node:child_process';
import {randomInt} from 'node:crypto';
import {existsSync, statSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {STORE_FILE} from '@palisade/store/sqlite';
import {describe, expect, test} from 'vitest';
import {seededRandom} from '../suite/random.ts';
import {DiskLab} from './disk-lab.ts';
import {whyNoDisk} from './faulty-disk.ts';
import {runAndKill} from './lives.ts';
import {checkRecordAnswers, reportedIn} from './record-answers.ts';
import {checkAnswers, newestAnswers} from './store-answers.ts';

const SOAK = process.env['PALISADE_SOAK'] === '1';
const STATES = SOAK ? 100 : 6;
const SEED = Number(process.env['PALISADE_SEED'] ?? randomInt(1_000_000));
const pathOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const WRITER = pathOf('./store-writer.ts');
const SHRINKER = pathOf('./shrinking-child.ts');
const RECORDS = pathOf('../records/record-store-child.ts');
const LINES = 90;
/** Of a life whose log is not moved into the file. */
const FEW_LINES = 12;
/** The log has been moved into the file, and has a part of its pages again. */
const MANY_LINES = 700;
/** Changes of the disk at the end of a shrink, and states after each of them; those with a new file and an old log are looked at. */
const [LAST_STEPS, SHRINK_STATES] = [3, SOAK ? 150 : 30];

const linesOf = (said: string): string[] => said.split('\n').slice(0, -1);

const whyNot = whyNoDisk();
describe.skipIf(whyNot !== undefined)(`seed ${SEED}${whyNot === undefined ? '' : ` (skipped: ${whyNot})`}`, () => {
  /** Two lives, the first of them with failing syncs; then states after power loss at the end. */
  const restarted = async (
    lab: DiskLab,
    {program, files}: {readonly program: (life: number) => readonly string[]; readonly files: string},
    check: (folder: string, said: readonly string[]) => Promise<void>,
  ): Promise<void> => {
    lab.disk.arm({call: 'sync', errno: 'EIO', after: 6, times: Number.POSITIVE_INFINITY, files});
    await runAndKill({lab, program: program(0), lines: LINES});
    lab.disk.disarm();
    expect(lab.disk.hits()[0]?.struck).toBeGreaterThan(0);
    await runAndKill({lab, program: program(1), lines: FEW_LINES});
    const random = seededRandom(SEED);
    const into = join(lab.parent, 'state');
    for (let i = 0; i < STATES; i++) {
      const lines = linesOf(lab.disk.imagine(into, random).said);
      expect(lines.some(line => line.startsWith('failed'))).toBe(true);
      await check(into, lines);
    }
  };

  test('48-1 lose no answer of the store', {timeout: 600_000}, async () => {
    await using lab = await DiskLab.make();
    const program = (life: number): readonly string[] => [WRITER, lab.at('data'), String(SEED + life)];
    await restarted(lab, {program, files: '-wal'}, (folder, said) =>
      checkAnswers(join(folder, 'data'), newestAnswers(said)),
    );
  });

  test('48-1 lose no record that was reported', {timeout: 600_000}, async () => {
    await using lab = await DiskLab.make();
    const program = (): readonly string[] => [RECORDS, lab.at('records')];
    await restarted(lab, {program, files: 'journal.db-wal'}, (folder, said) =>
      checkRecordAnswers(join(folder, 'records'), reportedIn(said)),
    );
  });

  test('48-3 power loss at any step in which a shrunk file takes its place loses nothing', {
    timeout: 600_000,
  }, async () => {
    await using lab = await DiskLab.make();
    const {disk} = lab;
    await runAndKill({lab, program: [WRITER, lab.at('data'), String(SEED)], lines: MANY_LINES}); // its log remains
    const env = {...process.env, ...disk.env()};
    const {status, stderr} = spawnSync(process.execPath, ['--no-warnings', SHRINKER, lab.at('data')], {env});
    expect(status, String(stderr)).toBe(0);
    const random = seededRandom(SEED);
    const into = join(lab.parent, 'state');
    const [draft, log] = ['-new', '-wal'].map(suffix => join(into, 'data', `${STORE_FILE}${suffix}`)) as [
      string,
      string,
    ];
    for (let at = disk.operations - LAST_STEPS; at <= disk.operations; at++)
      for (let i = 0; i < SHRINK_STATES; i++) {
        const said = linesOf(disk.imagine(into, random, at).said);
        const isReplaced = !existsSync(draft) && (statSync(log, {throwIfNoEntry: false})?.size ?? 0) > 0;
        if (i < STATES || isReplaced) await checkAnswers(join(into, 'data'), newestAnswers(said));
      }
  });
});
