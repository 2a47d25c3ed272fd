// SPDX-License-Identifier: Apache-2.0
/** Columns of the table of rules for the room that it has. */

/** `compact`: next to the panel. `tight`: the same on a screen under 1280 px. `narrow`: a phone. */
export type RuleTableRoom = 'full' | 'compact' | 'tight' | 'narrow';

type Widths = {readonly severity: number; readonly message: number; readonly state: number; readonly hits: number};

/** A title of one character, also in text that the user has enlarged. */
export const MARK_PX = 40;

/** Pixels, with the padding of the cell: each title and badge is whole in text that is a quarter larger. Where room is short, the sign of the state is alone. */
export const WIDTHS: Readonly<Record<RuleTableRoom, Widths>> = {
  full: {severity: 112, message: 176, state: 120, hits: 112},
  compact: {severity: 64, message: 200, state: 70, hits: 68},
  tight: {severity: 56, message: 150, state: 66, hits: 0},
  narrow: {severity: 48, message: 200, state: 58, hits: 0},
};

/** Columns that the panel shows for the open rule. */
export const LEFT_OUT: Readonly<Record<RuleTableRoom, readonly string[]>> = {
  full: [],
  compact: ['class', 'file'],
  tight: ['class', 'file', 'id', 'hits'],
  narrow: ['class', 'file', 'id', 'hits'],
};
