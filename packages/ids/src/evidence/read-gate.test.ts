// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {ReadGate} from './read-gate.ts';

const setUp = () => {
  const gate = new ReadGate({runningMax: 2, waitingMax: 2, perUserMax: 3});
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const read = (user: string, name: string): Promise<string> =>
    gate.run(user, async () => {
      begun.push(name);
      await new Promise<void>(resolve => ends.push(resolve));
      return name;
    });
  return {gate, begun, ends, read};
};

test('44-2 a few reads run, a few wait in order, and more are refused', async () => {
  const {begun, ends, read} = setUp();
  const all = [read('ann', 'a'), read('ann', 'b'), read('bob', 'c'), read('bob', 'd')];
  await expect(read('eve', 'e')).rejects.toMatchObject({
    code: 'RESOURCE_EXHAUSTED',
    message: expect.stringContaining('4 such requests are open'),
  });
  expect(begun).toEqual(['a', 'b']);
  ends.shift()?.();
  expect(await all[0]).toBe('a');
  await expect.poll(() => begun).toEqual(['a', 'b', 'c']);
  const last = read('eve', 'e');
  while (begun.length < 5) {
    ends.shift()?.();
    await new Promise(resolve => setImmediate(resolve));
  }
  for (const end of ends) end();
  expect(await Promise.all([...all, last])).toEqual(['a', 'b', 'c', 'd', 'e']);
  expect(begun).toEqual(['a', 'b', 'c', 'd', 'e']);
});

test('44-2 one user cannot take every place; a read that fails gives its place back', async () => {
  const {gate, ends, read} = setUp();
  const all = [read('ann', 'a'), read('ann', 'b'), read('ann', 'c')];
  await expect(read('ann', 'd')).rejects.toMatchObject({
    code: 'RESOURCE_EXHAUSTED',
    message: expect.stringContaining('user "ann" has 3 such requests open'),
  });
  all.push(read('bob', 'e'));
  for (let turn = 0; turn < 4; turn++) {
    ends.shift()?.();
    await new Promise(resolve => setImmediate(resolve));
  }
  expect(await Promise.all(all)).toEqual(['a', 'b', 'c', 'e']);
  const fails = () => gate.run('ann', () => Promise.reject(new Error('no')));
  for (let turn = 0; turn < 9; turn++) await expect(fails()).rejects.toThrow('no');
});
