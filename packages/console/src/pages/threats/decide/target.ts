// SPDX-License-Identifier: Apache-2.0
/** Which threats a decision is about. */
import {formatTimestamp} from '@palisade/ids-wire';
import {type Bounds, boundsOf} from '../../../records/time-range.ts';
import type {RecordQuery} from '../../../records/use-record-feed.ts';

/** The selected ones by name, or all that match. */
export type DecisionTarget =
  | {readonly names: readonly string[]}
  | {readonly scope: string; readonly filter: string; readonly bounds: Bounds};

/** `all`: as in the address. With a fault in the filter, queries have another one than the user sees: rows alone can be selected. */
export const selectsAll = (all: boolean, fault: string | undefined): boolean => all && fault === undefined;

export type Chosen = {
  /** All that match are selected: see selectsAll. */
  readonly isAll: boolean;
  readonly query: RecordQuery;
  /** Selected by name. */
  readonly names: ReadonlySet<string>;
  /** The row that the keys are on, for want of a selection. */
  readonly row?: string | undefined;
};

/** Undefined: nothing is selected. `now`: threats that come later are not decided. */
export function targetOf({isAll, query, names, row}: Chosen, now: number): DecisionTarget | undefined {
  if (isAll) {
    const {since, until} = boundsOf(query.range, now);
    const filter = query.filter.trim() === '' ? '*' : query.filter;
    return {scope: query.name, filter, bounds: {since, until: until ?? formatTimestamp(now)}};
  }
  if (names.size > 0) return {names: [...names]};
  return row === undefined ? undefined : {names: [row]};
}
