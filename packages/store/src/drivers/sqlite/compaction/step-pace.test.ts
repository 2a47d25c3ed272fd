// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {StepPace} from './step-pace.ts';

/** A clock that tasks move: `itemMs` for each piece of work, then `commitMs` for each piece to commit it. */
class Disk {
  nowMs = 0;
  readonly now = (): number => this.nowMs;
  itemMs = 1;
  commitMs = 0;

  readonly task =
    (items: number) =>
    (isOver: () => boolean): boolean => {
      let done = 0;
      do {
        this.nowMs += this.itemMs;
        done++;
      } while (done < items && !isOver());
      this.nowMs += done * this.commitMs;
      this.done = done;
      return done < items;
    };

  done = 0;
}

const steps = (pace: StepPace, disk: Disk, count: number): number[] =>
  Array.from({length: count}, () => pace.step(disk.task(1e6)).ms);

test('48-2 a step is as long as it may be where a commit takes no time', () => {
  const disk = new Disk();
  const pace = new StepPace(20, disk.now);
  expect(steps(pace, disk, 3)).toEqual([5, 20, 20]);
});

test('48-2 steps become shorter when the disk becomes slow, and longer again; the time of a commit counts', () => {
  const disk = new Disk();
  const pace = new StepPace(20, disk.now);
  disk.commitMs = 3;
  const slow = steps(pace, disk, 5);
  expect(slow.every(ms => ms <= 20)).toBe(true);
  expect(disk.done).toBe(5);
  disk.commitMs = 0;
  expect(steps(pace, disk, 2)[1]).toBe(20);
});

test('48-2 on a disk that is slower than a step, each step still does one piece', () => {
  const disk = new Disk();
  const pace = new StepPace(20, disk.now);
  disk.commitMs = 500;
  steps(pace, disk, 3);
  expect(disk.done).toBe(1);
});

test('48-2 a task that ends before its time says that there is no more', () => {
  const disk = new Disk();
  expect(new StepPace(20, disk.now).step(disk.task(2))).toEqual({more: false, ms: 2});
});
