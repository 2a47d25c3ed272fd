// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {EngineAlertCounts, NO_ENGINE_ALERTS} from './engine-alerts.ts';
import type {EveStats} from './eve-record.ts';

const stats = (alerts: number, more: Partial<EveStats> = {}): EveStats => ({
  alerts,
  alertsDiscarded: 0,
  alertsSuppressed: 0,
  packets: 0,
  bytes: 0,
  kernelPackets: 0,
  kernelDrops: 0,
  uninspected: 0,
  undecoded: 0,
  unknownInner: 0,
  ...more,
});

const see = (counts: EngineAlertCounts, alerts: number): void => {
  for (let i = 0; i < alerts; i++) counts.seen();
};

test("43-3 Suricata's own counts are added up over its runs", () => {
  const counts = new EngineAlertCounts(NO_ENGINE_ALERTS);
  counts.beginRun();
  see(counts, 5);
  expect(counts.read(stats(5, {alertsDiscarded: 1, alertsSuppressed: 2}))).toEqual({missing: 0, changed: true});
  expect(counts.read(stats(5, {alertsDiscarded: 1, alertsSuppressed: 2}))).toEqual({missing: 0, changed: false});
  counts.beginRun();
  see(counts, 3);
  counts.read(stats(3, {alertsDiscarded: 4}));
  expect(counts.state).toMatchObject({counted: 8, discarded: 5, suppressed: 2});
});

test('43-3 lines that are read again after a crash are not counted twice, and what the crash cost is found', () => {
  const before = new EngineAlertCounts(NO_ENGINE_ALERTS);
  before.beginRun();
  see(before, 5);
  before.read(stats(5));
  see(before, 2);
  const {state} = before; // what is stored with the position
  see(before, 3); // read, and not stored
  before.read(stats(10));
  const after = new EngineAlertCounts(state);
  see(after, 3); // again
  expect(after.read(stats(10))).toEqual({missing: 0, changed: true});
  expect(after.state).toEqual(before.state);
  expect(after.read(stats(12))).toEqual({missing: 2, changed: true});
  expect(after.read(stats(12))).toEqual({missing: 0, changed: false});
});

test('43-3 of a run whose beginning was not read nothing is said', () => {
  const counts = new EngineAlertCounts(NO_ENGINE_ALERTS);
  see(counts, 1);
  expect([counts.read(stats(7)), counts.state]).toEqual([undefined, NO_ENGINE_ALERTS]);
});

test('43-3 a count that is lower belongs to a new run whose mark is lost', () => {
  const counts = new EngineAlertCounts({
    ...NO_ENGINE_ALERTS,
    counted: 9,
    run: {seen: 9, counted: 9, discarded: 0, suppressed: 0},
  });
  counts.read(stats(4));
  expect(counts.state.counted).toBe(13);
});
