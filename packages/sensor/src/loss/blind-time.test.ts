// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {BLIND_INTERVALS_MAX} from '../limits.ts';
import {type BlindState, BlindTime, NEVER_BLIND} from './blind-time.ts';

/** Seconds since the epoch, as the intervals show them. */
const at = (second: number): string => new Date(second * 1000).toISOString();

class Clock {
  second = 1000;
  now(): number {
    return this.second * 1000;
  }
}

const setUp = (state: BlindState = NEVER_BLIND) => {
  const clock = new Clock();
  return {clock, blind: new BlindTime(clock, state)};
};

test('43-3 a time without Suricata has a beginning, a reason, and an end when there is one', () => {
  const {clock, blind} = setUp();
  blind.begin('engine', 'Suricata ended (killed by SIGKILL)');
  clock.second += 3;
  expect([blind.intervals, blind.totalSeconds]).toEqual([
    [{from: at(1000), why: 'Suricata ended (killed by SIGKILL)'}],
    3,
  ]);
  blind.end();
  clock.second += 100;
  expect([blind.intervals, blind.totalSeconds]).toEqual([
    [{from: at(1000), until: at(1003), why: 'Suricata ended (killed by SIGKILL)'}],
    3,
  ]);
  blind.end();
  expect(blind.intervals).toHaveLength(1);
});

test('43-3 a stop of the server while Suricata is down follows without a gap, and a second crash meanwhile is no second interval', () => {
  const {clock, blind} = setUp();
  blind.begin('engine', 'first');
  clock.second = 1002;
  blind.begin('engine', 'second');
  clock.second = 1005;
  blind.begin('server', 'the server was stopped');
  clock.second = 1009;
  expect([blind.intervals, blind.totalSeconds]).toEqual([
    [
      {from: at(1000), until: at(1005), why: 'first'},
      {from: at(1005), why: 'the server was stopped'},
    ],
    9,
  ]);
});

test.each([
  ['a kill: from the last sign of life', undefined, [{from: at(900), why: 'the server ended without a stop'}], 100],
  [
    'an orderly stop: from the stop',
    {fromMs: 800_000, cause: 'server', why: 'the server was stopped'},
    [{from: at(800), why: 'the server was stopped'}],
    200,
  ],
  [
    'a kill while Suricata was down: both',
    {fromMs: 850_000, cause: 'engine', why: 'Suricata ended'},
    [
      {from: at(850), until: at(900), why: 'Suricata ended'},
      {from: at(900), why: 'the server ended without a stop'},
    ],
    150,
  ],
] as const)('43-3 the time without a server after %s', (_, open, intervals, seconds) => {
  const {blind} = setUp({...NEVER_BLIND, open});
  blind.resume(900_000);
  expect([blind.intervals, blind.totalSeconds]).toEqual([intervals, seconds]);
});

test('43-3 a disk that takes no alerts is a time of its own, but not while nothing is inspected', () => {
  const {clock, blind} = setUp();
  blind.disk(true);
  blind.disk(true);
  clock.second = 1004;
  blind.begin('engine', 'Suricata ended');
  blind.disk(true);
  clock.second = 1006;
  blind.disk(false);
  expect(blind.intervals.at(-1)).toEqual({from: at(1004), why: 'Suricata ended'});
  blind.end();
  blind.disk(false);
  expect([blind.intervals, blind.totalSeconds]).toEqual([
    [
      {from: at(1000), until: at(1004), why: 'the disk was full, alerts were lost'},
      {from: at(1004), until: at(1006), why: 'Suricata ended'},
    ],
    6,
  ]);
});

test('43-3 a clock that is set back makes no negative interval, and takes nothing off the total', () => {
  const {clock, blind} = setUp({...NEVER_BLIND, closedMs: 5000});
  blind.begin('engine', 'Suricata ended');
  clock.second = 500;
  expect(blind.totalSeconds).toBe(5);
  blind.end();
  expect([blind.intervals, blind.totalSeconds]).toEqual([
    [{from: at(1000), until: at(1000), why: 'Suricata ended'}],
    5,
  ]);
  blind.resume(1_000_000); // a sign of life that lies in the future
  clock.second = 510;
  expect([blind.intervals.at(-1), blind.totalSeconds]).toEqual([
    {from: at(500), why: 'the server ended without a stop'},
    15,
  ]);
});

test('43-3 the newest intervals are kept, and the total has all of them', () => {
  const {clock, blind} = setUp();
  for (let i = 0; i < BLIND_INTERVALS_MAX + 20; i++) {
    blind.begin('engine', `crash ${i}`);
    clock.second++;
    blind.end();
  }
  blind.begin('engine', 'the newest');
  const {intervals} = blind;
  expect([intervals.length, intervals[0]?.why, intervals.at(-1)?.why]).toEqual([
    BLIND_INTERVALS_MAX,
    'crash 21',
    'the newest',
  ]);
  expect([blind.totalSeconds, blind.state.closed.length]).toEqual([BLIND_INTERVALS_MAX + 20, BLIND_INTERVALS_MAX]);
});
