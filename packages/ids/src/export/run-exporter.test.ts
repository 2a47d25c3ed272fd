// SPDX-License-Identifier: Apache-2.0
/** The runner of exporters over a store in memory, in virtual time: what the receiver has in the end, and what is counted. */
import {expect, test, vi} from 'vitest';
import {EXPORT_BATCH, EXPORT_DRAIN_MS, EXPORT_SEND_MS} from '../limits.ts';
import {FakeExporter} from '../testing/fake-exporter.ts';
import {AT, down, E1, E2, idsOf, pass, setUp} from '../testing/runner-lab.ts';
import {ExportError} from './exporter.ts';

test('44-5 a receiver that is away for ten minutes gets every record, in order', async () => {
  const {time, exporter, logged, runnerOf, write, storedIds} = setUp();
  const runner = runnerOf();
  await write(700);
  exporter.receiver = down;
  runner.start();
  await expect.poll(() => exporter.batches.length).toBe(1);
  await pass(time, 300);
  await write(700);
  await pass(time, 300);
  const {state, lagRecords, lagSeconds, lastError, retried} = await runner.health();
  expect({state, lagRecords, lagSeconds, lastError}).toEqual({
    state: 'RETRYING',
    lagRecords: 1_400,
    lagSeconds: 600,
    lastError: 'connect ECONNREFUSED',
  });
  expect(retried).toBeGreaterThan(20);
  expect(retried).toBeLessThan(40);
  exporter.receiver = () => undefined;
  await pass(time, 60);
  await expect.poll(async () => (await runner.health()).state).toBe('OK');
  expect(idsOf(exporter.received)).toEqual(await storedIds());
  expect(exporter.received).toHaveLength(1_400);
  const sent = exporter.received.map(({id}) => id);
  expect(sent).toEqual([...sent].sort());
  expect(logged.map(({message}) => message)).toEqual([
    'exporter started',
    'exporter failed, retrying',
    'exporter recovered',
  ]);
  await runner.stop();
});

test('44-5 a receiver that fails in mid-batch, and a server that is started again, lose nothing', async () => {
  const {time, exporter, runnerOf, write, storedIds} = setUp();
  await write(1_900);
  await write(1_900);
  exporter.receiver = () => (exporter.batches.length > 2 ? down() : undefined);
  const first = runnerOf();
  first.start();
  await expect.poll(() => exporter.batches.length).toBeGreaterThan(2);
  await first.stop();
  expect(exporter.isClosed).toBe(true);
  expect(idsOf(exporter.received)).toHaveLength(2 * EXPORT_BATCH);
  const again = new FakeExporter();
  const second = runnerOf(undefined, again);
  second.start();
  await expect.poll(() => again.received.length).toBe(3_800);
  await pass(time, 1);
  await second.stop();
  const third = new FakeExporter();
  const last = runnerOf(undefined, third);
  last.start();
  await write(1);
  await expect.poll(() => third.received.length).toBe(1);
  await last.stop();
  expect(idsOf([...again.received, ...third.received])).toEqual(await storedIds());
});

test('44-5 a slow receiver does not make the server read ahead', async () => {
  const {records, exporter, runnerOf, write} = setUp();
  for (let n = 0; n < 20; n++) await write(300);
  const reads = vi.spyOn(records, 'changes');
  const {promise, resolve} = Promise.withResolvers<void>();
  exporter.receiver = () => promise;
  const runner = runnerOf();
  runner.start();
  await expect.poll(() => exporter.batches.length).toBe(1);
  for (let n = 0; n < 20; n++) await write(300);
  expect(reads).toHaveBeenCalledTimes(1);
  expect(exporter.batches).toEqual([EXPORT_BATCH]);
  resolve();
  await expect.poll(() => exporter.received.length).toBe(40 * 300);
  expect(Math.max(...exporter.batches)).toBeLessThanOrEqual(EXPORT_BATCH);
  await runner.stop();
});

test('44-5 records that retention dropped before they were sent are counted as missed', async () => {
  const {time, records, exporter, runnerOf, write} = setUp();
  exporter.receiver = down;
  await write(3);
  await write(2, E1, 'LOW');
  const runner = runnerOf();
  runner.start();
  await expect.poll(() => exporter.batches.length).toBe(1);
  await write(4, E1, 'LOW');
  records.drop(E1, 'evicted', record => (record as {alert_severity?: string}).alert_severity === 'LOW');
  exporter.receiver = () => undefined;
  await pass(time, 40);
  await expect.poll(async () => (await runner.health()).missed).toBe(4);
  expect(exporter.received).toHaveLength(5); // the first page was in memory
  await runner.stop();
});

test('44-5 an emptied or restored store is read from its beginning, and the log says so', async () => {
  const {exporter, logged, records, runnerOf, write} = setUp({from: 'now'});
  await records.saveReader('export/x', {history: 'another', kinds: {threats: {sequence: 900, timeMs: AT}}});
  await write(3);
  const runner = runnerOf();
  runner.start();
  await expect.poll(() => exporter.received.length).toBe(3);
  expect(logged).toContainEqual(
    expect.objectContaining({
      level: 'warn',
      message: 'record store was emptied or restored, exporter begins with the records that are stored',
    }),
  );
  await runner.stop();
});

test('44-5 a new exporter begins now, or at the start where that is asked for', async () => {
  const {exporter, records, runnerOf, write} = setUp({from: 'now'});
  await write(3);
  const runner = runnerOf();
  runner.start();
  await expect.poll(() => records.loadReader('export/x')).toBeDefined();
  await write(2);
  await expect.poll(() => exporter.received.length).toBe(2);
  await runner.stop();
});

test('44-5 a kind that an exporter gets later begins now, or at the start where that is asked for', async () => {
  for (const from of ['now', 'start'] as const) {
    const {exporter, records, runnerOf, write} = setUp({from, kinds: ['traffic']});
    const before = runnerOf();
    before.start();
    await expect.poll(() => records.loadReader('export/x')).toBeDefined();
    await before.stop();
    await write(3);
    const runner = runnerOf(undefined, exporter, {kinds: ['threats', 'traffic']});
    runner.start();
    await expect.poll(async () => Object.keys((await records.loadReader('export/x'))?.kinds ?? {})).toHaveLength(2);
    await write(2);
    await expect.poll(() => exporter.received.length).toBe(from === 'now' ? 2 : 5);
    await runner.stop();
    expect(exporter.received).toHaveLength(from === 'now' ? 2 : 5);
  }
});

test('44-5 filter and endpoints choose the records; several endpoints may be named', async () => {
  const E3 = 'projects/p/locations/local/endpoints/three';
  for (const endpoints of [[E1], [E1, E2]]) {
    const {exporter, runnerOf, write} = setUp({endpoints, filter: 'alert_severity="HIGH"'});
    for (const endpoint of [E1, E2, E3]) {
      await write(2, endpoint, 'HIGH');
      await write(3, endpoint, 'LOW');
    }
    const runner = runnerOf();
    runner.start();
    await expect.poll(() => exporter.received.length).toBe(2 * endpoints.length);
    await runner.stop();
    expect(new Set(exporter.received.map(({endpoint}) => endpoint))).toEqual(new Set(endpoints));
  }
});

test('44-5 updates are sent again with the same id, only where they are asked for', async () => {
  for (const updates of [true, false]) {
    const {exporter, records, runnerOf, write} = setUp({updates});
    const runner = runnerOf();
    runner.start();
    await write(1);
    await expect.poll(() => exporter.received.length).toBe(1);
    const [{endpoint, id} = {endpoint: '', id: ''}] = exporter.received;
    await records.triage({endpoint, id}, {action: 'acknowledge', user: 'u', timeMs: AT});
    await write(1);
    await expect.poll(() => idsOf(exporter.received)).toHaveLength(2);
    await runner.stop();
    expect(exporter.received).toHaveLength(updates ? 3 : 2);
    if (updates) expect(exporter.received[1]).toMatchObject({id, record: {acknowledged: true}});
  }
});

test('44-5 events come along where the exporter needs them', async () => {
  const {exporter, runnerOf, write} = setUp({}, new FakeExporter(undefined, true));
  await write(2);
  const runner = runnerOf();
  runner.start();
  await expect.poll(() => exporter.received.map(({event}) => event)).toEqual(['{"n":0}', '{"n":1}']);
  await runner.stop();
});

test('44-5 an attempt without an answer ends after a time, and Retry-After is kept', async () => {
  const {time, exporter, runnerOf, write} = setUp();
  await write(1);
  exporter.receiver = (_, signal) =>
    new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  const runner = runnerOf();
  runner.start();
  await expect.poll(() => exporter.batches.length).toBe(1);
  await pass(time, EXPORT_SEND_MS / 1_000);
  expect((await runner.health()).lastError).toBe('no answer within 30 s');
  exporter.receiver = () => {
    throw new ExportError('unavailable', 'the receiver answered 429', {retryAfterMs: 120_000});
  };
  await pass(time, 2);
  expect(exporter.batches).toHaveLength(2);
  exporter.receiver = () => undefined;
  await pass(time, 115);
  expect(exporter.batches).toHaveLength(2);
  await pass(time, 10);
  await expect.poll(() => exporter.received.length).toBe(1);
  await runner.stop();
});

test('44-5 a stop sends what is stored, and waits for a slow receiver only for a while', async () => {
  const {time, exporter, runnerOf, write} = setUp();
  const drained = runnerOf();
  drained.start();
  await write(1_200);
  await drained.stop();
  expect(exporter.received).toHaveLength(1_200);
  await write(1);
  const slow = new FakeExporter(
    (_, signal) => new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  );
  const runner = runnerOf(undefined, slow);
  runner.start();
  await expect.poll(() => slow.batches.length).toBe(1);
  const stopped = runner.stop();
  await pass(time, EXPORT_DRAIN_MS / 1_000);
  await stopped;
  expect(slow.isClosed).toBe(true);
});
