// SPDX-License-Identifier: Apache-2.0
/**
 * The writer dies between two steps: killed (what it wrote is in the files), or in a power cut (what was not synced is gone). A new one
 * goes on, as sensors do that write the same batch again. At the end each record is there once, as it was written last.
 */
import {cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {DatabaseSync} from 'node:sqlite';
import {afterEach, expect, test, vi} from 'vitest';
import {A, B, batch, flow, T0, threat} from '../../testing/record-store-contract.ts';
import {recordIdOf} from '../record-id.ts';
import type {RecordBatch} from '../record-sink.ts';
import type {DroppedFile} from './dropping.ts';
import {makePrivateFolder} from './files.ts';
import {parsePartitionFile} from './schema.ts';
import {Writer} from './writer.ts';

/** Where a sync costs nothing: what it keeps is imitated here. */
const PLACE = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

const folders: string[] = [];
const newFolder = (): string => {
  const folder = mkdtempSync(join(PLACE, 'palisade-crash-'));
  folders.push(folder);
  return folder;
};
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, {recursive: true, force: true});
});

/** Mulberry32. */
const randomOf = (seed: number) => {
  let state = seed;
  return (below: number): number => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * below);
  };
};

const SEVERITIES = ['INFORMATIONAL', 'LOW', 'MEDIUM', 'HIGH', 'CRITICAL'] as const;
const DAY_MS = 86_400_000;
const BUDGET = {bytes: 2 ** 40, ageMs: 365 * DAY_MS};
const BUDGETS = {threats: BUDGET, traffic: BUDGET, evidence: BUDGET};
const ROLL_BYTES = 120_000;

type Step =
  | {readonly do: 'commit'; readonly batches: readonly RecordBatch[]}
  | {readonly do: 'decide'; readonly endpoint: string; readonly id: string; readonly text: string}
  | {readonly do: 'flush' | 'tidy'};

/** Two days in turn. */
const timeOf = (number: number): number => (number % 2) * DAY_MS + number * 1_000;

/** Days, severities and endpoints mixed; some records are written again with a higher count; some are long, so that files fill up. */
const stepsOf = (seed: number, count: number): readonly Step[] => {
  const random = randomOf(seed);
  let next = 0;
  let offset = 0;
  const written: {endpoint: string; number: number; repeat: number}[] = [];
  const make = (endpoint: string, number: number, repeat: number) =>
    threat(
      timeOf(number),
      {
        endpoint,
        alert_severity: SEVERITIES[number % 3] ?? 'LOW',
        repeat_count: String(repeat),
        details: 'd'.repeat(number % 3 === 0 ? 20_000 : 10),
      },
      number % 2 === 0 ? `event ${number}` : undefined,
    );
  const newBatch = (): RecordBatch => {
    const endpoint = random(3) === 0 ? B : A;
    const threats = Array.from({length: random(6)}, () => {
      const known = written.filter(record => record.endpoint === endpoint);
      const again = random(3) === 0 ? known[random(known.length)] : undefined;
      if (again !== undefined) return make(endpoint, again.number, ++again.repeat);
      const one = {endpoint, number: next++, repeat: 1};
      written.push(one);
      return make(endpoint, one.number, 1);
    });
    const traffic = Array.from({length: random(3)}, () => flow(timeOf(next++), {endpoint}));
    return batch({endpoint, threats, traffic, checkpoint: {device: 'd', inode: 'i', offset: ++offset}});
  };
  return Array.from({length: count}, (_, i): Step => {
    const kind = random(10);
    const one = written[random(written.length)];
    if (kind === 0) return {do: 'flush'};
    if (kind === 1) return {do: 'tidy'};
    if (kind === 2 && one !== undefined) {
      const {id, record} = make(one.endpoint, one.number, 1);
      return {do: 'decide', endpoint: one.endpoint, id: recordIdOf(id, record), text: `comment ${i}`};
    }
    return {do: 'commit', batches: Array.from({length: 1 + random(3)}, newBatch)};
  });
};

const perform = (writer: Writer, step: Step): void => {
  if (step.do === 'commit') writer.commit(step.batches.map(one => ({batch: one, text: JSON.stringify(one)})));
  else if (step.do === 'decide') {
    const change = {action: 'comment', user: 'ann', timeMs: T0, text: step.text} as const;
    writer.decide([{endpoint: step.endpoint, id: step.id}], change);
  } else if (step.do === 'flush') writer.flush();
  else writer.tidy(T0);
};

class Crash extends Error {}

/** A disk that keeps what was synced: partitions as they were at the last sync, the journal as it is. */
class Disk {
  readonly folder = join(newFolder(), 'records');
  readonly #synced = newFolder();
  steps = 0;

  constructor() {
    makePrivateFolder(this.folder);
  }

  /** `crashAt`: the step before which the writer dies. */
  open(crashAt: number, dropped: DroppedFile[] = []): Writer {
    const probe = (step: string): void => {
      this.steps++;
      const [word, file] = step.split(' ');
      if (step === 'partitions synced') this.#save(() => true);
      if (word === 'created') this.#save(name => name.startsWith(file ?? ''));
      if (this.steps === crashAt) throw new Crash(`step ${crashAt}: ${step}`);
    };
    return new Writer({
      folder: this.folder,
      budgets: BUDGETS,
      newEpoch: () => 'history',
      missingBytes: () => 0,
      onDropped: file => dropped.push(file),
      rollBytes: () => ROLL_BYTES,
      probe,
    });
  }

  #save(isWanted: (file: string) => boolean): void {
    for (const file of readdirSync(this.folder))
      if (file.includes('-20') && !file.endsWith('-shm') && isWanted(file))
        cpSync(join(this.folder, file), join(this.#synced, file));
    for (const file of readdirSync(this.#synced))
      if (isWanted(file) && !readdirSync(this.folder).includes(file)) rmSync(join(this.#synced, file)); // its log went into it
  }

  /** What is on disk after the end of the process, or of the machine. */
  after(how: 'kill' | 'power'): Disk {
    const next = new Disk();
    for (const file of readdirSync(this.folder)) {
      const isPartition = file.includes('-20');
      if (file.endsWith('-shm') || (isPartition && how === 'power')) continue;
      cpSync(join(this.folder, file), join(next.folder, file));
    }
    if (how === 'power')
      for (const file of readdirSync(this.#synced)) cpSync(join(this.#synced, file), join(next.folder, file));
    mkdirSync(next.#synced, {recursive: true});
    next.#save(() => true);
    return next;
  }
}

type FullRow = {
  readonly endpoint: number;
  readonly id: string;
  readonly repeat: number;
  readonly triage: string | null;
  readonly body: string;
};

const commentsOf = (triage: string | null): string[] =>
  triage === null ? [] : (JSON.parse(triage) as {text: string}[]).map(({text}) => text);

/** Every row of every partition; throws when one is there twice, or sums do not fit. */
const contentOf = (folder: string): Record<string, unknown> => {
  const found: Record<string, unknown> = {};
  for (const file of readdirSync(folder)) {
    const name = parsePartitionFile(file);
    if (name === undefined) continue;
    const database = new DatabaseSync(join(folder, file), {readOnly: true});
    if (name.recordClass === 'EVIDENCE') {
      for (const row of database.prepare('SELECT * FROM evidence').all())
        found[`evidence ${row['endpoint']} ${row['id']}`] = row['event'];
    } else {
      const rows = database.prepare('SELECT * FROM records JOIN bodies USING (number)').all() as FullRow[];
      let sum = 0;
      for (const {endpoint, id, repeat, triage, body} of rows) {
        const key = `${name.recordClass} ${endpoint} ${id}`;
        if (found[key] !== undefined) throw new Error(`${key} is there twice`);
        sum += repeat;
        found[key] = {repeat, comments: commentsOf(triage), body: JSON.parse(body).repeat_count};
      }
      const minutes = database.prepare('SELECT total(alerts) AS alerts, total(records) AS records FROM minutes').get();
      expect({file, ...minutes}).toEqual({file, alerts: sum, records: rows.length});
    }
    database.close();
  }
  return found;
};

const finish = (disk: Disk, steps: readonly Step[], from: number): Record<string, unknown> => {
  const writer = disk.open(Number.POSITIVE_INFINITY);
  for (const step of steps.slice(from)) perform(writer, step);
  expect(writer.journal.position(A)?.checkpoint?.offset).toBe(lastOffset(steps, A));
  const counts = writer.partitions
    .all()
    .reduce<number>(
      (sum, {recordClass, summary}) =>
        recordClass === 'EVIDENCE' ? sum : sum + Object.values(summary.counts).reduce((a, b) => a + b, 0),
      0,
    );
  writer.close();
  const content = contentOf(disk.folder);
  expect(Object.keys(content).filter(key => !key.startsWith('evidence'))).toHaveLength(counts);
  return content;
};

const lastOffset = (steps: readonly Step[], endpoint: string): number | undefined =>
  steps.flatMap(step => (step.do === 'commit' ? step.batches : [])).findLast(one => one.endpoint === endpoint)
    ?.checkpoint?.offset;

/** The step that was being done; comments may come twice when it was one that the caller does again. */
const crash = (disk: Disk, steps: readonly Step[], crashAt: number): number => {
  let at = 0;
  try {
    const writer = disk.open(crashAt);
    for (; at < steps.length; at++) perform(writer, steps[at] as Step);
    writer.close();
  } catch (error) {
    if (!(error instanceof Crash)) throw error;
  }
  return at;
};

const isSubsetTwice = (comments: readonly string[], expected: readonly string[]): boolean =>
  JSON.stringify([...new Set(comments)]) === JSON.stringify(expected);

const expectSame = (content: Record<string, unknown>, expected: Record<string, unknown>, where: string): void => {
  expect(Object.keys(content).sort(), where).toEqual(Object.keys(expected).sort());
  for (const [key, value] of Object.entries(content)) {
    const wanted = expected[key];
    if (typeof value === 'string' || typeof wanted === 'string')
      expect({where, key, value}).toEqual({where, key, value: wanted});
    else {
      const [{comments, ...rest}, {comments: wantedComments, ...wantedRest}] = [value, wanted] as {
        comments: string[];
      }[] as [{comments: string[]}, {comments: string[]}];
      expect({where, key, ...rest}).toEqual({where, key, ...wantedRest});
      expect({where, key, comments, same: isSubsetTwice(comments, wantedComments)}).toMatchObject({same: true});
    }
  }
};

/** PALISADE_SOAK=1: more steps of longer lives, of so many seeds. */
const LONG = process.env['PALISADE_SOAK'] === '1' ? 4 : 0;
const SEED = Number(process.env['PALISADE_SEED'] ?? Date.now() % 1_000_000);
const SEEDS = LONG > 0 ? Array.from({length: LONG}, (_, i) => SEED + i) : [1, SEED];
const STEPS = LONG > 0 ? 30 : 14;
const CRASHES = LONG > 0 ? 60 : 3;

vi.setConfig({testTimeout: LONG > 0 ? 1_200_000 : 90_000});

test.each(SEEDS)('44-1 a writer that dies at any step loses nothing and doubles nothing (seed %i)', seed => {
  const steps = stepsOf(seed, STEPS);
  const whole = new Disk();
  const expected = finish(whole, steps, 0);
  const random = randomOf(seed + 1);
  const points =
    whole.steps <= CRASHES
      ? Array.from({length: whole.steps}, (_, i) => i + 1)
      : Array.from({length: CRASHES}, () => 1 + random(whole.steps));
  for (const point of points)
    for (const how of ['kill', 'power'] as const) {
      const disk = new Disk();
      const at = crash(disk, steps, point);
      let next = disk.after(how);
      // Again while it comes back: a second crash within the first steps.
      const second = 1 + random(8);
      crash(next, [], second);
      next = next.after(random(2) === 0 ? 'kill' : 'power');
      expectSame(finish(next, steps, at), expected, `seed ${seed}, ${how} at step ${point}, then at ${second}`);
    }
});

/** The caller got an error, and its position is there: it has no need to write again. */
const isCommitted = (writer: Writer, step: Step): boolean =>
  step.do === 'commit' &&
  step.batches.every(
    ({endpoint, checkpoint}) =>
      (writer.journal.position(endpoint)?.checkpoint?.offset ?? 0) >= (checkpoint?.offset ?? 0),
  );

test.each(SEEDS)(
  '44-1 a write that fails at any step is tried again by its sensor, and the writer goes on (seed %i)',
  seed => {
    const steps = stepsOf(seed, STEPS);
    const whole = new Disk();
    const expected = finish(whole, steps, 0);
    const random = randomOf(seed + 2);
    for (let i = 0; i < CRASHES * 2 && i < whole.steps; i++) {
      const point = 1 + random(whole.steps);
      const disk = new Disk();
      let writer: Writer | undefined;
      for (let tries = 0; writer === undefined && tries < 2; tries++)
        try {
          writer = disk.open(point);
        } catch (error) {
          if (!(error instanceof Crash)) throw error;
        }
      for (const step of steps)
        try {
          perform(writer as Writer, step);
        } catch (error) {
          if (!(error instanceof Crash)) throw error;
          if (!isCommitted(writer as Writer, step)) perform(writer as Writer, step);
        }
      try {
        writer?.close();
      } catch (error) {
        if (!(error instanceof Crash)) throw error;
      }
      expectSame(finish(disk, steps, steps.length), expected, `seed ${seed}, failure at step ${point}`);
    }
  },
);
