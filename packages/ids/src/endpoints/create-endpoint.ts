// SPDX-License-Identifier: Apache-2.0
import {
  type EndpointInput,
  type FieldViolation,
  formatIdsEndpointName,
  formatLocationName,
  INPUT_FIELDS,
  WILDCARD,
} from '@palisade/ids-wire';
import type {Caller} from '../auth.ts';
import type {EndpointRecord} from '../model/endpoint-record.ts';
import {keyOf, toBytes} from '../model/keys.ts';
import type {OperationRecord} from '../model/operation-record.ts';
import {requestIdViolations} from '../model/request-record.ts';
import {demandLocation, parentOf} from '../names/names.ts';
import {logAccepted, newOperation} from '../operations/new-operation.ts';
import {findReplay, rememberRequest} from '../operations/replay.ts';
import {alreadyExists, ENDPOINT_TYPE, invalidArgument, quotaExceeded} from '../rpc-error.ts';
import type {Service} from '../state/service.ts';
import {toSpec, validateEndpoint, validateEndpointId} from './validate-endpoint.ts';

export type CreateEndpointRequest = {
  readonly parent: string;
  readonly endpointId: string;
  readonly endpoint: EndpointInput;
  readonly requestId: string | undefined;
  /** What the codec found wrong with the message; reported together with what is found here. */
  readonly violations: readonly FieldViolation[];
};

/**
 * Stores the endpoint in CREATING with its operation and its request id, in one transaction; the reconciler does the rest.
 * Throws INVALID_ARGUMENT (all faults), PERMISSION_DENIED, NOT_FOUND (location), ALREADY_EXISTS, RESOURCE_EXHAUSTED (quota).
 */
export const createEndpoint = async (
  service: Service,
  caller: Caller,
  request: CreateEndpointRequest,
): Promise<OperationRecord> => {
  const parent = parentOf(request.parent);
  const parentName = formatLocationName(parent);
  const newId = request.endpointId;
  await caller.demand('ids.endpoints.create', {project: parent.project, resource: parentName, newId});
  const violations = [
    ...wildcardViolations(parent),
    ...validateEndpointId(request.endpointId),
    ...requestIdViolations(request.requestId),
    ...request.violations,
    ...validateEndpoint(request.endpoint, withoutFaults(request.violations)),
  ];
  if (violations.length > 0) throw invalidArgument(violations);
  demandLocation(service, parent);
  const at = {...parent, endpointId: request.endpointId};
  const name = formatIdsEndpointName(at);
  const spec = toSpec(request.endpoint);
  const identified = {
    verb: 'create',
    scope: parentName,
    requestId: request.requestId,
    payload: {endpointId: request.endpointId, spec},
  } as const;
  const write = (): Promise<OperationRecord> =>
    service.state.commit(() => {
      const replay = findReplay(service, identified);
      if (replay !== undefined) return {ops: [], result: replay};
      if (service.state.endpoints.get(name) !== undefined) throw alreadyExists(name, ENDPOINT_TYPE);
      demandQuota(service, parent.project);
      const operation = newOperation(service, 'create', at, name);
      const nowMs = operation.createTimeMs;
      const record: EndpointRecord = {
        name,
        state: 'CREATING',
        createTimeMs: nowMs,
        updateTimeMs: nowMs,
        spec,
        operation: operation.name,
      };
      return {
        ops: [
          {op: 'put', key: keyOf('endpoints', name), value: toBytes(record), expected: 0n},
          {op: 'put', key: keyOf('operations', operation.name), value: toBytes(operation), expected: 0n},
          ...rememberRequest(service, identified, operation),
        ],
        result: operation,
      };
    });
  // Counting and writing must not interleave with another create of the project.
  const operation = await (service.endpointsPerProject() === undefined
    ? write()
    : service.creates.run(parent.project, write));
  logAccepted(service, caller, operation);
  return operation;
};

const wildcardViolations = (parent: {
  readonly project: string;
  readonly location: string;
}): readonly FieldViolation[] =>
  parent.location === WILDCARD || parent.project === WILDCARD
    ? [{field: 'parent', description: '"-" cannot stand for the project or location of a new endpoint'}]
    : [];

/** Fields that the codec could not read are not judged again as missing. */
const withoutFaults = (violations: readonly FieldViolation[]) =>
  INPUT_FIELDS.filter(field => !violations.some(v => v.field === `endpoint.${field}` || v.field === 'endpoint'));

const demandQuota = (service: Service, project: string): void => {
  const max = service.endpointsPerProject();
  if (max === undefined) return;
  const count = service.state.endpoints.count(`projects/${project}/`);
  if (count < max) return;
  throw quotaExceeded(
    `projects/${project}`,
    `Quota exceeded: project '${project}' has ${count} of at most ${max} endpoints; delete some, or raise the server's endpoint quota`,
  );
};
