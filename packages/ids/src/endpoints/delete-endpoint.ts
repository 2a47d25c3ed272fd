// SPDX-License-Identifier: Apache-2.0
import {formatIdsEndpointName} from '@palisade/ids-wire';
import type {Caller} from '../auth.ts';
import type {OperationRecord} from '../model/operation-record.ts';
import {requestIdViolations} from '../model/request-record.ts';
import {endpointNameOf} from '../names/names.ts';
import {invalidArgument} from '../rpc-error.ts';
import type {Service} from '../state/service.ts';
import {mutateEndpoint} from './mutate.ts';

export type DeleteEndpointRequest = {readonly name: string; readonly requestId: string | undefined};

/** Throws INVALID_ARGUMENT, PERMISSION_DENIED, NOT_FOUND, ABORTED. */
export const deleteEndpoint = async (
  service: Service,
  caller: Caller,
  request: DeleteEndpointRequest,
): Promise<OperationRecord> => {
  const at = endpointNameOf(request.name);
  const name = formatIdsEndpointName(at);
  await caller.demand('ids.endpoints.delete', {project: at.project, resource: name, id: at.endpointId});
  const violations = requestIdViolations(request.requestId);
  if (violations.length > 0) throw invalidArgument(violations);
  const identified = {verb: 'delete', scope: name, requestId: request.requestId, payload: {}} as const;
  return mutateEndpoint(service, caller, at, identified, () => ({}));
};
