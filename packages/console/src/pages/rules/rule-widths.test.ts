// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {MARK_PX, WIDTHS} from './rule-widths.ts';

/** Pixels of the table: on a phone of 375, and next to the panel on a screen of 1024 and of 1280. */
test.each([
  ['narrow', 348],
  ['tight', 316],
  ['compact', 572 - 110], // without the column of the rule id
] as const)('49-3 the columns of %s fit', (room, roomPx) => {
  const {severity, message, state, hits} = WIDTHS[room];
  expect(MARK_PX + severity + message + state + hits).toBeLessThanOrEqual(roomPx);
});
