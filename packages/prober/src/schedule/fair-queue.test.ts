// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {FairQueue} from './fair-queue.ts';

const takeAll = (queue: FairQueue<string>): string[] => {
  const taken: string[] = [];
  for (let item = queue.take(); item !== undefined; item = queue.take()) taken.push(item);
  return taken;
};

test('46-2 groups take turns, in each the one that waits longest is first', () => {
  const queue = new FairQueue<string>(40);
  for (const item of ['a1', 'a2', 'a3', 'b1', 'c1', 'c2']) {
    queue.join(item.charAt(0));
    queue.add(item.charAt(0), item);
  }
  expect(takeAll(queue)).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3']);
});

test('46-2 a group alone leaves a share free; with others it gets a share, until it is alone again', () => {
  const queue = new FairQueue<string>(8);
  for (let i = 0; i < 9; i++) {
    queue.join('a');
    queue.add('a', `a${i}`);
  }
  expect([takeAll(queue).length, queue.taken, queue.waiting]).toEqual([6, 6, 3]);
  queue.join('b');
  queue.add('b', 'b0');
  expect(takeAll(queue)).toEqual(['b0']);
  for (let i = 0; i < 4; i++) queue.giveBack('a');
  expect(takeAll(queue)).toEqual([]);
  queue.giveBack('a');
  expect(takeAll(queue)).toEqual(['a6']);
  queue.giveBack('b');
  queue.leave('b');
  expect([takeAll(queue), queue.taken, queue.waiting]).toEqual([['a7', 'a8'], 4, 0]);
});

test('46-2 nobody who may have a place is forgotten, whatever comes and goes', () => {
  const step = fc.record({group: fc.constantFrom('a', 'b', 'c'), kind: fc.constantFrom('add', 'end', 'remove')});
  fc.assert(
    fc.property(fc.array(step, {maxLength: 100}), fc.integer({min: 1, max: 8}), (steps, placesMax) => {
      const queue = new FairQueue<string>(placesMax);
      const waiting = new Set<string>();
      const running: string[] = [];
      steps.forEach(({group, kind}, i) => {
        const waits = [...waiting].find(item => item.startsWith(group));
        const runs = running.findIndex(item => item.startsWith(group));
        if (kind === 'add') {
          queue.join(group);
          queue.add(group, `${group}${i}`);
          waiting.add(`${group}${i}`);
        } else if (kind === 'remove' && waits !== undefined) {
          queue.remove(group, waits);
          queue.leave(group);
          waiting.delete(waits);
        } else if (kind === 'end' && runs >= 0) {
          running.splice(runs, 1);
          queue.giveBack(group);
          queue.leave(group);
        }
        for (const item of takeAll(queue)) {
          waiting.delete(item);
          running.push(item);
        }
        const groups = new Set([...waiting, ...running].map(item => item.charAt(0)));
        const share = Math.floor(placesMax / 4);
        const max = groups.size === 1 ? placesMax - share : Math.max(1, share);
        const isFree = running.length < placesMax;
        for (const item of waiting) {
          const own = running.filter(other => other.charAt(0) === item.charAt(0)).length;
          expect(isFree && own < max).toBe(false);
        }
        expect([queue.taken, queue.waiting]).toEqual([running.length, waiting.size]);
        expect(running.length).toBeLessThanOrEqual(placesMax);
      });
    }),
  );
});
