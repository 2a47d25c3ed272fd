// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {StoreError} from '../../store-error.ts';
import {DiskState} from './disk-state.ts';

const full = new StoreError('disk-full', {message: 'full'});
const failed = new StoreError('disk-failed', {message: 'failed'});

/** A disk that refuses with `refusal`, and the tasks that wait for their time. */
const setUp = () => {
  const world = {
    refusal: undefined as StoreError | undefined,
    changes: [] as (string | undefined)[],
    tried: [] as number[],
    waiting: [] as (() => void)[],
  };
  const state = new DiskState(
    {onChange: error => world.changes.push(error?.code), later: task => world.waiting.push(task)},
    async bytes => {
      world.tried.push(bytes);
      if (world.refusal !== undefined) throw world.refusal;
    },
  );
  const pass = async (): Promise<void> => {
    for (const task of world.waiting.splice(0)) task();
    await new Promise(resolve => setImmediate(resolve));
  };
  return {world, state, pass};
};

test('F-09 many refused writes are one change; a recovery is noticed without a write, and is one change', async () => {
  const {world, state, pass} = setUp();
  world.refusal = full;
  for (let i = 0; i < 40; i++) state.refused(full, 2_000);
  expect(world.waiting).toHaveLength(1);
  await pass();
  await pass();
  expect(world.changes).toEqual(['disk-full']);
  world.refusal = undefined;
  await pass();
  expect(world.changes).toEqual(['disk-full', undefined]);
  expect(world.waiting).toEqual([]);
  state.refused(full, 1);
  expect(world.changes).toEqual(['disk-full', undefined, 'disk-full']);
});

test('F-09 another reason is another change', async () => {
  const {world, state, pass} = setUp();
  state.refused(full, 1);
  world.refusal = failed;
  await pass();
  await pass();
  expect(world.changes).toEqual(['disk-full', 'disk-failed']);
});

test('F-09 there must be room to spare: at least 1 MiB, and twice the largest write that was refused', async () => {
  const {world, state, pass} = setUp();
  state.refused(full, 10);
  await pass();
  world.refusal = full;
  state.refused(full, 3_000_000);
  state.refused(full, 5);
  await pass();
  expect(world.tried).toEqual([1024 * 1024, 6_000_000]);
});

test('F-09 a closed store tries no more', async () => {
  const {world, state, pass} = setUp();
  state.refused(full, 1);
  state.close();
  await pass();
  expect([world.tried, world.changes]).toEqual([[], ['disk-full']]);
});

test('F-09 the disk refuses from the first refused write to the first that is taken', async () => {
  const {world, state, pass} = setUp();
  world.refusal = failed;
  const seen = [state.isRefusing];
  state.refused(failed, 1);
  await pass();
  seen.push(state.isRefusing);
  world.refusal = undefined;
  await pass();
  expect([...seen, state.isRefusing]).toEqual([false, true, false]);
});
