// SPDX-License-Identifier: Apache-2.0
/** What a client is refused with. Turned into REST and gRPC errors by the two codecs. */
import {
  badRequestDetail,
  type FieldViolation,
  quotaFailureDetail,
  type RpcCodeName,
  type RpcDetail,
  resourceInfoDetail,
  retryInfoDetail,
} from '@palisade/ids-wire';

/** The message and details are what the client sees; `cause` is for the log only. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: RpcCodeName;
  readonly details: readonly RpcDetail[];
  constructor(code: RpcCodeName, message: string, details: readonly RpcDetail[] = [], options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.details = details;
  }
}

/** All faults of a request at once. */
export const invalidArgument = (violations: readonly FieldViolation[]): RpcError =>
  new RpcError('INVALID_ARGUMENT', violations.map(v => `${v.field}: ${v.description}`).join('; '), [
    badRequestDetail(violations),
  ]);

export const notFound = (name: string, type: string): RpcError =>
  new RpcError('NOT_FOUND', `Resource '${name}' was not found`, [resourceInfoDetail(type, name)]);

export const alreadyExists = (name: string, type: string): RpcError =>
  new RpcError('ALREADY_EXISTS', `Resource '${name}' already exists`, [resourceInfoDetail(type, name)]);

export const quotaExceeded = (subject: string, description: string): RpcError =>
  new RpcError('RESOURCE_EXHAUSTED', description, [quotaFailureDetail(subject, description)]);

/** Seconds until a client that found no room may try again. */
const RETRY_AFTER_S = 1;

/** `fault` says the bound and the way out; for `answersWait` as UnreadAnswers gives it. */
export const tooMany = (fault: string): RpcError =>
  new RpcError('RESOURCE_EXHAUSTED', fault, [retryInfoDetail(RETRY_AFTER_S)]);
export const answersWait = tooMany;

export const ENDPOINT_TYPE = 'ids.googleapis.com/Endpoint';
export const OPERATION_TYPE = 'ids.googleapis.com/Operation';
export const LOCATION_TYPE = 'ids.googleapis.com/Location';
export const THREAT_TYPE = 'ids.googleapis.com/Threat';
