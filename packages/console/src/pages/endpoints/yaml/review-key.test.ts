// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {isReviewKey} from './review-key.ts';

test('49-3 Ctrl+S reviews the text, with Caps Lock too', () => {
  const press = (key: string, ctrlKey = true, metaKey = false) => isReviewKey({key, ctrlKey, metaKey});
  expect([press('s'), press('S'), press('Enter'), press('s', false, true)]).toEqual([true, true, true, true]);
  expect([press('s', false), press('Enter', false), press('x')]).toEqual([false, false, false]);
});
