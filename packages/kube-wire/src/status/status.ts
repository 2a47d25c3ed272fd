// SPDX-License-Identifier: Apache-2.0
/**
 * metav1.Status bodies, one builder per kind of failure, with upstream's texts. Pure data: the HTTP status is `code`.
 * Ref: kubernetes v1.36 apimachinery pkg/api/errors/errors.go, apiserver pkg/endpoints/handlers/negotiation/errors.go.
 */
import {goQuote} from '../go/quote.ts';
import {aggregateText, type FieldError, fieldErrorBody} from '../validate/field-error.ts';
import {withinTextLimit} from './text-limit.ts';

export type StatusReason =
  | ''
  | 'AlreadyExists'
  | 'BadRequest'
  | 'Conflict'
  | 'Expired'
  | 'Forbidden'
  | 'Gone'
  | 'InternalError'
  | 'Invalid'
  | 'MethodNotAllowed'
  | 'NotAcceptable'
  | 'NotFound'
  | 'RequestEntityTooLarge'
  | 'ServerTimeout'
  | 'ServiceUnavailable'
  | 'Timeout'
  | 'TooManyRequests'
  | 'Unauthorized'
  | 'UnsupportedMediaType';

export type StatusCause = {
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
  readonly field?: string | undefined;
};

export type StatusDetails = {
  readonly name?: string | undefined;
  readonly group?: string | undefined;
  readonly kind?: string | undefined;
  readonly uid?: string | undefined;
  readonly causes?: readonly StatusCause[] | undefined;
  readonly retryAfterSeconds?: number | undefined;
};

/** Keys in the order of the wire; empty members are left out by `encodeJson`. */
export type Status = {
  readonly kind: 'Status';
  readonly apiVersion: 'v1';
  readonly metadata: Readonly<Record<string, never>>;
  readonly status: 'Failure' | 'Success';
  readonly message?: string | undefined;
  readonly reason?: StatusReason | undefined;
  readonly details?: StatusDetails | undefined;
  readonly code?: number | undefined;
};

export type GroupResource = {readonly group: string; readonly resource: string};
export type GroupKind = {readonly group: string; readonly kind: string};

/** `endpoints`, `roles.rbac.authorization.k8s.io`. */
export const groupResourceText = ({group, resource}: GroupResource): string =>
  group === '' ? resource : `${resource}.${group}`;
const groupKindText = ({group, kind}: GroupKind): string => (group === '' ? kind : `${kind}.${group}`);

/** A failure of any kind; prefer the named builders. */
export function failureStatus(
  code: number,
  reason: StatusReason,
  message: string,
  details?: StatusDetails | undefined,
): Status {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    ...(reason !== '' && {reason}),
    ...(details !== undefined && {details: withoutEmpty(details)}),
    code,
  };
}

/** What a delete answers when the object is gone at once. */
export function successStatus(details?: StatusDetails): Status {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    ...(details && {details: withoutEmpty(details)}),
  };
}

function withoutEmpty(details: StatusDetails): StatusDetails {
  const {name, group, kind, uid, causes, retryAfterSeconds} = details;
  return {
    ...(name && {name}),
    ...(group && {group}),
    ...(kind && {kind}),
    ...(uid && {uid}),
    ...(causes && causes.length > 0 && {causes}),
    ...(retryAfterSeconds && {retryAfterSeconds}),
  };
}

const about = ({group, resource}: GroupResource, name: string): StatusDetails => ({name, group, kind: resource});

export const notFoundStatus = (of: GroupResource, name: string): Status =>
  failureStatus(404, 'NotFound', `${groupResourceText(of)} ${goQuote(name)} not found`, about(of, name));

export const alreadyExistsStatus = (of: GroupResource, name: string): Status =>
  failureStatus(409, 'AlreadyExists', `${groupResourceText(of)} ${goQuote(name)} already exists`, about(of, name));

export function generateNameConflictStatus(of: GroupResource, name: string, retryAfterSeconds: number): Status {
  const message = `${groupResourceText(of)} ${goQuote(name)} already exists, the server was not able to generate a unique name for the object`;
  return failureStatus(409, 'AlreadyExists', message, {...about(of, name), retryAfterSeconds});
}

/** `cause` is the text after the colon. */
export function conflictStatus(of: GroupResource, name: string, cause: string): Status {
  const message = `Operation cannot be fulfilled on ${groupResourceText(of)} ${goQuote(name)}: ${cause}`;
  return failureStatus(409, 'Conflict', message, about(of, name));
}

/** The text of a write whose resourceVersion is not the stored one. */
export const OBJECT_MODIFIED =
  'the object has been modified; please apply your changes to the latest version and try again';

/** All faults of one object in one answer. `name` may be empty. */
export function invalidStatus(of: GroupKind, name: string, errors: readonly FieldError[]): Status {
  const head = `${groupKindText(of)} ${goQuote(name)} is invalid`;
  const causes = withinTextLimit(causesOf(errors), ({field, message}) => field.length + message.length);
  const more = errors.length > causes.length ? ` and ${errors.length - causes.length} more` : '';
  const listed = errors.slice(0, causes.length);
  return failureStatus(422, 'Invalid', errors.length === 0 ? head : `${head}: ${aggregateText(listed)}${more}`, {
    name,
    group: of.group,
    kind: of.kind,
    causes,
  });
}

function* causesOf(errors: readonly FieldError[]): Generator<{readonly [K in keyof StatusCause]-?: string}> {
  for (const error of errors) yield {reason: error.type, message: fieldErrorBody(error), field: error.path};
}

export const badRequestStatus = (message: string): Status => failureStatus(400, 'BadRequest', message);

export const unauthorizedStatus = (message = 'Unauthorized'): Status => failureStatus(401, 'Unauthorized', message);

/** `why` is the text after the colon. An empty resource is left out of the message. */
export function forbiddenStatus(of: GroupResource, name: string, why: string): Status {
  const head = groupResourceText(of);
  const subject = head === '' ? '' : name === '' ? `${head} is ` : `${head} ${goQuote(name)} is `;
  return failureStatus(403, 'Forbidden', `${subject}forbidden: ${why}`, about(of, name));
}

export const notAcceptableStatus = (accepted: readonly string[]): Status =>
  failureStatus(406, 'NotAcceptable', `only the following media types are accepted: ${accepted.join(', ')}`);

export function unsupportedMediaTypeStatus(accepted: readonly string[]): Status {
  const list = accepted.join(', ');
  const message = `the body of the request was in an unknown format - accepted media types include: ${list}`;
  return failureStatus(415, 'UnsupportedMediaType', message);
}

/** 410: what was asked for is too old. */
export const expiredStatus = (message: string): Status => failureStatus(410, 'Expired', message);

export const requestEntityTooLargeStatus = (message: string): Status =>
  failureStatus(413, 'RequestEntityTooLarge', `Request entity too large: ${message}`);

export const tooManyRequestsStatus = (message: string, retryAfterSeconds = 0): Status =>
  failureStatus(429, 'TooManyRequests', message, {retryAfterSeconds});

export const internalErrorStatus = (cause: string): Status =>
  failureStatus(500, 'InternalError', `Internal error occurred: ${cause}`, {causes: [{message: cause}]});

/** An error upstream does not classify: 500 with the text as it is and no reason. */
export const unclassifiedStatus = (message: string): Status => failureStatus(500, '', message);
