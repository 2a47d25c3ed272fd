// SPDX-License-Identifier: Apache-2.0
/** Records that a receiver refuses: which are skipped, and which are tried again. */
import {expect, test} from 'vitest';
import {EXPORT_REFUSED_TRIES} from '../limits.ts';
import {E1, pass, setUp} from '../testing/runner-lab.ts';
import {ExportError, type ExportItem} from './exporter.ts';

const refuse = (): never => {
  throw new ExportError('refused', 'the receiver answered 400', {words: 'bad tenant'});
};
const refusing =
  (...ports: readonly string[]) =>
  (items: readonly ExportItem[]): void => {
    if (items.some(({record}) => ports.includes(record.source_port ?? ''))) refuse();
  };

test('44-5 a record that is refused for good is found, tried again, counted, logged and skipped', async () => {
  const {time, exporter, logged, runnerOf, write} = setUp();
  await write(100);
  exporter.receiver = items => {
    if (items.some(({record}) => record.source_port === '37'))
      throw new ExportError('refused', 'the receiver answered 400');
  };
  const runner = runnerOf();
  runner.start();
  await expect.poll(() => exporter.batches.filter(size => size === 1).length).toBeGreaterThan(0);
  expect((await runner.health()).refused).toBe(0);
  await pass(time, 120);
  await expect.poll(() => exporter.received.length).toBe(99);
  expect((await runner.health()).refused).toBe(1);
  expect(logged.filter(({level}) => level === 'error')).toMatchObject([
    {
      message: 'record refused by the receiver, skipped',
      fields: {endpoint: E1, tries: EXPORT_REFUSED_TRIES, reason: 'the receiver answered 400'},
    },
  ]);
  await runner.stop();
});

test('44-5 records that a receiver took and then rejected are counted as refused and logged, and not sent again', async () => {
  const {exporter, logged, runnerOf, write} = setUp();
  const send = exporter.send.bind(exporter);
  exporter.send = async (items, signal) => {
    await send(items, signal);
    return {count: 2, reason: 'too old'};
  };
  await write(5);
  const runner = runnerOf();
  runner.start();
  await expect.poll(() => runner.counts).toMatchObject({sent: 3, retried: 0, refused: 2, missed: 0});
  expect(exporter.batches).toEqual([5]);
  expect(logged).toContainEqual({
    level: 'error',
    fields: {records: 2, of: 5, first: expect.any(String), last: expect.any(String), reason: 'too old'},
    message: 'records rejected by the receiver',
  });
  await runner.stop();
});

test('44-5 a receiver that refuses every record loses nothing, and health says so', async () => {
  const {time, exporter, logged, runnerOf, write, storedIds} = setUp();
  await write(7);
  exporter.receiver = refuse;
  const runner = runnerOf();
  runner.start();
  await expect.poll(() => exporter.batches.length).toBeGreaterThan(0);
  await pass(time, 600);
  await write(3);
  await pass(time, 600);
  await expect
    .poll(async () => ({...(await runner.health())}))
    .toMatchObject({state: 'RETRYING', refused: 0, sent: 0, lagRecords: 10});
  await pass(time, 1);
  expect(logged.filter(({level}) => level === 'error')).toEqual([]);
  expect(logged).toContainEqual(
    expect.objectContaining({fields: {reason: 'the receiver answered 400', words: 'bad tenant'}}),
  );
  let lastError = '';
  for (let second = 0; second < 300 && !lastError.includes('every record'); second++) {
    await pass(time, 1);
    ({lastError} = await runner.health());
  }
  expect(lastError).toBe('the receiver refuses every record; check its settings (the receiver answered 400)');
  exporter.receiver = () => undefined;
  await pass(time, 60);
  await expect.poll(async () => (await runner.health()).lagRecords).toBe(0);
  await runner.stop();
  expect(exporter.received.map(({endpoint, kind, id}) => `${endpoint}/${kind}/${id}`)).toEqual(await storedIds());
  expect(runner.counts).toMatchObject({sent: 10, refused: 0});
});

test('44-5 a receiver that worked and then refuses every record loses nothing', async () => {
  const {time, exporter, runnerOf, write} = setUp();
  const runner = runnerOf();
  runner.start();
  await write(5);
  await expect.poll(() => exporter.received.length).toBe(5);
  exporter.receiver = refuse;
  await write(5);
  await pass(time, 600);
  expect(runner.counts.refused).toBe(0);
  exporter.receiver = () => undefined;
  await pass(time, 60);
  await expect.poll(() => exporter.received.length).toBe(10);
  await runner.stop();
});

test.each([
  ['the first of many', ['0'], 20],
  ['the last of many', ['19'], 20],
  ['neighbours', ['0', '1', '2'], 20],
  ['the only one, when another one follows', ['0'], 1],
])('44-5 a record that alone is refused is skipped: %s', async (_, ports, count) => {
  const {time, exporter, runnerOf, write} = setUp();
  exporter.receiver = refusing(...ports);
  await write(count);
  const runner = runnerOf();
  runner.start();
  await expect.poll(() => exporter.batches.length).toBeGreaterThan(0);
  await pass(time, 400);
  await write(2);
  await pass(time, 400);
  await expect.poll(() => new Set(exporter.received.map(({id}) => id)).size).toBe(count + 2 - ports.length);
  expect(runner.counts.refused).toBe(ports.length);
  await runner.stop();
});

test('44-5 a record that the exporter cannot write is skipped at once, with its id in the log', async () => {
  const {exporter, logged, runnerOf, write} = setUp();
  exporter.receiver = items => {
    if (items.some(({record}) => record.source_port === '0'))
      throw new ExportError('unwritable', 'no form (TypeError)');
  };
  await write(1);
  const runner = runnerOf();
  runner.start();
  await expect.poll(() => runner.counts.refused).toBe(1);
  await write(3);
  await expect.poll(() => exporter.received.length).toBe(3);
  await runner.stop();
  expect(runner.counts).toMatchObject({retried: 0, refused: 1, sent: 3});
  expect(logged.filter(({level}) => level === 'error')).toMatchObject([
    {message: 'record could not be written, skipped', fields: {id: expect.any(String), reason: 'no form (TypeError)'}},
  ]);
});
