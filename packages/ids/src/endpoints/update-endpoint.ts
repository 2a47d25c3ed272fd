// SPDX-License-Identifier: Apache-2.0
import {
  type EndpointField,
  type EndpointInput,
  type EndpointSpec,
  type FieldViolation,
  formatIdsEndpointName,
  type MaskScope,
  parseEndpointMask,
} from '@palisade/ids-wire';
import type {Caller} from '../auth.ts';
import type {EndpointRecord} from '../model/endpoint-record.ts';
import type {OperationRecord} from '../model/operation-record.ts';
import {requestIdViolations} from '../model/request-record.ts';
import {endpointNameOf} from '../names/names.ts';
import {invalidArgument} from '../rpc-error.ts';
import type {Service} from '../state/service.ts';
import {mutateEndpoint} from './mutate.ts';
import {toSpec, validateEndpoint} from './validate-endpoint.ts';

export type UpdateEndpointRequest = {
  readonly name: string;
  readonly updateMask: string | undefined;
  readonly endpoint: EndpointInput;
  readonly requestId: string | undefined;
  readonly violations: readonly FieldViolation[];
};

/**
 * Changes the masked fields in place; one that the body leaves out is cleared. Throws INVALID_ARGUMENT (all faults; also for
 * another network), PERMISSION_DENIED, NOT_FOUND, ABORTED. Ref: requirements I-112, AIP-134.
 */
export const updateEndpoint = async (
  service: Service,
  caller: Caller,
  request: UpdateEndpointRequest,
): Promise<OperationRecord> => {
  const at = endpointNameOf(request.name);
  const name = formatIdsEndpointName(at);
  await caller.demand('ids.endpoints.update', {project: at.project, resource: name, id: at.endpointId});
  const mask = parseEndpointMask(request.updateMask);
  const fields = changedFields(mask.fields, mask.scope, request.endpoint);
  const violations = [
    ...requestIdViolations(request.requestId),
    ...mask.violations,
    ...request.violations,
    ...validateEndpoint(request.endpoint, judged(fields, request.violations)),
  ];
  if (violations.length > 0) throw invalidArgument(violations);
  const identified = {
    verb: 'update',
    scope: name,
    requestId: request.requestId,
    payload: {fields: [...fields].sort(), spec: pick(toSpec(request.endpoint), fields)},
  } as const;
  return mutateEndpoint(service, caller, at, identified, record => {
    demandSameNetwork(record, request.endpoint, mask.fields, mask.scope);
    return {pending: {...record.spec, ...pick(toSpec(request.endpoint), fields)}};
  });
};

/** Network is never replaced. Without a mask a severity that is left out stays; with one, or `*`, leaving it out is a fault. */
const changedFields = (
  fields: readonly EndpointField[],
  scope: MaskScope,
  input: EndpointInput,
): readonly EndpointField[] =>
  fields.filter(
    field => field !== 'network' && !(scope === 'implicit' && field === 'severity' && input.severity === undefined),
  );

const judged = (fields: readonly EndpointField[], faulty: readonly FieldViolation[]): readonly EndpointField[] =>
  fields.filter(field => !faulty.some(v => v.field === `endpoint.${field}` || v.field === 'endpoint'));

const pick = (spec: EndpointSpec, fields: readonly EndpointField[]): Partial<EndpointSpec> =>
  Object.fromEntries(fields.map(field => [field, spec[field]]));

const demandSameNetwork = (
  record: EndpointRecord,
  input: EndpointInput,
  masked: readonly EndpointField[],
  scope: MaskScope,
): void => {
  const {network} = input;
  const same = network === record.spec.network || (network === undefined && scope !== 'mask');
  if (same || !masked.includes('network')) return;
  const description = `cannot be changed: the endpoint is attached to "${record.spec.network}"; create another endpoint for another network`;
  throw invalidArgument([{field: 'endpoint.network', description}]);
};
