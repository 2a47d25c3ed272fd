// SPDX-License-Identifier: Apache-2.0
/**
 * The faulty disk loses what was not synced, and nothing else: with plain files, and with SQLite, which loses a committed row
 * with synchronous=OFF and none with FULL. PALISADE_SOAK=1: 40 times as many states. PALISADE_SEED=n repeats a run.
 */
import {randomInt} from 'node:crypto';
import {existsSync, readFileSync, statSync} from 'node:fs';
import {join} from 'node:path';
import {DatabaseSync} from 'node:sqlite';
import {describe, expect, test} from 'vitest';
import {seededRandom} from '../suite/random.ts';
import {DiskChild, DiskLab} from './disk-lab.ts';
import {whyNoDisk} from './faulty-disk.ts';

const STATES = process.env['PALISADE_SOAK'] === '1' ? 4_000 : 100;
const SEED = Number(process.env['PALISADE_SEED'] ?? randomInt(1_000_000));
const ROWS = 12;
const whyNot = whyNoDisk();

/** Does what the lines say, and is killed. */
const run = async ({disk}: DiskLab, lines: readonly string[]): Promise<void> => {
  const child = new DiskChild(disk);
  for (const line of lines) expect(await child.ask(line), line).toMatch(/^ok /);
  await child.kill();
  expect(disk.unexplained()).toEqual([]);
};

/** What a look at each of many states gives, without the lines that were not answered before that moment. */
const lookAt = <T>(
  lab: DiskLab,
  look: (folder: string, answered: number) => T,
  moment: (random: () => number) => number,
): T[] => {
  const random = seededRandom(SEED);
  return Array.from({length: STATES}, () => {
    const into = join(lab.parent, 'state');
    const {said} = lab.disk.imagine(into, random, moment(random));
    return look(into, said.split('\n').length - 1);
  });
};

describe.skipIf(whyNot !== undefined)(`a faulty disk${whyNot === undefined ? '' : ` (skipped: ${whyNot})`}`, () => {
  test('48-1 the log explains every byte and name that a program left', async () => {
    await using lab = await DiskLab.make();
    await run(lab, [`everything ${lab.disk.folder}`]);
    lab.disk.losePower(() => 1 / 6); // the state that keeps everything
    expect(statSync(lab.at('x/w/z/deep')).size).toBe('deeper'.length);
    expect(lab.disk.operations).toBe(0);
  });

  test('48-1 a file that was not synced is lost or torn; one that was is kept', async () => {
    await using lab = await DiskLab.make();
    const text = 'x'.repeat(20_000);
    await run(lab, [
      `synced ${lab.at('sure')} ${text}`,
      `sync ${lab.disk.folder}`,
      `write ${lab.at('unsure')} ${text}`,
    ]);
    const at = lab.disk.operations;
    const found = lookAt(
      lab,
      folder => {
        expect(readFileSync(join(folder, 'sure'), 'utf8')).toBe(text);
        const unsure = join(folder, 'unsure');
        if (!existsSync(unsure)) return 'lost';
        const rest = readFileSync(unsure, 'utf8');
        return rest === text ? 'kept' : rest === '' ? 'empty' : rest.length < text.length ? 'cut' : 'torn';
      },
      () => at,
    );
    expect(new Set(found)).toEqual(new Set(['lost', 'kept', 'empty', 'cut', 'torn']));
  });

  test('48-1 losing power rewrites the folder; the next process has the rest', async () => {
    await using lab = await DiskLab.make();
    await run(lab, [`synced ${lab.at('sure')} sure`, `sync ${lab.disk.folder}`, `write ${lab.at('unsure')} x`]);
    expect(lab.disk.losePower(() => 0)).toEqual({kept: 0, lost: 1, torn: 0, names: {kept: 0, lost: 1}});
    await run(lab, [`read ${lab.at('sure')}`, `write ${lab.at('sure')} changed`]);
    expect(existsSync(lab.at('unsure'))).toBe(false);
    expect(lab.disk.losePower(() => 0)).toMatchObject({lost: 1});
    expect(readFileSync(lab.at('sure'), 'utf8')).toBe('sure');
  });

  test('48-1 a rename may be undone until its folder is synced, and never after', async () => {
    await using lab = await DiskLab.make();
    const [old, draft] = [lab.at('file'), lab.at('draft')];
    await run(lab, [`synced ${old} old`, `sync ${lab.disk.folder}`, `synced ${draft} new`, `rename ${draft} ${old}`]);
    const read = (folder: string): string => readFileSync(join(folder, 'file'), 'utf8');
    const before = lab.disk.operations;
    expect(new Set(lookAt(lab, read, () => before))).toEqual(new Set(['old', 'new']));
    await run(lab, [`sync ${lab.disk.folder}`]);
    const after = lab.disk.operations;
    expect(new Set(lookAt(lab, read, () => after))).toEqual(new Set(['new']));
  });

  test('48-1 bytes that a failed sync left unsynced may be lost, though the next sync succeeds', async () => {
    await using lab = await DiskLab.make();
    const child = new DiskChild(lab.disk);
    lab.disk.arm({call: 'sync', errno: 'EIO', after: 0, times: 1});
    expect(await child.ask(`synced ${lab.at('file')} text`)).toMatch(/^EIO/);
    for (const path of [lab.at('file'), lab.disk.folder]) expect(await child.ask(`sync ${path}`)).toMatch(/^ok/);
    await child.kill();
    const at = lab.disk.operations;
    const found = lookAt(
      lab,
      folder => readFileSync(join(folder, 'file'), 'utf8'),
      () => at,
    );
    expect(new Set(found)).toEqual(new Set(['text', '\0\0\0\0']));
  });

  /** How many answered rows the states lack; a state that SQLite cannot read counts as all of them. */
  const lostRows = async (pragmas: string): Promise<number[]> => {
    await using lab = await DiskLab.make();
    const rows = Array.from({length: ROWS}, (_, n) => `insert ${n}`);
    // What the process made before `open` is answered need not be there, as a whole store that is being made.
    await run(lab, [`open ${lab.at('t.db')} ${pragmas}`, `sync ${lab.disk.folder}`, ...rows]);
    return lookAt(
      lab,
      (folder, answers) => Math.max(0, answers - 2) - rowsIn(join(folder, 't.db')),
      random => Math.ceil(random() * lab.disk.operations),
    );
  };

  const rowsIn = (file: string): number => {
    if (!existsSync(file)) return 0;
    const db = new DatabaseSync(file);
    try {
      return Number(db.prepare('SELECT count(*) AS n FROM t').get()?.['n']);
    } catch {
      return 0;
    } finally {
      db.close();
    }
  };

  test.each(['WAL', 'DELETE', 'PERSIST'])('48-1 %s: synchronous=OFF loses rows that were committed', async journal => {
    expect(Math.max(...(await lostRows(`journal_mode=${journal},synchronous=OFF`)))).toBeGreaterThan(0);
  });

  test.each([
    'journal_mode=WAL,synchronous=FULL',
    'journal_mode=WAL,synchronous=FULL,locking_mode=EXCLUSIVE',
    'journal_mode=PERSIST,synchronous=FULL',
    'journal_mode=TRUNCATE,synchronous=FULL',
    'journal_mode=DELETE,synchronous=EXTRA',
  ])('48-1 %s never loses one', async pragmas => {
    expect(Math.max(...(await lostRows(pragmas))), `PALISADE_SEED=${SEED}`).toBe(0);
  });

  test('48-1 DELETE with FULL loses the last commit at most: the removal of its journal is not synced', async () => {
    // Ref: sqlite.org/pragma.html#pragma_synchronous (EXTRA)
    expect(Math.max(...(await lostRows('journal_mode=DELETE,synchronous=FULL')))).toBe(1);
  });
});
