// SPDX-License-Identifier: Apache-2.0
/**
 * The log of the journal, or of a partition, is cut or zeroed at a frame: missing commits are refused, missing records counted. SQLite silently ignores
 * everything behind the damage. PALISADE_SOAK=1: at every frame.
 */
import {cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {DatabaseSync} from 'node:sqlite';
import {afterAll, beforeAll, expect, test} from 'vitest';
import {A, batch, threat} from '../../../testing/record-store-contract.ts';
import type {RecordBatch} from '../../record-sink.ts';
import {RecordStoreError} from '../../record-store.ts';
import {makePrivateFolder} from '../files.ts';
import {countOfSummary} from '../work.ts';
import {Writer} from '../writer.ts';

const PLACE = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
const parent = mkdtempSync(join(PLACE, 'palisade-logs-'));
const killed = join(parent, 'killed');
const BATCHES = 15;
const OF_A_BATCH = 2;
const FLUSHED = 10;
const PARTITION = 'high-20260101-0001.db';
const BUDGET = {bytes: 2 ** 40, ageMs: 3_650 * 86_400_000};

const openIn = (folder: string): Writer =>
  new Writer({
    folder,
    budgets: {threats: BUDGET, traffic: BUDGET, evidence: BUDGET},
    newEpoch: () => 'history',
    missingBytes: () => 0,
    onDropped: () => undefined,
  });

const nth = (n: number): RecordBatch =>
  batch({
    checkpoint: {device: 'd', inode: 'i', offset: n},
    threats: Array.from({length: OF_A_BATCH}, (_, i) => threat(n * 10 + i, {alert_severity: 'HIGH'})),
  });

const commit = (writer: Writer, n: number): void => writer.commit([{batch: nth(n), text: JSON.stringify(nth(n))}]);

/** As a kill leaves it: the redo log has what came after the flush. */
beforeAll(() => {
  const folder = join(parent, 'live');
  makePrivateFolder(folder);
  const writer = openIn(folder);
  let reader: DatabaseSync | undefined;
  for (let n = 1; n <= BATCHES; n++) {
    commit(writer, n);
    // A flush folds the log of a partition that nobody reads.
    reader ??= new DatabaseSync(join(folder, PARTITION), {readOnly: true});
    if (n === 1) reader.exec('BEGIN; SELECT count(*) FROM records');
    if (n === FLUSHED) writer.flush();
  }
  cpSync(folder, killed, {recursive: true});
  reader?.close();
  writer.close();
});
afterAll(() => rmSync(parent, {recursive: true, force: true}));

const HEADER = 32;
const FRAME = 24 + 4_096;

const damaged = (file: string, how: 'cut' | 'zero', frame: number): string => {
  const folder = join(parent, 'damaged');
  rmSync(folder, {recursive: true, force: true});
  cpSync(killed, folder, {recursive: true});
  const log = readFileSync(join(folder, `${file}-wal`));
  const at = HEADER + frame * FRAME;
  writeFileSync(join(folder, `${file}-wal`), how === 'cut' ? log.subarray(0, at) : log.fill(0, at, at + FRAME));
  return folder;
};

const framesOf = (file: string): readonly number[] => {
  const count = Math.floor((readFileSync(join(killed, `${file}-wal`)).length - HEADER) / FRAME);
  const step = process.env['PALISADE_SOAK'] === '1' ? 1 : Math.ceil(count / 12);
  return Array.from({length: Math.ceil(count / step)}, (_, i) => i * step);
};

const recordsIn = (folder: string): number => {
  const database = new DatabaseSync(join(folder, PARTITION));
  try {
    return Number(database.prepare('SELECT count(*) AS count FROM records').get()?.['count']);
  } finally {
    database.close();
  }
};

test.each(['cut', 'zero'] as const)(
  '48-1 the log of the journal is %s at a frame: refused, or nothing is missing',
  how => {
    const outcomes = new Set<string>();
    for (const frame of framesOf('journal.db')) {
      const folder = damaged('journal.db', how, frame);
      try {
        const writer = openIn(folder);
        const position = writer.journal.position(A)?.checkpoint?.offset ?? 0;
        expect({frame, position}).toEqual({frame, position: BATCHES});
        writer.close();
        outcomes.add('whole');
      } catch (error) {
        if (!(error instanceof RecordStoreError)) throw error;
        expect(error.message).toMatch(
          /the journal is damaged: it ends with commit \d+, and high-20260101-0001.db has commit 15; restore/,
        );
        outcomes.add(error.code);
      }
    }
    expect(outcomes).toContain('damaged');
  },
);

const logsOf = (folder: string): readonly string[] => readdirSync(folder).filter(file => file.endsWith('-wal'));

test.each<[string, (log: Buffer) => Uint8Array]>([
  ['emptied', log => log.subarray(0, 0)],
  ['cut at its first frame', log => log.subarray(0, HEADER)],
  ['zeroed at its first frame', log => log.fill(0, HEADER, HEADER + FRAME)],
])(
  '48-1 the log of the journal is %s, after a clean end: each start is refused, though no file was written before',
  (_, damage) => {
    const folder = join(parent, 'ended');
    const copy = join(parent, 'again');
    for (const last of [folder, copy]) rmSync(last, {recursive: true, force: true});
    makePrivateFolder(folder);
    const first = openIn(folder);
    commit(first, 1);
    first.close();
    const second = openIn(folder);
    for (let n = 2; n <= BATCHES; n++) commit(second, n);
    second.partitions.closeAll(); // the file has no log of its own
    cpSync(folder, copy, {recursive: true});
    second.close();
    expect(logsOf(copy)).toEqual(['journal.db-wal']);
    const path = join(copy, 'journal.db-wal');
    writeFileSync(path, damage(readFileSync(path)));
    for (let start = 1; start <= 2; start++)
      expect(() => openIn(copy), `start ${start}`).toThrow(
        /the journal is damaged: it ends with commit 1, and high-20260101-0001.db has/,
      );
    expect(logsOf(copy).filter(file => !file.startsWith('journal'))).toEqual([]); // reading a file leaves no log
  },
);

test.each(['cut', 'zero'] as const)(
  '48-1 the log of a partition is %s at a frame: missing records are counted as lost, once',
  how => {
    let most = 0;
    for (const frame of framesOf(PARTITION)) {
      const folder = damaged(PARTITION, how, frame);
      const lostOf = (): number => {
        const writer = openIn(folder);
        const lost = writer.journal.dropped().reduce((sum, row) => sum + row.lost, 0);
        const kept = writer.partitions.all().reduce((sum, {summary}) => sum + countOfSummary(summary), 0);
        writer.close();
        expect({frame, sum: kept + lost}).toEqual({frame, sum: BATCHES * OF_A_BATCH});
        return lost;
      };
      const lost = lostOf();
      expect(lostOf()).toBe(lost);
      expect({frame, records: recordsIn(folder)}).toEqual({frame, records: BATCHES * OF_A_BATCH - lost});
      expect(lost).toBeLessThanOrEqual(FLUSHED * OF_A_BATCH);
      most = Math.max(most, lost);
    }
    expect(most).toBeGreaterThan(0);
  },
);
