// SPDX-License-Identifier: Apache-2.0
/** A long-running operation as the store keeps it: JSON under `/ids/operations/{name}`. */
import {formatTimestamp, type OperationMessage, type OperationResult, type OperationVerb} from '@palisade/ids-wire';

export type OperationRecord = {
  readonly name: string;
  readonly verb: OperationVerb;
  /** Endpoint name. */
  readonly target: string;
  readonly createTimeMs: number;
  readonly endTimeMs?: number | undefined;
  readonly requestedCancellation: boolean;
  /** There exactly when done. */
  readonly result?: OperationResult | undefined;
  /** Of a create or an update that is done: what of the endpoint's settings does nothing. */
  readonly warnings?: readonly string[] | undefined;
  /** Deleted by the user: not shown any more, but a replayed request still finds it. */
  readonly hidden?: true | undefined;
};

/** The status message that warns; undefined: there is nothing to warn of. */
export const warningText = (warnings: readonly string[] = []): string | undefined =>
  warnings.length === 0 ? undefined : `warning: ${warnings.join('; ')}`;

/** `statusMessage`: what is being done now; of a finished operation its warnings. */
export const toOperationMessage = (record: OperationRecord, statusMessage: string | undefined): OperationMessage => ({
  name: record.name,
  createTime: formatTimestamp(record.createTimeMs),
  endTime: record.endTimeMs === undefined ? undefined : formatTimestamp(record.endTimeMs),
  target: record.target,
  verb: record.verb,
  statusMessage: record.result === undefined ? statusMessage : warningText(record.warnings),
  requestedCancellation: record.requestedCancellation,
  result: record.result,
});
