// SPDX-License-Identifier: Apache-2.0
/**
 * No write is answered before the sync of its batch. Under WAL and synchronous=FULL, SQLite's COMMIT returns after the
 * WAL was synced (the connection refuses to open when it reads back anything else), so the worker counts, in shared
 * memory, the COMMITs that have returned; the test reads that count in the very moment in which an answer arrives.
 * The system calls themselves: test/robustness/store/store-fsync.test.ts.
 */
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterEach, beforeEach, describe, expect, test, vi} from 'vitest';
import {STORE_LIMITS} from '../../limits.ts';
import {type Change, changeId} from '../../log/change.ts';
import {openLogStore} from '../../log/log-store.ts';
import type {Store} from '../../store.ts';
import {bytes, WatchRecorder} from '../../testing/index.ts';
import {CommitProbe} from './commit-probe.ts';
import {openSqliteStore} from './index.ts';
import {connect} from './open-database.ts';
import {SqliteDriver} from './sqlite-driver.ts';

vi.setConfig({testTimeout: 30_000}); // each test starts threads; a busy machine takes its time

let dir = '';
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'palisade-durable-'));
});
afterEach(() => rm(dir, {recursive: true}));

/** Writes with many in flight; returns the revisions that were answered before the COMMIT that holds them returned. */
async function answeredEarly(store: Store, probe: CommitProbe, {writes, inFlight}: {writes: number; inFlight: number}) {
  const early: bigint[] = [];
  let next = 0;
  const writer = async (): Promise<void> => {
    while (next < writes) {
      const revision = await store.put(`/k${next++}`, bytes('x'.repeat(200)));
      if (probe.lastChange < changeId(Number(revision), 0)) early.push(revision);
    }
  };
  await Promise.all(Array.from({length: inFlight}, writer));
  return early;
}

/** Answers as soon as it was asked. */
class HastyDriver extends SqliteDriver {
  readonly #running: Promise<void>[] = [];

  override async append(changes: readonly Change[]): Promise<void> {
    this.#running.push(super.append(changes));
  }

  override async close(): Promise<void> {
    await Promise.all(this.#running);
    await super.close();
  }
}

describe('an answer comes after the sync of its batch', () => {
  test.each([1, 8, 64])('with %d in flight', async inFlight => {
    const probe = new CommitProbe();
    await using store = await openSqliteStore({dir, probe});
    expect(await answeredEarly(store, probe, {writes: 300, inFlight})).toEqual([]);
    // One by one, each write has a sync of its own; together, they share.
    if (inFlight === 1) expect(probe.commits).toBe(300);
    else expect(probe.commits).toBeLessThanOrEqual(300 / inFlight + inFlight);
    expect(probe.lastChange).toBe(changeId(300, 0));
  });

  test('the measure itself finds a driver that answers before', async () => {
    const probe = new CommitProbe();
    const driver = new HastyDriver({file: join(dir, 'store.db'), fileBytesMax: 0, probe});
    await using store = await openLogStore(driver, {limits: STORE_LIMITS, defer: setImmediate});
    probe.hold('before-commit');
    const early = answeredEarly(store, probe, {writes: 20, inFlight: 4});
    await probe.stopped();
    probe.release();
    expect((await early).length).toBeGreaterThan(0);
  });

  test.each(['before-commit', 'after-commit'] as const)(
    'held %s: nothing is answered, read or watched',
    async point => {
      const probe = new CommitProbe();
      await using store = await openSqliteStore({dir, probe});
      await using watch = new WatchRecorder(store, '', 0n);
      const answers: string[] = [];
      probe.hold(point);
      const writes = Promise.all(
        ['/a', '/b', '/c'].map(async key => answers.push(`${key} ${await store.put(key, bytes('x'), 0n)}`)),
      );
      const refusal = store.put('/a', bytes('y'), 0n).catch(error => answers.push(error.code));
      await probe.stopped();
      expect(probe.commits).toBe(point === 'before-commit' ? 0 : 1);
      for (let turns = 0; turns < 20; turns++) await new Promise(resolve => setImmediate(resolve));
      expect(answers).toEqual([]);
      expect(await store.get('/a')).toBeUndefined();
      expect(await store.currentRevision()).toBe(0n);
      expect(watch.events).toEqual([]);
      probe.release();
      await writes;
      await refusal;
      expect(answers).toEqual(['/a 1', '/b 2', '/c 3', 'key-exists']);
      expect(probe.commits).toBe(1);
    },
  );
});

test('the connection that writes has WAL and synchronous=FULL', async () => {
  await (await openSqliteStore({dir})).close();
  const db = connect(join(dir, 'store.db'), {fileBytesMax: 0});
  expect(db.prepare('PRAGMA synchronous').get()).toEqual({synchronous: 2});
  expect(db.prepare('PRAGMA journal_mode').get()).toEqual({journal_mode: 'wal'});
  db.close();
});
