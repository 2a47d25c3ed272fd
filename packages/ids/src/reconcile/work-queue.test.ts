// SPDX-License-Identifier: Apache-2.0
import {describe, expect, test} from 'vitest';
import {RETRY_DELAY_MAX_MS, RETRY_DELAY_MIN_MS} from '../limits.ts';
import {ManualTime} from '../testing/manual-time.ts';
import {Slots} from './slots.ts';
import {WorkQueue, type WorkResult} from './work-queue.ts';

const settle = async (): Promise<void> => {
  for (let i = 0; i < 10; i += 1) await Promise.resolve();
};

describe('work queue', () => {
  test('one worker per name; a name added meanwhile is worked once more', async () => {
    const releases: (() => void)[] = [];
    const queue = new WorkQueue({
      work: () => new Promise<WorkResult>(resolve => releases.push(() => resolve('done'))),
      onFailure: () => {},
      timers: new ManualTime(),
    });
    queue.add('a');
    queue.add('a');
    queue.add('a');
    queue.add('b');
    await settle();
    expect(releases).toHaveLength(2);
    releases[0]?.();
    await settle();
    expect(releases).toHaveLength(3);
    releases[2]?.();
    releases[1]?.();
    await settle();
    expect(releases).toHaveLength(3);
  });

  test('a failing worker is tried again with growing pauses; a success resets them', async () => {
    const time = new ManualTime();
    const pauses: number[] = [];
    let fails = true;
    const queue = new WorkQueue({
      work: () => (fails ? Promise.reject(new Error('no')) : Promise.resolve('done')),
      onFailure: (_name, _error, retryMs) => pauses.push(retryMs),
      timers: time,
    });
    queue.add('a');
    await settle();
    for (let i = 0; i < 12; i += 1) {
      time.advance(pauses.at(-1) ?? 0);
      await settle();
    }
    expect(pauses.slice(0, 3)).toEqual([RETRY_DELAY_MIN_MS, 2 * RETRY_DELAY_MIN_MS, 4 * RETRY_DELAY_MIN_MS]);
    expect(pauses.at(-1)).toBe(RETRY_DELAY_MAX_MS);
    const before = pauses.length;
    queue.nudge('a'); // waits already: left alone
    await settle();
    expect(pauses).toHaveLength(before);
    queue.add('a');
    await settle();
    expect(pauses).toHaveLength(before + 1);
    fails = false;
    time.advance(RETRY_DELAY_MAX_MS);
    await settle();
    fails = true;
    queue.nudge('a');
    await settle();
    expect(pauses.at(-1)).toBe(RETRY_DELAY_MIN_MS);
  });

  test('stop waits for workers, takes no more work, and leaves no timer', async () => {
    const time = new ManualTime();
    let release = (): void => {};
    const queue = new WorkQueue({
      work: name =>
        name === 'bad'
          ? Promise.reject(new Error('no'))
          : new Promise<WorkResult>(resolve => {
              release = () => resolve('done');
            }),
      onFailure: () => {},
      timers: time,
    });
    queue.add('bad');
    queue.add('a');
    await settle();
    expect(time.pending).toBe(1);
    let stopped = false;
    const stopping = queue.stop().then(() => {
      stopped = true;
    });
    await settle();
    expect([stopped, time.pending]).toEqual([false, 0]);
    release();
    await stopping;
    queue.add('b');
    await settle();
    expect(stopped).toBe(true);
  });
});

describe('slots', () => {
  const never = new AbortController().signal;
  const gate = () => {
    let open = (): void => {};
    const promise = new Promise<void>(resolve => {
      open = resolve;
    });
    return {open: () => open(), promise};
  };

  test('at most so many at a time, first come first served', async () => {
    const slots = new Slots({max: 1, holdMs: 1000, timers: new ManualTime()});
    const order: string[] = [];
    const first = gate();
    const runs = [
      slots.run(never, async () => {
        order.push('a');
        await first.promise;
      }),
      slots.run(never, async () => void order.push('b')),
      slots.run(never, async () => void order.push('c')),
    ];
    await settle();
    expect([order, slots.isFull]).toEqual([['a'], true]);
    first.open();
    await Promise.all(runs);
    expect([order, slots.isFull]).toEqual([['a', 'b', 'c'], false]);
  });

  test('one that blocks gives its slot up after a while, and does not free it twice', async () => {
    const time = new ManualTime();
    const slots = new Slots({max: 1, holdMs: 1000, timers: time});
    const blocked = gate();
    const order: string[] = [];
    const first = slots.run(never, () => blocked.promise);
    const second = slots.run(never, async () => void order.push('b'));
    await settle();
    expect(order).toEqual([]);
    time.advance(1000);
    await second;
    blocked.open();
    await first;
    const third = gate();
    const holding = slots.run(never, () => third.promise);
    await settle();
    expect(slots.isFull).toBe(true);
    third.open();
    await holding;
  });

  test('who waits can leave; a failing action frees its slot', async () => {
    const slots = new Slots({max: 1, holdMs: 1000, timers: new ManualTime()});
    const blocked = gate();
    const first = slots.run(never, () => blocked.promise);
    const leaving = new AbortController();
    const second = slots.run(leaving.signal, async () => {});
    leaving.abort(new Error('gone'));
    await expect(second).rejects.toThrow('gone');
    blocked.open();
    await first;
    await expect(slots.run(never, () => Promise.reject(new Error('x')))).rejects.toThrow('x');
    expect(slots.isFull).toBe(false);
  });
});
