// SPDX-License-Identifier: Apache-2.0
/**
 * What Suricata wrote, through the reader into the record store, with the server killed between any two steps of a commit: each alert is
 * counted once and each flow is there once (design invariant 4). Without Suricata: its file is written here.
 */
import {existsSync} from 'node:fs';
import {appendFile, cp, mkdtemp, readdir, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {DatabaseSync} from 'node:sqlite';
import {afterAll, beforeAll, expect, test} from 'vitest';
import {RECORD_BUDGETS_DEFAULT} from '../../packages/ids/src/limits.ts';
import {makePrivateFolder} from '../../packages/ids/src/records/sqlite/files.ts';
import {parsePartitionFile} from '../../packages/ids/src/records/sqlite/schema.ts';
import {Writer} from '../../packages/ids/src/records/sqlite/writer.ts';
import {beginEveRun} from '../../packages/sensor/src/eve/eve-files.ts';
import {RecordPump} from '../../packages/sensor/src/eve/record-pump.ts';
import {SENSOR_LIMITS} from '../../packages/sensor/src/limits.ts';
import {alertLine, flowLine} from '../../packages/sensor/src/testing/eve-lines.ts';

const ENDPOINT = 'projects/p/locations/l/endpoints/e';
const LINES = 1500;
/** Each alerts again within the time of equal alerts, in later transactions and in a later block of the file. */
const SOURCES = 400;
const FLOW_EVERY = 10;
const FLOWS = LINES / FLOW_EVERY;
/** So that a file is read in several commits. */
const BATCH = 150;

const ignore = (): void => undefined;
const log = {debug: ignore, info: ignore, warn: ignore, error: ignore};

let place = '';
const eve = (): string => join(place, 'eve');
beforeAll(async () => {
  place = await mkdtemp(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'palisade-once-'));
  makePrivateFolder(eve());
  await beginEveRun(eve(), {uuid: () => 'file-1'}, undefined);
  const lines = Array.from({length: LINES}, (_, i) => {
    const source = `10.0.${i % 2}.${Math.floor((i % SOURCES) / 2)}`;
    return i % FLOW_EVERY === 0 ? flowLine() : alertLine({sid: 1, ms: i, source});
  });
  await appendFile(join(eve(), 'eve.json'), lines.map(line => `${line}\n`).join(''));
});
afterAll(() => rm(place, {recursive: true, force: true}));

let folders = 0;
const newFolder = (): string => {
  const folder = join(place, `records-${folders++}`);
  makePrivateFolder(folder);
  return folder;
};

/** The files as the end of the process leaves them. */
const afterKill = async (folder: string): Promise<string> => {
  const next = newFolder();
  for (const file of await readdir(folder)) if (!file.endsWith('-shm')) await cp(join(folder, file), join(next, file));
  return next;
};

/** One life of a server's reader: to the end of the file, or until step `dieAt` of its writer. Returns the steps. */
const live = async (folder: string, dieAt = Number.POSITIVE_INFINITY): Promise<number> => {
  let steps = 0;
  const probe = (): void => {
    if (++steps >= dieAt) throw new Error('dead');
  };
  const writer = new Writer({
    folder,
    budgets: RECORD_BUDGETS_DEFAULT,
    newEpoch: () => 'history',
    missingBytes: () => 0,
    onDropped: ignore,
    probe,
  });
  const pump = await RecordPump.open({
    spec: {
      endpoint: ENDPOINT,
      network: 'n',
      ip: '127.0.0.1',
      vni: 1,
      severity: 'INFORMATIONAL',
      threatExceptions: [],
      trafficLogs: true,
    },
    folder: eve(),
    sink: {
      batchRecordsMax: BATCH,
      load: async endpoint => writer.journal.position(endpoint),
      commit: async batch => writer.commit([{batch, text: JSON.stringify(batch)}]),
      forget: async () => undefined,
    },
    signature: () => undefined,
    // The reader waits only after a commit that failed: then its process is dead.
    timers: {
      after: () => {
        if (steps >= dieAt) setImmediate(() => void pump.close());
        return {cancel: ignore};
      },
    },
    log,
    limits: SENSOR_LIMITS,
  });
  await pump.drain();
  await pump.close();
  if (steps < dieAt) writer.close();
  return steps;
};

/** What is in the files, and what the counters say. */
const totals = async (folder: string) => {
  const journal = new DatabaseSync(join(folder, 'journal.db'), {readOnly: true});
  const text = journal.prepare('SELECT position FROM endpoints').get()?.['position'];
  journal.close();
  const {seen, stored} = JSON.parse(String(text)).counters;
  const sums = {seen, stored, counted: 0, flows: 0, ids: new Set<unknown>(), records: 0};
  for (const file of await readdir(folder)) {
    const name = parsePartitionFile(file);
    if (name === undefined || name.recordClass === 'EVIDENCE') continue;
    const database = new DatabaseSync(join(folder, file), {readOnly: true});
    for (const {id, repeat} of database.prepare('SELECT id, repeat FROM records').all()) {
      sums.ids.add(`${id}`);
      sums.records++;
      if (name.recordClass === 'TRAFFIC') sums.flows++;
      else sums.counted += Number(repeat);
    }
    database.close();
  }
  const {ids, records, ...rest} = sums;
  return {...rest, twice: records - ids.size};
};

const EVERY_ONE_ONCE = {seen: LINES - FLOWS, stored: LINES - FLOWS, counted: LINES - FLOWS, flows: FLOWS, twice: 0};

const LONG = process.env['PALISADE_SOAK'] === '1';
const SEED = Number(process.env['PALISADE_SEED'] ?? Date.now() % 1_000_000);

test(`44-1 the server is killed between two steps of a commit: every alert is counted once (seed ${SEED})`, async () => {
  const whole = newFolder();
  const steps = await live(whole);
  expect(await totals(whole)).toEqual(EVERY_ONE_ONCE);
  expect(steps).toBeGreaterThan(30);
  const every = LONG ? 1 : Math.ceil(steps / 12);
  for (let dieAt = 1 + (SEED % every); dieAt <= steps; dieAt += every) {
    const folder = newFolder();
    await live(folder, dieAt).catch(() => {}); // it may die while it opens
    const next = await afterKill(folder);
    await live(next);
    expect({dieAt, ...(await totals(next))}).toEqual({dieAt, ...EVERY_ONE_ONCE});
  }
});

test('44-1 a server that is killed again and again, some steps further each time', async () => {
  let folder = newFolder();
  for (let lives = 0; lives < 6; lives++) {
    await live(folder, 12 + 5 * lives).catch(() => {});
    folder = await afterKill(folder);
  }
  await live(folder);
  expect(await totals(folder)).toEqual(EVERY_ONE_ONCE);
});
