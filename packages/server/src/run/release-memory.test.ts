// SPDX-License-Identifier: Apache-2.0
import {existsSync} from 'node:fs';
import {expect, test} from 'vitest';
import {settleMemory, startTrimming, trimMalloc} from './release-memory.ts';

/** Musl has no malloc_trim; glibc says where it is. */
const hasGlibc = process.platform === 'linux' && existsSync('/lib64/ld-linux-x86-64.so.2');

test.runIf(hasGlibc)('what the C library holds free goes back to the system (needs glibc)', () => {
  const kept: Buffer[] = [];
  const blocks = Array.from({length: 20_000}, (_, i) => {
    const block = Buffer.allocUnsafeSlow(3_000).fill(1);
    if (i % 50 === 0) kept.push(block); // pins the heap, so that it cannot shrink from its top
    return block;
  });
  expect(blocks).toHaveLength(20_000);
  expect(trimMalloc()).toBe(true);
});

test('what a start leaves behind is collected, and gc() stays hidden', async () => {
  const left = new WeakRef({});
  await new Promise(setImmediate); // a reference that was just made holds its object until the turn is over
  settleMemory();
  expect(left.deref()).toBeUndefined();
  expect(globalThis).not.toHaveProperty('gc');
});

const MIB = 1024 * 1024;

/** A process of the given size, looked at by hand. */
const grown = (trims: boolean) => {
  let pending: (() => void) | undefined;
  const state = {resident: 100 * MIB, trimmed: 0};
  const stop = startTrimming({
    timers: {
      after: (_ms, action) => {
        pending = action;
        return {cancel: () => (pending = undefined)};
      },
    },
    resident: () => state.resident,
    trim: () => {
      state.trimmed++;
      state.resident -= 10 * MIB;
      return trims;
    },
  });
  const look = (resident: number) => {
    state.resident = resident;
    const action = pending;
    pending = undefined;
    action?.();
  };
  return {state, look, stop, isWaiting: () => pending !== undefined};
};

test('a process is trimmed when it has grown by 8 MiB since it was smallest or last trimmed', () => {
  const {state, look} = grown(true);
  look(110 * MIB); // the first look, leaves 100
  state.trimmed = 0;
  look(108 * MIB);
  expect(state.trimmed).toBe(0);
  look(109 * MIB); // leaves 99
  expect(state.trimmed).toBe(1);
  look(107 * MIB);
  expect(state.trimmed).toBe(1);
  look(90 * MIB);
  look(99 * MIB);
  expect(state.trimmed).toBe(2);
});

test('F-26 a process that does not grow is trimmed at the first look and every eleventh: what a start frees later goes back', () => {
  const {state, look} = grown(true);
  const trimmed = Array.from({length: 23}, () => {
    look(state.resident);
    return state.trimmed;
  });
  expect(trimmed).toEqual([...Array(11).fill(1), ...Array(11).fill(2), 3]);
});

test('where it cannot be done it is tried once; a stop leaves no timer', () => {
  const once = grown(false);
  once.look(200 * MIB);
  expect(once.isWaiting()).toBe(false);
  const stopped = grown(true);
  stopped.stop();
  expect(stopped.isWaiting()).toBe(false);
});
