// SPDX-License-Identifier: Apache-2.0
/**
 * The refusals of the Kubernetes API. A StatusError is thrown where the fault is found and becomes the answer in to-status.ts;
 * the bodies and their texts are made in @palisade/wire. Ref: kubernetes v1.36 apimachinery/pkg/api/errors/errors.go.
 */
import {
  alreadyExistsStatus,
  badRequestStatus,
  conflictStatus,
  expiredStatus,
  type FieldError,
  failureStatus,
  forbiddenStatus,
  type GroupKind,
  type GroupResource,
  goQuote,
  groupResourceText,
  internalErrorStatus,
  invalidStatus,
  notAcceptableStatus,
  notFoundStatus,
  requestEntityTooLargeStatus,
  type Status,
  type StatusCause,
  type StatusDetails,
  type StatusReason,
  tooManyRequestsStatus,
  unauthorizedStatus,
  unclassifiedStatus,
  unsupportedMediaTypeStatus,
} from '@palisade/kube-wire';

export class StatusError extends Error {
  override readonly name = 'StatusError';
  readonly status: Status;
  constructor(status: Status, options?: ErrorOptions) {
    super(status.message ?? '', options);
    this.status = status;
  }

  get code(): number {
    return this.status.code ?? 500;
  }

  get reason(): string {
    return this.status.reason ?? '';
  }
}

/** What `details: {}` looks like on the wire: present, though nothing is in it. */
const NO_DETAILS: StatusDetails = {};

const refusal = (code: number, reason: StatusReason, message: string, details?: StatusDetails): StatusError =>
  new StatusError(failureStatus(code, reason, message, details));

export const notFound = (of: GroupResource, name: string): StatusError => new StatusError(notFoundStatus(of, name));
export const alreadyExists = (of: GroupResource, name: string): StatusError =>
  new StatusError(alreadyExistsStatus(of, name));

/** The name is taken by an object on its way out. */
export const beingDeleted = (of: GroupResource, name: string): StatusError =>
  refusal(409, 'AlreadyExists', `object is being deleted: ${groupResourceText(of)} ${goQuote(name)} already exists`, {
    name,
    group: of.group,
    kind: of.resource,
  });

/** `why` is the text after the colon. */
export const conflict = (of: GroupResource, name: string, why: string): StatusError =>
  new StatusError(conflictStatus(of, name, why));

/** 422 with every fault of the object. */
export const invalidObject = (of: GroupKind, name: string, faults: readonly FieldError[]): StatusError =>
  new StatusError(invalidStatus(of, name, faults));

export const badRequest = (message: string): StatusError => new StatusError(badRequestStatus(message));

export const forbidden = (
  of: GroupResource,
  name: string,
  why: string,
  causes?: readonly StatusCause[],
): StatusError => {
  const status = forbiddenStatus(of, name, why);
  return new StatusError(causes === undefined ? status : {...status, details: {...status.details, causes}});
};

/** Default message: upstream's. */
export const unauthorized = (message?: string): StatusError => new StatusError(unauthorizedStatus(message));

/** An error the reference does not classify: 500, the text as it is, no reason. */
export const plainInternal = (message: string): StatusError => new StatusError(unclassifiedStatus(message));
export const internalError = (message: string): StatusError => new StatusError(internalErrorStatus(message));
export const unavailable = (message: string): StatusError => refusal(503, 'ServiceUnavailable', message);
export const expired = (message: string): StatusError => new StatusError(expiredStatus(message));

/** `message` is the text after `Request entity too large: `. */
export const tooLarge = (message: string): StatusError => new StatusError(requestEntityTooLargeStatus(message));
export const tooManyRequests = (message: string, retryAfterSeconds: number): StatusError =>
  new StatusError(tooManyRequestsStatus(message, retryAfterSeconds));
export const notAcceptable = (accepted: readonly string[]): StatusError =>
  new StatusError(notAcceptableStatus(accepted));
export const cannotTransform = (message: string): StatusError => refusal(406, 'NotAcceptable', message);
export const unknownFormat = (accepted: readonly string[]): StatusError =>
  new StatusError(unsupportedMediaTypeStatus(accepted));

/** The router's own refusals carry empty details. */
export const resourceNotServed = (): StatusError =>
  refusal(404, 'NotFound', 'the server could not find the requested resource', NO_DETAILS);

export const methodNotAllowed = (
  message = 'the server does not allow this method on the requested resource',
): StatusError => refusal(405, 'MethodNotAllowed', message, NO_DETAILS);

export const routeNotAcceptable = (produces: readonly string[]): StatusError =>
  refusal(406, 'NotAcceptable', `406: Not Acceptable\n\nAvailable representations: ${produces.join(', ')}`, NO_DETAILS);

export const routeUnsupportedMediaType = (): StatusError =>
  refusal(415, 'UnsupportedMediaType', '415: Unsupported Media Type', NO_DETAILS);

/** `retryAfterSeconds` 0: there is no sense in trying again. */
export const futureVersion = (wanted: bigint, current: bigint, retryAfterSeconds = 1): StatusError =>
  refusal(504, 'Timeout', `Timeout: Too large resource version: ${wanted}, current: ${current}`, {
    causes: [{reason: 'ResourceVersionTooLarge', message: 'Too large resource version'}],
    ...(retryAfterSeconds > 0 && {retryAfterSeconds}),
  });
