// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {STEPS} from '../../base/limits.ts';
import {Scheduler} from './scheduler.ts';
import {ManualTurns} from './testing/manual-fan-out.ts';

const scheduled = () => {
  const time = new ManualTurns();
  const done: string[] = [];
  return {time, done, scheduler: new Scheduler(time, time)};
};

test('of all work in turns, each iteration of the event loop does one step, in the order in which they were asked for', async () => {
  const {time, done, scheduler} = scheduled();
  const work = async (name: string): Promise<void> => {
    for (const step of [1, 2]) {
      await scheduler.turn();
      done.push(`${name}${step}`);
    }
  };
  const all = Promise.all([work('a'), work('b')]);
  for (const seen of [['a1'], ['a1', 'b1'], ['a1', 'b1', 'a2'], ['a1', 'b1', 'a2', 'b2']]) {
    await expect.poll(() => time.turn()).toBe(true);
    await expect.poll(() => done).toEqual(seen);
  }
  await all;
});

test('short steps come in slices, tasks in turn; after a slice others get as long', () => {
  const {time, done, scheduler} = scheduled();
  const task = (name: string, steps: number) => (): boolean => {
    done.push(name);
    time.nowMs += 1;
    return --steps > 0;
  };
  scheduler.run(task('a', 2 * STEPS.sliceMsMax));
  scheduler.run(task('b', 1));
  for (let i = 0; i < STEPS.sliceMsMax; i++) scheduler.add(task('c', 1));
  const slice = (): string => {
    done.length = 0;
    while (done.length === 0) time.turn(Number.POSITIVE_INFINITY);
    return `${time.nowMs} ${done.join('')}`;
  };
  expect(slice()).toBe('4 aaaa');
  expect(slice()).toBe('12 bccc');
  expect(slice()).toBe('20 aaaa');
  expect(slice()).toBe('25 c');
  expect(time.turn(Number.POSITIVE_INFINITY)).toBe(false);
});

test('a slice ends, too, while the clock stands still', () => {
  const {time, scheduler} = scheduled();
  let steps = 0;
  scheduler.run(() => ++steps < 2 * STEPS.sliceStepsMax);
  time.turn();
  expect(steps).toBe(STEPS.sliceStepsMax);
  time.turn();
  expect([steps, time.turn()]).toEqual([2 * STEPS.sliceStepsMax, false]);
});

test('actions that are added while others run follow them', () => {
  const {time, done, scheduler} = scheduled();
  scheduler.add(() => {
    scheduler.add(() => void done.push('second'));
    done.push('first');
  });
  time.pass(1);
  scheduler.add(() => void done.push('third'));
  time.pass(1);
  expect(done).toEqual(['first', 'second', 'third']);
});
