// SPDX-License-Identifier: Apache-2.0
/** The transactions that end an operation: endpoint, operation and allocation keys change together or not at all. */

import type {OperationResult} from '@palisade/ids-wire';
import type {TxnOp} from '@palisade/store';
import {messageOfEndpoint} from '../endpoints/render.ts';
import type {EndpointRecord} from '../model/endpoint-record.ts';
import {keyOf, toBytes} from '../model/keys.ts';
import type {Plan} from '../state/ids-state.ts';
import type {Service} from '../state/service.ts';
import {freeAllocation} from './allocate.ts';

type Deps = Pick<Service, 'state' | 'clock' | 'ruleBase' | 'exceptionWarnings'>;

const NOTHING: Plan<boolean> = {ops: [], result: false};

/** The endpoint is READY with `spec`, its operation succeeded. False: the endpoint is no longer in `from`. */
export const finishReady = (
  deps: Deps,
  name: string,
  from: 'CREATING' | 'UPDATING',
  result: 'applied' | {readonly error: OperationResult},
): Promise<boolean> =>
  deps.state.commit(() => {
    const held = deps.state.endpoints.get(name);
    if (held === undefined || held.record.state !== from) return NOTHING;
    const {pending, operation, ...record} = held.record;
    const applied = result === 'applied';
    const nowMs = deps.clock.now();
    const ready: EndpointRecord = {
      ...record,
      state: 'READY',
      spec: applied ? (pending ?? record.spec) : record.spec,
      // A change must be seen to move the time, however fast it was.
      updateTimeMs: applied ? Math.max(nowMs, record.updateTimeMs + 1) : record.updateTimeMs,
    };
    const outcome: OperationResult = applied
      ? {kind: 'endpoint', endpoint: messageOfEndpoint(deps, ready)}
      : result.error;
    return {
      ops: [
        {op: 'put', key: keyOf('endpoints', name), value: toBytes(ready), expected: held.revision},
        ...endOperation(deps, operation, outcome, applied ? warningsOf(deps, ready) : []),
      ],
      result: true,
    };
  });

const warningsOf = (deps: Deps, {name, spec}: EndpointRecord): readonly string[] =>
  deps.exceptionWarnings(spec.threatExceptions, name);

/** The endpoint, its address and its VNI are gone, its operation has ended. False: the endpoint is no longer in `from`. */
export const finishGone = (
  deps: Deps,
  name: string,
  from: 'CREATING' | 'DELETING',
  result: OperationResult,
): Promise<boolean> =>
  deps.state.commit(() => {
    const held = deps.state.endpoints.get(name);
    if (held === undefined || held.record.state !== from) return NOTHING;
    const {allocation, operation} = held.record;
    return {
      ops: [
        {op: 'delete', key: keyOf('endpoints', name), expected: held.revision},
        ...(allocation === undefined ? [] : freeAllocation(deps.state, allocation)),
        ...endOperation(deps, operation, result),
      ],
      result: true,
    };
  });

const endOperation = (
  deps: Deps,
  name: string | undefined,
  result: OperationResult,
  warnings: readonly string[] = [],
): readonly TxnOp[] => {
  const held = name === undefined ? undefined : deps.state.operations.get(name);
  if (name === undefined || held === undefined) return [];
  const endTimeMs = Math.max(deps.clock.now(), held.record.createTimeMs);
  const value = toBytes({...held.record, endTimeMs, result, ...(warnings.length === 0 ? {} : {warnings})});
  return [{op: 'put', key: keyOf('operations', name), value, expected: held.revision}];
};
