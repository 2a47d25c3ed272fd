// SPDX-License-Identifier: Apache-2.0
import {watch} from 'node:fs';
import {appendFile, mkdtemp, rename, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterEach, beforeEach, describe, expect, test} from 'vitest';
import {SENSOR_LIMITS} from '../limits.ts';
import type {Log, SensorSpec, Timers} from '../ports.ts';
import type {RecordBatch} from '../record-sink.ts';
import {alertLine, flowLine} from '../testing/eve-lines.ts';
import {MemorySink} from '../testing/memory-sink.ts';
import {beginEveRun} from './eve-files.ts';
import {RecordPump} from './record-pump.ts';

const ignore = (): void => undefined;
const log: Log = {debug: ignore, info: ignore, warn: ignore, error: ignore};
const timers: Timers = {after: () => ({cancel: ignore})};
const spec: SensorSpec = {
  endpoint: 'projects/p/locations/l/endpoints/e',
  network: 'n',
  ip: '127.0.0.1',
  vni: 1,
  severity: 'INFORMATIONAL',
  threatExceptions: [],
  trafficLogs: true,
};

class ListeningSink extends MemorySink {
  readonly batches: RecordBatch[] = [];
  override commit(batch: RecordBatch): Promise<void> {
    this.batches.push(batch);
    return super.commit(batch);
  }
}

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'palisade-pump-'));
  await beginEveRun(folder, {uuid: () => 'file-1'}, undefined);
});
afterEach(() => rm(folder, {recursive: true, force: true}));

const write = (lines: readonly string[]): Promise<void> =>
  appendFile(join(folder, 'eve.json'), lines.map(line => `${line}\n`).join(''));
const opened = (sink: MemorySink, waits: Timers = timers): Promise<RecordPump> =>
  RecordPump.open({
    spec,
    folder,
    sink,
    signature: () => undefined,
    timers: waits,
    log,
    limits: SENSOR_LIMITS,
  });

describe('RecordPump', () => {
  test('a commit holds no more records than the sink takes, and exactly those up to its position', async () => {
    const sink = new ListeningSink();
    sink.batchRecordsMax = 7;
    // Twenty sources in turn, all within one repeat window: later commits raise records of earlier ones.
    const lines = Array.from({length: 100}, (_, i) =>
      i % 10 === 9 ? flowLine() : alertLine({sid: 1, ms: i, source: `10.0.1.${i % 20}`}),
    );
    await write(lines);
    const pump = await opened(sink);
    await pump.drain();
    await pump.close();
    const sizes = sink.batches.map(batch => batch.threats.length + batch.traffic.length);
    expect([Math.max(...sizes), sizes.length > 10]).toEqual([7, true]);
    // Whichever of the commits is the last one that took: what it says is what the lines up to there are.
    const ends = [...sink.batches.keys()];
    for (const end of ends) {
      const partial = new MemorySink();
      for (const batch of sink.batches.slice(0, end + 1)) await partial.commit(batch);
      const again = await opened(partial);
      await again.drain();
      const {seen, stored} = again.tally.counters;
      await again.close();
      expect({end, seen, stored, counted: partial.counts().get('1:1'), flows: partial.traffic.size}).toEqual({
        end,
        seen: 90,
        stored: 90,
        counted: 90,
        flows: 10,
      });
    }
  });

  test('a commit that fails while the disk fills up is tried again without the traffic records: threats do not wait for them', async () => {
    const sink = new ListeningSink();
    sink.fail = 'before';
    await write([flowLine(), alertLine({sid: 1, ms: 0})]);
    let pump: RecordPump | undefined;
    const onPause: Timers = {
      after: (_, action) => {
        setImmediate(() => {
          pump?.holdTraffic(true);
          sink.fail = undefined;
          action();
        });
        return {cancel: ignore};
      },
    };
    pump = await opened(sink, onPause);
    await pump.drain();
    await pump.close();
    expect(sink.batches.map(batch => [batch.threats.length, batch.traffic.length])).toEqual([
      [1, 1],
      [1, 0],
    ]);
    expect([sink.threats.size, sink.traffic.size, pump.tally.trafficLeftOut]).toEqual([1, 0, 1]);
  });

  test('lines that make no record do not cut a block', async () => {
    const sink = new ListeningSink();
    sink.batchRecordsMax = 1;
    await write(Array.from({length: 50}, (_, i) => alertLine({sid: 1, ms: i})));
    const pump = await opened(sink);
    pump.update({...spec, severity: 'CRITICAL'});
    await pump.drain();
    await pump.close();
    expect(sink.batches.map(batch => batch.counters.filtered)).toEqual([50]);
  });

  test('43-7 a quiet file is read at once, a busy one in turns', async () => {
    const sink = new ListeningSink();
    let [endRest, poll] = [ignore, ignore];
    const held: Timers = {
      after: (ms, action) => {
        if (ms === SENSOR_LIMITS.eveGatherMs) endRest = action;
        else if (ms === SENSOR_LIMITS.evePollMs) poll = action;
        return {cancel: ignore};
      },
    };
    const pump = await opened(sink, held);
    pump.follow();
    await expect.poll(() => endRest).not.toBe(ignore); // the first turn, which found our own lines
    endRest();
    endRest = ignore;
    poll(); // a turn that finds nothing is no reason to rest: an alert just after it does not wait
    await pump.drain();
    expect(endRest).toBe(ignore);
    await write([alertLine({sid: 1, ms: 0})]);
    await expect.poll(() => sink.batches.length).toBe(1);
    await expect.poll(() => endRest).not.toBe(ignore);
    let changes = 0;
    const watcher = watch(folder, () => {
      changes++;
    });
    for (let sid = 2; sid < 7; sid++) await write([alertLine({sid, ms: sid})]);
    await expect.poll(() => changes).toBeGreaterThan(0);
    watcher.close();
    expect(sink.batches.length).toBe(1);
    endRest();
    await expect.poll(() => sink.threats.size).toBe(6);
    expect(sink.batches.length).toBe(2);
    await pump.close();
  });

  test('a problem of reading goes when reading works again, with nothing new to store', async () => {
    const pump = await opened(new MemorySink());
    await rename(folder, `${folder}.away`);
    await writeFile(folder, ''); // no folder: it cannot be listed
    await pump.drain();
    expect(pump.problem).toEqual({at: 'read', message: expect.stringMatching(/^EVE records cannot be read: ENOTDIR/)});
    await rm(folder);
    await rename(`${folder}.away`, folder);
    await pump.drain();
    expect(pump.problem).toBeUndefined();
    await pump.close();
  });

  test('a problem of storing outlasts the reading that met it, and goes with a commit that takes', async () => {
    const sink = new MemorySink();
    sink.fail = 'before';
    await write([alertLine({sid: 1, ms: 0})]);
    const atOnce: Timers = {
      after: (_, action) => {
        setImmediate(action); // the limit of `finish`, or the wait between two tries
        return {cancel: ignore};
      },
    };
    const problem = {at: 'store', message: 'records cannot be stored: the store is not there'};
    const pump = await opened(sink, atOnce);
    expect([await pump.finish(1), pump.problem, pump.closed]).toEqual([problem, problem, true]);
    sink.fail = undefined;
    const again = await opened(sink);
    expect([await again.finish(1), sink.threats.size]).toEqual([undefined, 1]);
  });
});
