// SPDX-License-Identifier: Apache-2.0
/** The flag of `palisade serve` about history → milliseconds, with its fault. */
import {ageIn} from '../parts/units.ts';

export type HistoryFlags = {readonly history: string};

const HISTORY_LEAST_MS = 10_000;

/** `faults`: one line each. */
export const historyConfigOf = ({
  history: text,
}: HistoryFlags): {readonly historyMs: number; readonly faults: readonly string[]} => {
  const ms = ageIn(text);
  if (ms === undefined) return {historyMs: 0, faults: [`--history ${text}: must be a time such as 10m, 2h or 30s`]};
  return {historyMs: ms, faults: ms < HISTORY_LEAST_MS ? [`--history ${text}: must be 10s or more`] : []};
};
