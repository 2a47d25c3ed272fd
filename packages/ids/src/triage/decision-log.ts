// SPDX-License-Identifier: Apache-2.0
/**
 * What was decided about threats, for the log of the server: every decision goes through here once, when it is on disk. One about many is
 * stored in steps, and each has its line, also when a later one fails.
 */
import {type Caller, usersOf} from '../auth.ts';
import type {RecordSelection} from '../records/record-store.ts';
import type {Log} from '../system.ts';
import type {TriageAction} from './decision-request.ts';

/** Of one threat, or of all that match. Comments are data of the record and not in the log. */
export type Decision = {
  readonly action: TriageAction;
  /** Full resource name; `-` may stand for parts of it. */
  readonly endpoint: string;
  readonly threat?: string | undefined;
  readonly selection?: Pick<RecordSelection, 'filter' | 'sinceMs' | 'untilMs'> | undefined;
  readonly hasComment: boolean;
  readonly matched: number;
  /** Of many: in this step. */
  readonly changed: number;
  /** In the steps of the same request before this one. */
  readonly changedBefore?: number | undefined;
};

export const reportDecision = (log: Log, caller: Caller, {selection, ...decision}: Decision): void =>
  log.info({...usersOf(caller), ...decision, ...selection}, 'ids: threat decision stored');
