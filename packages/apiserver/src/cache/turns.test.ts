// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {Turns} from './turns.ts';

test('of all that is done in steps one step is done each time round, in the order in which they were asked for', async () => {
  const due: (() => void)[] = [];
  const turns = new Turns({
    soon: action => {
      due.push(action);
      return {cancel: () => {}};
    },
  });
  const done: string[] = [];
  const work = async (name: string): Promise<void> => {
    for (const step of [1, 2]) {
      await turns.next();
      done.push(`${name}${step}`);
    }
  };
  const all = Promise.all([work('a'), work('b')]);
  for (const seen of [['a1'], ['a1', 'b1'], ['a1', 'b1', 'a2'], ['a1', 'b1', 'a2', 'b2']]) {
    await expect.poll(() => due.length).toBe(1);
    due.pop()?.();
    await expect.poll(() => done).toEqual(seen);
  }
  await all;
});
