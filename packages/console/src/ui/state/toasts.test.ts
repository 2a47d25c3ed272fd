// SPDX-License-Identifier: Apache-2.0
import {expect, test, vi} from 'vitest';
import {closeToast, toastDone, toastStore} from './toasts.ts';

test('49-3 the warnings about one write are one message, which stays until it is closed', () => {
  vi.useFakeTimers();
  const texts = (): string[] => toastStore.get().map(({tone, text}) => `${tone} ${text}`);
  const warned = 'warn Warning: first\nWarning: second';
  toastDone('Saved a/b', ['first', 'second']);
  expect(texts()).toEqual(['ok Saved a/b', warned]);
  vi.advanceTimersByTime(60_000);
  expect(texts()).toEqual([warned]);
  closeToast(toastStore.get()[0]?.id ?? 0);
  toastDone('Deleted a/b', []);
  expect(texts()).toEqual(['ok Deleted a/b']);
  vi.useRealTimers();
});
