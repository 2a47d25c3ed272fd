// SPDX-License-Identifier: Apache-2.0
import type {AuditEvent} from '@palisade/apiserver';
import {expect, test} from 'vitest';
import {ManualTime} from '../../../apiserver/src/testing/manual-time.ts';
import {AuditLog, type AuditLogParts} from './audit-log.ts';

type Sink = AuditLogParts['sink'] & {readonly lines: string[]; broken: boolean};
const sinkOf = (): Sink => {
  const sink = {
    lines: [] as string[],
    broken: false,
    append: async (bytes: Buffer) => {
      if (sink.broken) throw Object.assign(new Error('no space left on device'), {code: 'ENOSPC'});
      sink.lines.push(...bytes.toString().split('\n').slice(0, -1));
    },
    close: async () => {},
  };
  return sink;
};

const setUp = (parts: Partial<AuditLogParts> = {}) => {
  const time = new ManualTime();
  const logged: string[] = [];
  const note = (fields: object, text: string) =>
    void logged.push(`${text} ${JSON.stringify({...fields, err: undefined})}`);
  const sink = sinkOf();
  const log = new AuditLog({
    ...{sink, mode: 'batch', policy: {rules: []}, clock: time, random: {uuid: () => 'u'}},
    timers: {after: (ms, action) => time.after(ms, action), soon: action => time.soon(action)},
    log: {info: note, warn: note},
    ...parts,
  });
  return {log, sink, time, logged};
};
const event = (auditID: string, stage = 'RequestReceived') => ({kind: 'Event', auditID, stage}) as AuditEvent;
const idsIn = ({lines}: Sink) => lines.map(line => (JSON.parse(line) as AuditEvent).auditID);
const turns = async () => {
  for (let turn = 0; turn < 10; turn++) await new Promise(resolve => setImmediate(resolve));
};

test('batch: a request waits for nothing, and events are written in order', async () => {
  const {log, sink} = setUp();
  for (const id of ['a', 'b', 'c']) expect(log.write(event(id))).toBeUndefined();
  await log.close();
  expect(idsIn(sink)).toEqual(['a', 'b', 'c']);
  expect(log.counts).toEqual({events: 3, errors: 0, rejected: 0});
});

test('batch: while the disk refuses, events wait; what finds no room is counted and logged; then all that waited is written', async () => {
  const {log, sink, time, logged} = setUp({limits: {eventsMax: 3}});
  sink.broken = true;
  void log.write(event('1'));
  time.advance(0);
  await turns();
  expect(log.isWritable).toBe(false);
  for (const id of ['2', '3', '4', '5']) void log.write(event(id));
  expect(log.counts).toEqual({events: 5, errors: 2, rejected: 0});
  sink.broken = false;
  time.advance(1_000);
  await turns();
  expect(idsIn(sink)).toEqual(['1', '2', '3']);
  expect(log.isWritable).toBe(true);
  expect(logged).toEqual([
    'audit log cannot be written {}',
    'audit log too slow, events are dropped {"waiting":3}',
    'audit log recovered, events are written {"dropped":2}',
  ]);
  await log.close();
});

test('batch: the bound is of bytes, too', async () => {
  const {log} = setUp({limits: {bytesMax: 100}});
  void log.write({...event('1'), requestURI: 'x'.repeat(200)});
  expect(log.counts.errors).toBe(1);
});

test('batch: what cannot be written at the end is counted and logged', async () => {
  const {log, sink, logged} = setUp();
  sink.broken = true;
  void log.write(event('1'));
  await log.close();
  expect(log.counts.errors).toBe(1);
  expect(logged.at(-1)).toBe('audit log cannot be written, events are lost {"dropped":1}');
});

test.each([
  ['blocking', false],
  ['blocking-strict', true],
] as const)('%s: a request waits; one whose event cannot be written fails: %s', async (mode, fails) => {
  const {log, sink, time} = setUp({mode});
  const first = log.write(event('1'));
  time.advance(0);
  await first;
  expect(idsIn(sink)).toEqual(['1']);
  sink.broken = true;
  const second = log.write(event('2'));
  const outcome = second?.then(
    () => 'answered',
    (error: {status?: {code?: number}}) => error.status?.code,
  );
  time.advance(0);
  expect(await outcome).toBe(fails ? 500 : 'answered');
  expect(log.counts).toEqual({events: 2, errors: 1, rejected: fails ? 1 : 0});
  const last = log.write(event('of a request that was answered', 'ResponseComplete'));
  time.advance(0);
  await last;
  expect(log.counts).toEqual({events: 3, errors: 2, rejected: fails ? 1 : 0});
  sink.broken = false;
  const third = log.write(event('3'));
  time.advance(0);
  await third;
  expect(idsIn(sink)).toEqual(['1', '3']);
  expect(log.isStrict).toBe(fails);
});
