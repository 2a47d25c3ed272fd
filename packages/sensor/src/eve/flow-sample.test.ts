// SPDX-License-Identifier: Apache-2.0
import {describe, expect, test} from 'vitest';
import type {SensorSpec} from '../ports.ts';
import {flowLine} from '../testing/eve-lines.ts';
import {isInSample} from './flow-sample.ts';
import {Tally, ZERO_COUNTERS} from './tally.ts';

const COUNT = 100_000;

/** Ids as Suricata makes them: the second, the microsecond and a hash of the addresses. */
const IDS: Readonly<Record<string, (i: number) => string>> = {
  'that count up': i => String(i + 1),
  'that differ in high bits alone': i => String(2 ** 33 * (i + 1)),
  'of one second': i => String(1_234_567_890_123_456 + i * 8),
  'of one connection again and again': i => String(0x0000_5f3a_1b2c + 2 ** 32 * i),
};
const sampled = (idOf: (i: number) => string, oneOf: number): string[] =>
  Array.from({length: COUNT}, (_, i) => idOf(i)).filter(id => isInSample(id, oneOf));

describe('44-6 the sample of flows', () => {
  test.each(Object.entries(IDS).flatMap(([what, idOf]) => [2, 3, 10, 64, 1000].map(oneOf => ({what, idOf, oneOf}))))(
    '44-6 holds 1 of $oneOf flows with ids $what, within what chance allows',
    ({idOf, oneOf}) => {
      const share = 1 / oneOf;
      const sigma = Math.sqrt(COUNT * share * (1 - share));
      expect(Math.abs(sampled(idOf, oneOf).length - COUNT * share)).toBeLessThan(4.5 * sigma);
    },
  );

  test('44-6 of a larger N is a part of that of a smaller one; of 1 it is every flow', () => {
    const idOf = (i: number): string => String(i);
    const [ten, hundred] = [new Set(sampled(idOf, 10)), sampled(idOf, 100)];
    expect(hundred.filter(id => !ten.has(id))).toEqual([]);
    expect(hundred.length).toBeGreaterThan(0);
    expect(sampled(idOf, 1)).toHaveLength(COUNT);
  });
});

const SPEC: SensorSpec = {
  endpoint: 'projects/p/locations/l/endpoints/e',
  network: 'n',
  ip: '127.77.0.9',
  vni: 1,
  severity: 'INFORMATIONAL',
  threatExceptions: [],
  trafficLogs: true,
};
const FLOWS = 1000;
const newTally = (trafficSample: () => number, spec = SPEC, flows = {sampledOut: 0}): Tally =>
  new Tally({
    spec,
    counters: ZERO_COUNTERS,
    flows,
    trafficSample,
    signature: () => undefined,
    repeatWindowMs: 5000,
    repeatWindowsMax: 100,
  });
const read = (tally: Tally, from = 0, to = FLOWS): void => {
  for (let i = from; i < to; i++) tally.line(flowLine({flowId: i}), `f-${i}`);
};

describe('44-6 traffic records of a sample', () => {
  test('44-6 say of how many flows they are one; what is left out is counted, and each flow is one or the other', () => {
    const tally = newTally(() => 10);
    read(tally);
    const taken = tally.take();
    const records = taken?.traffic ?? [];
    expect(records.length).toBeGreaterThan(50);
    expect(records.length + (taken?.flows.sampledOut ?? 0)).toBe(FLOWS);
    expect(new Set(records.map(({record}) => record.sample_rate))).toEqual(new Set(['10']));
  });

  test('44-6 without a sample have no rate, and none is left out', () => {
    const tally = newTally(() => 1);
    read(tally, 0, 3);
    expect(tally.take()?.traffic.map(({record}) => 'sample_rate' in record)).toEqual([false, false, false]);
    expect(tally.flows).toEqual({sampledOut: 0});
  });

  test('44-6 are the same when flows are read again after a crash, and the count goes on from what was stored', () => {
    const first = newTally(() => 7);
    read(first, 0, 500);
    const stored = first.take();
    read(first, 500, 800); // not stored: the server dies
    const second = newTally(() => 7, SPEC, stored?.flows);
    read(second, 500, FLOWS);
    const rest = second.take();
    const whole = newTally(() => 7);
    read(whole);
    const all = whole.take();
    expect([...(stored?.traffic ?? []), ...(rest?.traffic ?? [])]).toEqual(all?.traffic);
    expect(rest?.flows).toEqual(all?.flows);
  });

  test('44-6 follow a change of the sample from the next flow on', () => {
    let oneOf = 1_000_000_000;
    const tally = newTally(() => oneOf);
    read(tally, 0, 10);
    oneOf = 1;
    read(tally, 10, 20);
    const taken = tally.take();
    expect([taken?.traffic.length, taken?.flows]).toEqual([10, {sampledOut: 10}]);
  });

  test('44-6 of the mirror itself, and of endpoints without traffic logs, count in no way', () => {
    const tally = newTally(() => 1_000_000_000);
    tally.line(JSON.stringify({...JSON.parse(flowLine()), dest_ip: SPEC.ip, dest_port: 4789, proto: 'UDP'}), 'a');
    const off = newTally(() => 1_000_000_000, {...SPEC, trafficLogs: false});
    read(off, 0, 5);
    expect([tally.flows, off.flows]).toEqual([{sampledOut: 0}, {sampledOut: 0}]);
  });
});
