// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {BlindTime} from '../loss/blind-time.ts';
import {ReadWatch} from './read-watch.ts';

const limits = {stallMs: 30_000, stallSuspectMs: 5_000};
const NOW = Date.parse('2026-03-01T00:10:00Z');
const watchOf = (errors: unknown[] = []): ReadWatch =>
  new ReadWatch({endpoint: 'e', limits, clock: {now: () => NOW}, log: {error: fields => errors.push(fields)}});

test('43-3 a hang is said after 5 s, and is the reason of the end after 30 s, since when nothing was read', () => {
  const errors: unknown[] = [];
  const watch = watchOf(errors);
  const after = (ms: number) => watch.look({stalledMs: () => ms}, 7);
  expect([after(4_999), watch.problem]).toEqual([undefined, undefined]);
  expect([after(7_200), watch.problem]).toEqual([
    undefined,
    'Suricata has not read packets for 7 s; it is restarted after 30 s',
  ]);
  expect(after(31_000)).toEqual({words: 'Suricata stopped reading and was restarted', sinceMs: NOW - 31_000});
  expect(errors).toEqual([{endpoint: 'e', since: '2026-03-01T00:09:29.000Z'}]);
  expect([watch.look(undefined, undefined), watch.problem]).toEqual([undefined, undefined]);
});

test('43-3 a Suricata that is cut off from its packets is ended for that, and has inspected until then', () => {
  const cause = watchOf().look({stalledMs: () => 60_000, cut: () => 'the device p1 was removed'}, 7);
  expect(cause).toEqual({words: 'Suricata got no packets any longer (the device p1 was removed) and was restarted'});
});

test('43-3 a blind time that is noticed late begins when it did, and never within the one before', () => {
  let now = 1_000;
  const blind = new BlindTime({now: () => now});
  blind.begin('engine', 'one');
  now = 5_000;
  blind.end();
  now = 40_000;
  blind.begin('engine', 'two', 10_000);
  now = 50_000;
  blind.end();
  blind.begin('engine', 'three', 20_000);
  now = 51_000;
  expect([blind.intervals.map(({from}) => Date.parse(from)), blind.totalSeconds]).toEqual([
    [1_000, 10_000, 50_000],
    45,
  ]);
});
