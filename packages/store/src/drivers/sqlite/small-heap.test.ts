// SPDX-License-Identifier: Apache-2.0
import {once} from 'node:events';
import {Worker} from 'node:worker_threads';
import {afterEach, expect, test} from 'vitest';
import {makeNextHeapsSmall} from './small-heap.ts';

/** Makes 32 MiB of garbage of which the newest is alive at any time, and tells how large the young generation became. */
const SCRIPT = `
const {parentPort} = require('node:worker_threads');
const {getHeapSpaceStatistics} = require('node:v8');
parentPort.once('message', () => {
  let alive = [];
  for (let i = 0; i < 32_000; i++) {
    alive.push(new Array(128).fill(i));
    if (alive.length > 1_000) alive = [];
  }
  parentPort.postMessage(getHeapSpaceStatistics().find(({space_name}) => space_name === 'new_space').space_size);
});`;

const threads: Worker[] = [];
afterEach(() => Promise.all(threads.splice(0).map(thread => thread.terminate())));

const start = async (): Promise<Worker> => {
  const thread = new Worker(SCRIPT, {eval: true});
  threads.push(thread);
  await once(thread, 'online');
  return thread;
};
const youngBytes = async (thread: Worker): Promise<number> => {
  thread.postMessage('work');
  const [bytes] = await once(thread, 'message');
  return bytes;
};

test('a thread that is made afterwards has a young generation of 1 MiB in each half; one that is there keeps its own', async () => {
  const before = await start();
  makeNextHeapsSmall();
  const after = await start();
  expect(await youngBytes(after)).toBeLessThanOrEqual(2 * 1024 * 1024);
  expect(await youngBytes(before)).toBeGreaterThan(2 * 1024 * 1024);
});
