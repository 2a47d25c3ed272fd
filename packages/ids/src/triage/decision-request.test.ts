// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {parseBatch, parseDecision} from './decision-request.ts';

test('44-4 a comment with the line ends of Windows has those of the product', () => {
  const comment = 'our scanner\r\nsee ticket 7';
  expect(parseDecision({comment}, 'comment')).toBe('our scanner\nsee ticket 7');
  expect(parseBatch({filter: '*', comment}, 'acknowledge').comment).toBe('our scanner\nsee ticket 7');
});
