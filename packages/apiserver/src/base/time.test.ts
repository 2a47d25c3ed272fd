// SPDX-License-Identifier: Apache-2.0
import {afterEach, beforeEach, expect, test, vi} from 'vitest';
import {systemTimers} from './time.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a wait of more than a timer of Node holds is not over at once, and can be cancelled half-way', () => {
  const action = vi.fn();
  const waitMs = 2 ** 32;
  systemTimers.after(waitMs, action);
  systemTimers.after(waitMs, action);
  const cancelled = systemTimers.after(waitMs, action);
  vi.advanceTimersByTime(waitMs - 1);
  expect(action).not.toHaveBeenCalled();
  cancelled.cancel();
  vi.advanceTimersByTime(1);
  expect(action).toHaveBeenCalledTimes(2);
});
