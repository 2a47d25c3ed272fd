// SPDX-License-Identifier: Apache-2.0
import {StoreError} from '@palisade/store';
import {expect, test} from 'vitest';
import {silentLog} from '../base/log.ts';
import {QueueCounts} from '../base/queue-counts.ts';
import {ManualTime} from '../testing/index.ts';
import {WorkQueue} from './work-queue.ts';

type Item = {readonly key: string};
const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 5; turn++) await new Promise(resolve => setImmediate(resolve));
};

const open = (work: (item: Item) => Promise<void>) => {
  const time = new ManualTime();
  const warnings: object[] = [];
  const log = {...silentLog, warn: (fields: object) => warnings.push(fields)};
  const counts = new QueueCounts('work', time);
  const queue = new WorkQueue<Item>({timers: time, log, name: 'work', counts, concurrency: 2, work});
  return {time, warnings, counts, queue};
};

test('45-1 a key that was tried again and done is forgotten', async () => {
  let failing = true;
  const done: string[] = [];
  const {queue, time} = open(async ({key}) => {
    if (failing) throw new Error('not now');
    done.push(key);
  });
  for (let i = 0; i < 100; i++) queue.add({key: `k${i}`});
  await turns();
  while (queue.retrying < 100) await turns();
  failing = false;
  time.advance(50);
  await turns();
  while (done.length < 100) await turns();
  expect([queue.retrying, time.pending]).toEqual([0, 0]);
});

test('45-1 a key that is done before it is tried again is not tried again', async () => {
  const outcomes = [new Error('not now'), undefined];
  let runs = 0;
  const {queue, time} = open(async () => {
    const error = outcomes[runs++];
    if (error !== undefined) throw error;
  });
  queue.add({key: 'a'});
  await turns();
  expect(queue.retrying).toBe(1);
  queue.add({key: 'a'});
  await turns();
  expect([runs, queue.retrying, time.pending]).toEqual([2, 0, 0]);
});

test('45-1 a failure is logged with its key, a refusal of the disk is not', async () => {
  const {queue, warnings} = open(async ({key}) => {
    throw key === 'disk' ? new StoreError('disk-full', {}) : new Error('broken');
  });
  queue.add({key: 'disk'});
  queue.add({key: 'other'});
  await turns();
  expect(warnings).toMatchObject([{key: 'other', failures: 1}]);
  await queue.stop();
  expect(queue.retrying).toBe(0);
});

test('49-6 what waits, is worked on and is tried again is counted as upstream counts it', async () => {
  const releases: (() => void)[] = [];
  const outcomes: (Error | undefined)[] = [new Error('not now'), undefined, undefined, undefined];
  const {queue, time, counts} = open(async () => {
    await new Promise<void>(resolve => releases.push(resolve));
    const error = outcomes.shift();
    if (error !== undefined) throw error;
  });
  for (const key of ['a', 'b', 'c', 'c']) queue.add({key});
  expect([counts.depth, counts.adds, counts.waited.total]).toEqual([3, 3, 0]);
  time.advance(2_000);
  await turns();
  expect([counts.depth, counts.waited.total, counts.waited.sum]).toEqual([1, 2, 4]);
  queue.add({key: 'a'}); // comes while it is worked on: once more after that
  queue.add({key: 'a'});
  expect([counts.depth, counts.adds]).toEqual([2, 4]);
  time.advance(500);
  expect([counts.unfinishedSeconds, counts.worked.total]).toEqual([1, 0]);
  while (counts.worked.total < 4) {
    for (const release of releases.splice(0)) release();
    await turns();
  }
  expect([counts.depth, counts.retries, counts.unfinishedSeconds, counts.worked.sum]).toEqual([0, 1, 0, 1]);
  const depths = [counts.adds, counts.waited.total, queue.retrying, time.pending];
  expect(depths).toEqual([4, 4, 0, 0]); // `a` was done before its next try came
});
