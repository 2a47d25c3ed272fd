// SPDX-License-Identifier: Apache-2.0
/** Flags of `palisade serve` about requests that run at the same time → FairnessConfig, with every fault at once. */
import {REQUESTS_INFLIGHT_MAX} from '@palisade/apiserver';

export type FairnessConfig = {
  /** Of all priority levels together. */
  readonly seats: number;
};

const FLAGS = ['max-requests-inflight', 'max-mutating-requests-inflight'] as const;
export type FairnessFlags = {readonly [name in (typeof FLAGS)[number]]: string | undefined};

/** More seats than a server ever needs: a request that holds one is in memory. */
const SEATS_MAX = 100_000;

/** `faults`: one line each. */
export const fairnessConfigOf = (
  o: FairnessFlags,
): {readonly fairness: FairnessConfig; readonly faults: readonly string[]} => {
  const faults: string[] = [];
  const read = (flag: (typeof FLAGS)[number], byDefault: number): number => {
    const text = o[flag];
    const value = text === undefined ? byDefault : Number(text);
    if (!(Number.isInteger(value) && value >= 1 && value <= SEATS_MAX))
      faults.push(`--${flag} ${text}: must be a whole number from 1 to ${SEATS_MAX}`);
    return value;
  };
  const all = read('max-requests-inflight', REQUESTS_INFLIGHT_MAX.all);
  const mutating = read('max-mutating-requests-inflight', REQUESTS_INFLIGHT_MAX.mutating);
  return {fairness: {seats: all + mutating}, faults};
};
