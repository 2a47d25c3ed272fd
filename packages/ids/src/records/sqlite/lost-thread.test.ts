// SPDX-License-Identifier: Apache-2.0
/** A thread that writes and ends before its time: an error of V8, or memory that is gone. */
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {Worker} from 'node:worker_threads';
import {afterEach, expect, test, vi} from 'vitest';
import {RECORD_BUDGETS_DEFAULT, RECORD_THREAD_RESTART_MIN_MS} from '../../limits.ts';
import {batch, readAll, T0, threat} from '../../testing/record-store-contract.ts';
import {openSqliteRecordStore} from './record-store.ts';

afterEach(() => vi.restoreAllMocks());

/** Every thread that was asked something, in this order. */
const threads = (): Worker[] => {
  const seen: Worker[] = [];
  const post = Worker.prototype.postMessage;
  vi.spyOn(Worker.prototype, 'postMessage').mockImplementation(function (this: Worker, message: unknown) {
    if (!seen.includes(this)) seen.push(this);
    post.call(this, message);
  });
  return seen;
};

test('44-1 a thread that ended is replaced: nothing that was answered is lost, and the wait between starts grows', async () => {
  const parent = await mkdtemp(join(tmpdir(), 'palisade-lost-thread-'));
  const said: string[] = [];
  const note = (_: unknown, text: string) => void said.push(text);
  const log = {debug: note, info: note, warn: note, error: note};
  let nowMs = T0;
  const clock = {now: () => nowMs};
  const seen = threads();
  const store = openSqliteRecordStore({folder: join(parent, 'records'), budgets: RECORD_BUDGETS_DEFAULT, clock, log});
  await store.commit(batch({threats: [threat(1)]}));
  const before = await store.position();

  const waiting = store.load('projects/p/locations/local/endpoints/e');
  await seen[0]?.terminate();
  await expect(waiting).rejects.toMatchObject({code: 'io'});
  await expect(store.commit(batch({threats: [threat(2)]}))).rejects.toThrow(
    `starts again in ${RECORD_THREAD_RESTART_MIN_MS} ms`,
  );
  nowMs += RECORD_THREAD_RESTART_MIN_MS;
  await store.commit(batch({threats: [threat(2)]}));
  expect(await store.holds(before)).toBe(true);
  expect(await readAll(store)).toHaveLength(2);
  expect(said).toEqual([
    'record store thread ended, the next request starts another one',
    'record store started again',
  ]);

  const writer = seen.at(-1) === seen[0] ? undefined : seen.find(each => each !== seen[0] && each.threadId > 0);
  await writer?.terminate();
  await expect(store.usage()).rejects.toThrow(`starts again in ${RECORD_THREAD_RESTART_MIN_MS * 2} ms`);
  await store.close();
  await expect(store.usage()).rejects.toMatchObject({code: 'closed'});
  await rm(parent, {recursive: true});
});
