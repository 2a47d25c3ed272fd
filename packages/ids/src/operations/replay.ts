// SPDX-License-Identifier: Apache-2.0
/** Request ids: a repeated request is answered with the operation of the first. Ref: AIP-155, requirements I-090 to I-094. */

import type {OperationVerb} from '@palisade/ids-wire';
import type {TxnOp} from '@palisade/store';
import {REQUEST_ID_KEPT_MS} from '../limits.ts';
import {keyOf, toBytes} from '../model/keys.ts';
import type {OperationRecord} from '../model/operation-record.ts';
import {fingerprintOf, type RequestRecord, requestKeyName} from '../model/request-record.ts';
import {invalidArgument} from '../rpc-error.ts';
import type {Service} from '../state/service.ts';

export type Identified = {
  readonly verb: OperationVerb;
  /** The parent for create, the endpoint for update and delete. */
  readonly scope: string;
  readonly requestId: string | undefined;
  readonly payload: unknown;
};

/**
 * The operation of the first request with this id, in its present state; undefined when this is the first (or the id is no longer
 * kept). Throws INVALID_ARGUMENT when the id came with another payload.
 */
export const findReplay = (service: Service, request: Identified): OperationRecord | undefined => {
  if (request.requestId === undefined || request.requestId === '') return undefined;
  const held = service.state.requests.get(requestKeyName(request.verb, request.scope, request.requestId));
  if (held === undefined || isExpired(held.record, service.clock.now())) return undefined;
  if (held.record.fingerprint !== fingerprintOf(request.payload)) {
    const description = `"${request.requestId}" was already used for a request with other content; use a new id for a new request`;
    throw invalidArgument([{field: 'requestId', description}]);
  }
  return service.state.operations.get(held.record.operation)?.record;
};

export const isExpired = (record: RequestRecord, nowMs: number): boolean => nowMs - record.timeMs >= REQUEST_ID_KEPT_MS;

/** The step that remembers a request with its operation, in the same transaction; none without an id. */
export const rememberRequest = (
  service: Service,
  request: Identified,
  operation: OperationRecord,
): readonly TxnOp[] => {
  if (request.requestId === undefined || request.requestId === '') return [];
  const name = requestKeyName(request.verb, request.scope, request.requestId);
  const record: RequestRecord = {
    operation: operation.name,
    fingerprint: fingerprintOf(request.payload),
    timeMs: operation.createTimeMs,
  };
  return [
    {
      op: 'put',
      key: keyOf('requests', name),
      value: toBytes(record),
      expected: service.state.requests.get(name)?.revision ?? 0n,
    },
  ];
};
