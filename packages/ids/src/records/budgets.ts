// SPDX-License-Identifier: Apache-2.0
/** How much of the records stays on disk, and how long. */
import {RECORD_BUDGETS_DEFAULT} from '../limits.ts';

/** `evidence`: packets, payloads and protocol fields of threats. */
export const BUDGETS = ['threats', 'traffic', 'evidence'] as const;
export type BudgetName = (typeof BUDGETS)[number];
export type Budget = {readonly bytes: number; readonly ageMs: number};
export type Budgets = Readonly<Record<BudgetName, Budget>>;

/** On disk. `oldestMs`: the time of the oldest record; undefined: nothing is kept. */
export type BudgetUse = Budget & {readonly usedBytes: number; readonly oldestMs: number | undefined};

export {RECORD_BUDGETS_DEFAULT};
