// SPDX-License-Identifier: Apache-2.0
/** The only place where a failure becomes a metav1.Status. */

import {failureStatus, internalErrorStatus, type Status, type StatusReason} from '@palisade/kube-wire';
import {isDiskRefusal, StoreError, type StoreErrorCode} from '@palisade/store';
import {StatusError} from './status-error.ts';

/** A code that a verb did not turn into a better answer itself. A new code without a row does not compile. */
const STATUS_BY_CODE = {
  'key-exists': {code: 409, reason: 'AlreadyExists', message: 'the object already exists'},
  'key-not-found': {code: 404, reason: 'NotFound', message: 'the object does not exist'},
  'revision-conflict': {code: 409, reason: 'Conflict', message: 'the object has been modified; please try again'},
  compacted: {code: 410, reason: 'Expired', message: 'The resourceVersion for the provided list is too old.'},
  'future-revision': {code: 504, reason: 'Timeout', message: 'Timeout: Too large resource version'},
  'too-slow': {code: 410, reason: 'Expired', message: 'the watch fell behind'},
  'too-large': {
    code: 413,
    reason: 'RequestEntityTooLarge',
    message: 'Request entity too large: the object is too large to be stored',
  },
  'invalid-argument': {code: 400, reason: 'BadRequest', message: 'the request cannot be stored'},
  locked: {code: 503, reason: 'ServiceUnavailable', message: 'the data folder is in use'},
  format: {code: 500, reason: 'InternalError', message: 'the data folder has another format'},
  corrupt: {code: 500, reason: 'InternalError', message: 'the data folder is damaged'},
  'lost-writes': {code: 500, reason: 'InternalError', message: 'the data folder is damaged'},
  'disk-full': {
    code: 503,
    reason: 'ServiceUnavailable',
    message: 'the disk of the server is full: nothing was changed; free space, then try again',
  },
  'disk-failed': {
    code: 503,
    reason: 'ServiceUnavailable',
    message: 'the disk of the server refuses to write: nothing was changed; the log of the server has the cause',
  },
  unavailable: {code: 503, reason: 'ServiceUnavailable', message: 'storage is not available'},
  closed: {code: 503, reason: 'ServiceUnavailable', message: 'the server is shutting down'},
} as const satisfies Record<StoreErrorCode, {code: number; reason: StatusReason; message: string}>;

export type Failure = {
  readonly status: Status;
  /** Ours rather than the client's, and not reported already: the log must have it, the client must not see its cause. */
  readonly isFault: boolean;
  /** Nothing of the server made it on purpose. */
  readonly isUnexpected?: true;
};

export const toStatus = (error: unknown): Failure => {
  if (error instanceof StatusError) return {status: error.status, isFault: error.reason === 'InternalError'};
  if (error instanceof StoreError) {
    const {code, reason, message} = STATUS_BY_CODE[error.code];
    return {status: failureStatus(code, reason, message), isFault: code >= 500 && !isDiskRefusal(error)};
  }
  return {status: internalErrorStatus('unexpected error; see the server log'), isFault: true, isUnexpected: true};
};
