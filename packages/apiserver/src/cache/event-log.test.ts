// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {CachedObject} from './cached-object.ts';
import {type CacheEvent, EventLog} from './event-log.ts';

const event = (revision: bigint, bytes = 0): CacheEvent => {
  const value = Buffer.from(`{"metadata":{"uid":"u"}${' '.repeat(bytes)}}`);
  const object = new CachedObject({namespace: '', name: `o${revision}`}, value, revision, revision.toString());
  return {type: 'ADDED', revision, object, previous: undefined, frames: undefined};
};
const LARGE = {countMax: 100, bytesMax: 1_000_000};

test('a position is the first event after a revision, also between revisions and within one', () => {
  const log = new EventLog(5n, LARGE);
  for (const revision of [6n, 8n, 8n, 11n]) log.append(event(revision));
  expect([5n, 6n, 7n, 8n, 10n, 11n, 99n].map(revision => log.positionAfter(revision))).toEqual([0, 1, 1, 3, 3, 4, 4]);
});

test('what is dropped is the oldest, and a watch from before it is refused', () => {
  const log = new EventLog(0n, {...LARGE, countMax: 3});
  for (let revision = 1n; revision <= 5n; revision++) log.append(event(revision));
  expect([log.first, log.end, log.droppedRevision, log.lastRevision]).toEqual([2, 5, 2n, 5n]);
  expect([log.positionAfter(1n), log.positionAfter(2n)]).toEqual([undefined, 2]);
  expect(log.at(1)).toBeUndefined();
  expect(log.at(2)?.revision).toBe(3n);
});

test('bytes bound it too, but one event stays however large', () => {
  const log = new EventLog(0n, {...LARGE, bytesMax: 1_000});
  for (let revision = 1n; revision <= 20n; revision++) log.append(event(revision, 300));
  expect(log.end - log.first).toBe(3);
  log.append(event(21n, 5_000));
  expect([log.end - log.first, log.at(log.first)?.revision]).toEqual([1, 21n]);
});

test('positions stay true over very many events', () => {
  const log = new EventLog(0n, {...LARGE, countMax: 10});
  for (let revision = 1n; revision <= 10_000n; revision++) log.append(event(revision));
  expect([log.first, log.end, log.at(9_995)?.revision]).toEqual([9_990, 10_000, 9_996n]);
  expect(log.positionAfter(9_995n)).toBe(9_995);
});
