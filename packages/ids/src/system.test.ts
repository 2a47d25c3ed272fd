// SPDX-License-Identifier: Apache-2.0
import {setFlagsFromString} from 'node:v8';
import {runInNewContext} from 'node:vm';
import {expect, test} from 'vitest';
import {unlessAborted} from './system.ts';

const never = (): Promise<string> => new Promise(() => {});

test('F-17 a wait ends with its promise or its signal, whichever comes first', async () => {
  const ending = new AbortController();
  expect(await unlessAborted(Promise.resolve('taken'), ending.signal)).toBe('taken');
  await expect(unlessAborted(Promise.reject(new Error('broken')), ending.signal)).rejects.toThrow('broken');
  const waiting = unlessAborted(never(), ending.signal);
  ending.abort();
  expect(await waiting).toBeUndefined();
  expect(await unlessAborted(never(), ending.signal)).toBeUndefined();
});

test('F-17 a signal that outlives many waits keeps nothing of them', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const usedBytes = (): number => {
    collect();
    return process.memoryUsage().heapUsed;
  };
  const WAITS = 20_000;
  const {signal} = new AbortController();
  const before = usedBytes();
  for (let i = 0; i < WAITS; i++) await unlessAborted(Promise.resolve(), signal);
  expect(usedBytes() - before).toBeLessThan(50 * WAITS);
  expect(signal.aborted).toBe(false);
});
