// SPDX-License-Identifier: Apache-2.0
/** The order of service when a level has no seats left: counts, no times. */
import {describe, expect, test} from 'vitest';
import {StatusError} from '../base/status-error.ts';
import {ManualTime} from '../testing/manual-time.ts';
import {LaneCounts} from './lane-counts.ts';
import {PriorityLevel, type QueueLimits, type Seats} from './level.ts';

const LIMITS: QueueLimits = {queuedPerFlowMax: 500, queuedMax: 1_000, queueWaitMsMax: 15_000};

const rig = (seats: number | 'exempt', limits: Partial<QueueLimits> = {}) => {
  const time = new ManualTime();
  const level = new PriorityLevel({name: 'test', seats, limits: {...LIMITS, ...limits}, clock: time, timers: time});
  const counts = new LaneCounts('test');
  const kind = {executing: 0};
  const running: {readonly name: string; readonly seats: Seats}[] = [];
  const began: string[] = [];
  const refused: string[] = [];
  const left: string[] = [];
  const gone = new Map<string, () => void>();
  /** `name` of one request of a flow. */
  const ask = (flow: string, name: string, width = 1): void => {
    const got = (seats: Seats | undefined): void => {
      if (seats === undefined) return void left.push(name);
      began.push(name);
      running.push({name, seats});
    };
    const entered = level.enter({flow, counts, kind, width}, action => {
      gone.set(name, action);
      return () => gone.delete(name);
    });
    if (entered instanceof Promise)
      entered.then(got, (error: unknown) => {
        expect(error).toBeInstanceOf(StatusError);
        const {code, details} = (error as StatusError).status;
        expect([code, details?.retryAfterSeconds]).toEqual([429, 1]);
        refused.push(`${name}: ${(error as Error).message}`);
      });
    else got(entered);
  };
  const settle = async (): Promise<void> => {
    for (let i = 0; i < 3; i++) await Promise.resolve();
  };
  /** Ends the request that began first, or that of this name. */
  const end = async (name = running[0]?.name): Promise<void> => {
    const at = running.findIndex(other => other.name === name);
    running.splice(at, 1)[0]?.seats.release();
    await settle();
  };
  return {time, level, counts, kind, running, began, refused, left, gone, ask, settle, end};
};

describe('fairness between users', () => {
  test("one user with 500 expensive requests: another's request is served before the queue of the first is done", async () => {
    const {ask, end, began, level, settle} = rig(60);
    for (let i = 0; i < 500; i++) ask('heavy', `heavy ${i}`, 100);
    await settle();
    expect(began).toEqual(['heavy 0', 'heavy 1', 'heavy 2']); // a quarter of the level each, three quarters for one user
    expect(level.waiting).toBe(497);
    ask('light', 'light', 1);
    await settle();
    expect(began.at(-1)).toBe('light');
    expect(level.waiting).toBe(497); // none of the first user's has ended, all of its queue is still there
    await end('light');
    while (began.length < 501) await end();
    expect(began.filter(name => name !== 'light')).toEqual(Array.from({length: 500}, (_, i) => `heavy ${i}`));
  });

  test('an expensive request of another user is next, although 497 wait before it', async () => {
    const {ask, end, began, settle} = rig(60);
    for (let i = 0; i < 500; i++) ask('heavy', `heavy ${i}`, 100);
    ask('a third', 'third', 100);
    ask('other', 'other', 100); // 60 seats are taken: it waits
    await settle();
    expect(began).toEqual(['heavy 0', 'heavy 1', 'heavy 2', 'third']);
    await end('heavy 0');
    expect(began.slice(4)).toEqual(['other']);
  });

  test('users that wait are served in turn, whatever their numbers of requests', async () => {
    const {ask, end, began, settle} = rig(4);
    for (let i = 0; i < 6; i++) ask('a', `a${i}`);
    for (let i = 0; i < 6; i++) ask('b', `b${i}`);
    for (let i = 0; i < 2; i++) ask('c', `c${i}`);
    await settle();
    expect(began).toEqual(['a0', 'a1', 'a2', 'b0']);
    for (let i = 0; i < 10; i++) await end();
    const firstSix = began.slice(4, 10).map(name => name[0]);
    expect(firstSix.filter(name => name === 'c')).toHaveLength(2);
    expect(firstSix.filter(name => name === 'b').length).toBeGreaterThanOrEqual(2);
    expect(began).toHaveLength(14);
  });

  test('seats count by the time that they are held: the user with the longer requests gets fewer', async () => {
    const {time, ask, end, began, settle, running} = rig(1);
    for (let i = 0; i < 20; i++) ask('slow', `slow ${i}`);
    for (let i = 0; i < 20; i++) ask('fast', `fast ${i}`);
    await settle();
    while (began.length < 15) {
      time.advance(running[0]?.name.startsWith('slow') === true ? 500 : 5);
      await end();
    }
    expect(began.filter(name => name.startsWith('slow')).length).toBeLessThanOrEqual(2);
  });

  test('a user who comes back is neither before those that wait nor behind them', async () => {
    const {ask, end, began, settle} = rig(1);
    for (let i = 0; i < 10; i++) ask('a', `a${i}`);
    for (let i = 0; i < 5; i++) await end();
    ask('b', 'b0');
    ask('b', 'b1');
    await settle();
    for (let i = 0; i < 4; i++) await end();
    expect(began.slice(6).sort()).toEqual(['a6', 'a7', 'b0', 'b1'].sort());
  });

  test('a wide request is not overtaken for ever by narrow ones of others', async () => {
    const {ask, end, began, settle} = rig(4);
    for (let i = 0; i < 3; i++) ask('a', `a${i}`);
    ask('b', 'b0');
    await settle();
    const wide = rig(8);
    for (let i = 0; i < 6; i++) wide.ask('a', `a${i}`);
    for (let i = 0; i < 2; i++) wide.ask('b', `b${i}`);
    wide.ask('wide', 'wide', 2);
    for (let i = 0; i < 20; i++) wide.ask('b', `later b${i}`);
    await wide.end('b0');
    await wide.end('b1');
    expect(wide.began.at(-1)).toBe('wide');
    await end();
    expect(began).toHaveLength(4);
  });
});

describe('exempt', () => {
  test('is never queued, whatever runs', async () => {
    const {ask, began, level} = rig('exempt');
    for (let i = 0; i < 5_000; i++) ask('admin', `r${i}`, 1_000);
    expect(began).toHaveLength(5_000);
    expect(level.waiting).toBe(0);
  });
});

describe('bounds', () => {
  test('a full queue of a user refuses at once, with the limit; other users enter', async () => {
    const {ask, refused, began, settle, counts} = rig(4, {queuedPerFlowMax: 2});
    for (let i = 0; i < 6; i++) ask('a', `a${i}`);
    ask('b', 'b0');
    await settle();
    expect(refused).toEqual([
      'a5: too many requests of user "a" wait: limit is 2 (priority level test); try again later',
    ]);
    expect(began).toContain('b0');
    expect(counts.rejected).toEqual({'queue-full': 1, 'time-out': 0, cancelled: 0});
  });

  test('a full level: the user with the longest queue loses its newest, so that another may wait', async () => {
    const {ask, refused, settle, level, end, began} = rig(1, {queuedMax: 4});
    for (let i = 0; i < 5; i++) ask('a', `a${i}`);
    ask('b', 'b0');
    await settle();
    expect(refused).toEqual([
      'a4: too many requests of all users wait: limit is 4 (priority level test); try again later',
    ]);
    ask('b', 'b1');
    ask('b', 'b2');
    await settle();
    expect(refused.map(text => text.slice(0, 2))).toEqual(['a4', 'a3', 'b2']);
    expect(level.waiting).toBe(4);
    for (let i = 0; i < 5; i++) await end();
    expect(began.toSorted()).toEqual(['a0', 'a1', 'a2', 'b0', 'b1']);
  });

  test('a request that waits too long is refused, and holds up nobody', async () => {
    const {ask, refused, settle, time, level, counts, end, began} = rig(8);
    for (let i = 0; i < 6; i++) ask('a', `a${i}`);
    ask('b', 'b0', 2);
    ask('c', 'wide', 2);
    time.advance(14_999);
    ask('d', 'late');
    await settle();
    expect(refused).toEqual([]);
    time.advance(1);
    await settle();
    expect(refused).toEqual([
      'wide: the request of user "c" waited 15 s for other requests (priority level test); try again later',
    ]);
    expect([level.waiting, counts.waiting, counts.rejected['time-out']]).toEqual([1, 1, 1]);
    await end();
    expect(began.at(-1)).toBe('late');
    expect(time.pending).toBe(0);
  });

  test('a client that leaves while it waits leaves the queue', async () => {
    const {ask, left, gone, settle, level, counts, time} = rig(1);
    ask('a', 'a0');
    ask('a', 'a1');
    ask('b', 'b0');
    gone.get('b0')?.();
    await settle();
    expect(left).toEqual(['b0']);
    expect([level.waiting, counts.rejected.cancelled, time.pending]).toEqual([1, 1, 1]);
  });

  test('seats that are given back twice count once', async () => {
    const {ask, running, level, kind} = rig(2);
    ask('a', 'a0');
    running[0]?.seats.release();
    running[0]?.seats.release();
    expect([level.inUse, kind.executing]).toEqual([0, 0]);
  });
});
