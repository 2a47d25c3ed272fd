// SPDX-License-Identifier: Apache-2.0
/** What a Kubernetes API server refuses, typed. Ref: meta/v1 Status; requirements E-252. */
import {answerText} from '../http/answer-text.ts';
import type {HttpResponse} from '../http/contract.ts';

export type StatusCause = {readonly reason?: string; readonly message?: string; readonly field?: string};

/** The fields of a Status that callers judge by. */
export type KubeStatus = {
  readonly code: number;
  /** `NotFound`, `AlreadyExists`, `Conflict`, `Invalid`, …; '' when the server gave none. */
  readonly reason: string;
  readonly message: string;
  readonly causes: readonly StatusCause[];
  readonly retryAfterSeconds?: number | undefined;
};

export class KubeError extends Error {
  override readonly name = 'KubeError';
  readonly status: KubeStatus;
  constructor(status: KubeStatus, options?: ErrorOptions) {
    super(status.message, options);
    this.status = status;
  }
}

const hasReason = (error: unknown, reason: string): error is KubeError =>
  error instanceof KubeError && error.status.reason === reason;
export const isKubeError = (error: unknown): error is KubeError => error instanceof KubeError;
export const isNotFound = (error: unknown): error is KubeError => hasReason(error, 'NotFound');
export const isAlreadyExists = (error: unknown): error is KubeError => hasReason(error, 'AlreadyExists');
export const isConflict = (error: unknown): error is KubeError => hasReason(error, 'Conflict');
/** The watch or page fell behind what the server keeps: list again. */
export const isExpired = (error: unknown): error is KubeError =>
  hasReason(error, 'Expired') || hasReason(error, 'Gone');

/** Reads a Status body; anything else (a proxy's page) becomes a Status of its own. `asked`: what was asked, for an answer without words. */
export function toKubeError(answer: HttpResponse, asked: string): KubeError {
  const status = decodeStatus(answer.body);
  if (status !== undefined) return new KubeError({...status, code: status.code || answer.status});
  return new KubeError({
    code: answer.status,
    reason: '',
    message: answerText(answer, asked),
    causes: [],
  });
}

export function decodeStatus(text: string): KubeStatus | undefined {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return undefined; // Not JSON: the caller describes the text itself.
  }
  return statusOf(body);
}

/** A decoded Status object; undefined for any other kind. */
export function statusOf(body: unknown): KubeStatus | undefined {
  if (typeof body !== 'object' || body === null || (body as {kind?: unknown}).kind !== 'Status') return undefined;
  const raw = body as {
    code?: number;
    reason?: string;
    message?: string;
    details?: {causes?: readonly StatusCause[]; retryAfterSeconds?: number};
  };
  return {
    code: raw.code ?? 0,
    reason: raw.reason ?? '',
    message: raw.message ?? 'the server gave no reason',
    causes: raw.details?.causes ?? [],
    retryAfterSeconds: raw.details?.retryAfterSeconds,
  };
}
