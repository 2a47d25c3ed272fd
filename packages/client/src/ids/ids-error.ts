// SPDX-License-Identifier: Apache-2.0
/** What the IDS API refuses, typed. Ref: google.rpc.Code, google.rpc.BadRequest; requirements I-096. */
import {answerText} from '../http/answer-text.ts';
import type {HttpResponse} from '../http/contract.ts';
import type {RpcStatus} from './objects.ts';

/** google.rpc.Code by number. */
export const RPC_CODES = [
  'OK',
  'CANCELLED',
  'UNKNOWN',
  'INVALID_ARGUMENT',
  'DEADLINE_EXCEEDED',
  'NOT_FOUND',
  'ALREADY_EXISTS',
  'PERMISSION_DENIED',
  'RESOURCE_EXHAUSTED',
  'FAILED_PRECONDITION',
  'ABORTED',
  'OUT_OF_RANGE',
  'UNIMPLEMENTED',
  'INTERNAL',
  'UNAVAILABLE',
  'DATA_LOSS',
  'UNAUTHENTICATED',
] as const;
export type RpcCode = (typeof RPC_CODES)[number];

const BY_HTTP: Readonly<Record<number, RpcCode>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  409: 'ABORTED',
  429: 'RESOURCE_EXHAUSTED',
  499: 'CANCELLED',
  501: 'UNIMPLEMENTED',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
};

export type FieldViolation = {readonly field: string; readonly description: string};

export class IdsError extends Error {
  override readonly name = 'IdsError';
  readonly code: RpcCode;
  readonly violations: readonly FieldViolation[];
  constructor(code: RpcCode, message: string, violations: readonly FieldViolation[] = [], options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.violations = violations;
  }
}

export const isIdsError = (error: unknown, code?: RpcCode): error is IdsError =>
  error instanceof IdsError && (code === undefined || error.code === code);

/** An answer of 300 or above; `asked`: what was asked, for an answer without words. */
export function toIdsError(answer: HttpResponse, asked: string): IdsError {
  const fallback = BY_HTTP[answer.status] ?? 'UNKNOWN';
  let body: unknown;
  try {
    body = JSON.parse(answer.body);
  } catch {
    return new IdsError(fallback, answerText(answer, asked));
  }
  // A proxy may have an error of its own form: only what has the right type is read.
  const {error} = Object(body) as {readonly error?: unknown};
  const {status, message, details} = Object(error) as {readonly [name in 'status' | 'message' | 'details']?: unknown};
  const code = RPC_CODES.find(name => name === status) ?? fallback;
  const words = typeof message === 'string' ? message : `the server answered ${answer.status} to ${asked}`;
  return new IdsError(code, words, violationsOf(details));
}

/** The error of a finished operation. */
export function fromRpcStatus(status: RpcStatus): IdsError {
  const code = RPC_CODES[status.code ?? 2] ?? 'UNKNOWN';
  return new IdsError(code, status.message ?? 'the operation failed', violationsOf(status.details));
}

const isViolation = (value: unknown): value is FieldViolation => {
  const {field, description} = Object(value) as {readonly [name in keyof FieldViolation]?: unknown};
  return typeof field === 'string' && typeof description === 'string';
};

function violationsOf(details: unknown): FieldViolation[] {
  return (Array.isArray(details) ? details : []).flatMap(detail => {
    const {fieldViolations} = Object(detail) as {readonly fieldViolations?: unknown};
    return Array.isArray(fieldViolations) ? fieldViolations.filter(isViolation) : [];
  });
}
