// SPDX-License-Identifier: Apache-2.0
/** Events of a running deployment; displays and summaries are made of these. */
import type {DiffResult} from '@palisade/provider';
import type {ResourceState} from '../state/resource-state.ts';
import {isDefaultProvider} from '../state/urn.ts';

/** The CLI's words. A replacement is `replace` (counted) around `create-replacement` and `delete-replaced` (not counted). */
export type StepOp =
  | 'same'
  | 'create'
  | 'update'
  | 'delete'
  | 'replace'
  | 'create-replacement'
  | 'delete-replaced'
  | 'read'
  | 'read-replacement'
  | 'refresh'
  | 'discard'
  | 'discard-replaced'
  | 'remove-pending-replace'
  | 'import'
  | 'import-replacement';

const UNCOUNTED: ReadonlySet<StepOp> = new Set<StepOp>([
  'create-replacement',
  'delete-replaced',
  'discard-replaced',
  'read-replacement',
  'refresh',
  'remove-pending-replace',
  'import-replacement',
]);

const NO_CHANGE: ReadonlySet<string> = new Set<StepOp>(['same', 'read', 'discard', 'read-replacement']);

export type Step = {
  readonly op: StepOp;
  readonly urn: string;
  readonly old?: ResourceState | undefined;
  readonly next?: ResourceState | undefined;
  /** Property paths that force the replacement. */
  readonly replaceReasons?: readonly string[] | undefined;
  /** Top-level properties that changed. */
  readonly diffReasons?: readonly string[] | undefined;
  readonly detailedDiff?: DiffResult['detailedDiff'] | undefined;
  /** Of a replacement: the old object goes before the new one is made. */
  readonly deletesFirst?: boolean | undefined;
};

export type Severity = 'debug' | 'info' | 'warning' | 'error';

export type EngineEvent =
  | {readonly kind: 'step-start'; readonly step: Step}
  | {readonly kind: 'step-done'; readonly step: Step; readonly counted: boolean}
  | {readonly kind: 'step-failed'; readonly step: Step}
  | {readonly kind: 'outputs'; readonly state: ResourceState}
  | {readonly kind: 'diagnostic'; readonly severity: Severity; readonly urn: string; readonly message: string}
  | {readonly kind: 'program-output'; readonly line: string; readonly isError: boolean}
  /** A line for the user, shown at once. */
  | {readonly kind: 'notice'; readonly line: string};

export type EventSink = (event: EngineEvent) => void;

/** How often each operation happened. Default providers are left out. */
export type ChangeSummary = Readonly<Record<string, number>>;

export class ChangeCounter {
  readonly #counts = new Map<StepOp, number>();

  /** Counts a finished step; false when it is of a kind that is not counted. */
  add(step: Step): boolean {
    if (UNCOUNTED.has(step.op) || isDefaultProvider(step.urn)) return false;
    this.#counts.set(step.op, (this.#counts.get(step.op) ?? 0) + 1);
    return true;
  }

  get summary(): ChangeSummary {
    return Object.fromEntries([...this.#counts].sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}

/** What `--expect-no-changes` asks. */
export const hasChanges = (summary: ChangeSummary): boolean =>
  Object.entries(summary).some(([op, count]) => count > 0 && !NO_CHANGE.has(op));
