// SPDX-License-Identifier: Apache-2.0
/**
 * What Suricata wrote, through the reader into the store, with the server killed around every transaction: each alert is counted once and
 * each flow is there once (design invariant 4). Without Suricata: its file is written here.
 */
import {appendFile, mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterAll, beforeAll, expect, test} from 'vitest';
import {createRecordStore} from '../../packages/ids/src/index.ts';
import {DyingStore} from '../../packages/ids/src/testing/dying-store.ts';
import {beginEveRun} from '../../packages/sensor/src/eve/eve-files.ts';
import {RecordPump} from '../../packages/sensor/src/eve/record-pump.ts';
import {SENSOR_LIMITS} from '../../packages/sensor/src/limits.ts';
import {alertLine, flowLine} from '../../packages/sensor/src/testing/eve-lines.ts';
import {openMemoryStore} from '../../packages/store/src/drivers/memory/index.ts';
import type {Store} from '../../packages/store/src/index.ts';

const ENDPOINT = 'projects/p/locations/l/endpoints/e';
const LINES = 1500;
/** Each alerts again within the time of equal alerts, in later transactions and in a later block of the file. */
const SOURCES = 400;
const FLOW_EVERY = 10;
const FLOWS = LINES / FLOW_EVERY;

const ignore = (): void => undefined;
const log = {debug: ignore, info: ignore, warn: ignore, error: ignore};
const clock = {now: () => Date.UTC(2026, 0, 1)};

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'palisade-once-'));
  await beginEveRun(folder, {uuid: () => 'file-1'}, undefined);
  const lines = Array.from({length: LINES}, (_, i) => {
    const source = `10.0.${i % 2}.${Math.floor((i % SOURCES) / 2)}`;
    return i % FLOW_EVERY === 0 ? flowLine() : alertLine({sid: 1, ms: i, source});
  });
  await appendFile(join(folder, 'eve.json'), lines.map(line => `${line}\n`).join(''));
});
afterAll(() => rm(folder, {recursive: true, force: true}));

/** One life of a server's reader: to the end of the file, or until its store is dead. */
const live = async (store: Store, isDead: () => boolean): Promise<void> => {
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
    folder,
    sink: createRecordStore({store, clock, log}),
    signature: () => undefined,
    // The reader waits only after a commit that failed: then its process is dead.
    timers: {
      after: () => {
        if (isDead()) setImmediate(() => void pump.close());
        return {cancel: ignore};
      },
    },
    log,
    limits: SENSOR_LIMITS,
  });
  await pump.drain();
  await pump.close();
};

/** What a reader of the store sees, and what the counters say. */
const totals = async (store: Store) => {
  const records = createRecordStore({store, clock, log});
  const threats: unknown[] = [];
  let counted = 0;
  for await (const {record} of records.read('threats', ENDPOINT, '')) {
    threats.push(record);
    counted += Number(record.repeat_count);
  }
  const counts = await records.counts(ENDPOINT);
  const {seen, stored} = (await records.load(ENDPOINT))?.counters ?? {seen: 0, stored: 0};
  return {seen, stored, counted, flows: counts.traffic, listed: threats.length === counts.threats};
};

const EVERY_ONE_ONCE = {
  seen: LINES - FLOWS,
  stored: LINES - FLOWS,
  counted: LINES - FLOWS,
  flows: FLOWS,
  listed: true,
};

test.each([false, true])(
  'the server is killed at each transaction in turn (it reached the disk: %s): every alert is counted once',
  async written => {
    let afterTxns = 0;
    for (let finished = false; !finished; afterTxns++) {
      const disk = await openMemoryStore();
      const dying = new DyingStore(disk, {afterTxns, written});
      await live(dying, () => dying.isDead);
      finished = !dying.isDead;
      const atCrash = await totals(disk);
      expect({afterTxns, ...atCrash, counted: atCrash.stored}).toEqual({afterTxns, ...atCrash}); // never a part of a batch
      await live(disk, () => false);
      expect({afterTxns, ...(await totals(disk))}).toEqual({afterTxns, ...EVERY_ONE_ONCE});
    }
    expect(afterTxns).toBeGreaterThan(5); // there were boundaries
  },
);

test('a server that is killed again and again, a transaction further each time', async () => {
  const disk = await openMemoryStore();
  for (let lives = 0; lives < 4; lives++) {
    const dying = new DyingStore(disk, {afterTxns: 1, written: lives % 2 === 0});
    await live(dying, () => dying.isDead);
    expect(dying.isDead).toBe(true);
  }
  await live(disk, () => false);
  expect(await totals(disk)).toEqual(EVERY_ONE_ONCE);
});
