// SPDX-License-Identifier: Apache-2.0
/** The only place where a failure from below becomes a google.rpc status. */
import {ClientGoneError, StatusError} from '@palisade/apiserver';
import {type RpcCodeName, type RpcStatusJson, retryInfoDetail, rpcCodeNumber} from '@palisade/ids-wire';
import {isDiskRefusal, StoreError, type StoreErrorCode} from '@palisade/store';
import {RecordStoreError, type RecordStoreFault} from './records/record-store.ts';
import {RpcError, tooMany} from './rpc-error.ts';

/** A new store code without a row does not compile. `retry` texts tell the client that it may try again. */
const STORE_FAILURES = {
  'key-exists': ['ABORTED', 'another request changed this at the same time; try again'],
  'key-not-found': ['ABORTED', 'another request changed this at the same time; try again'],
  'revision-conflict': ['ABORTED', 'another request changed this at the same time; try again'],
  compacted: ['UNAVAILABLE', 'the requested revision is no longer kept; try again'],
  'future-revision': ['UNAVAILABLE', 'the store has not caught up; try again'],
  'too-slow': ['UNAVAILABLE', 'the reader was too slow; try again'],
  'too-large': ['INVALID_ARGUMENT', 'the resource is too large to be stored'],
  'invalid-argument': ['INTERNAL', 'internal error'],
  locked: ['UNAVAILABLE', 'the store is locked by another server'],
  format: ['INTERNAL', 'the store was written by another version'],
  corrupt: ['DATA_LOSS', 'the store is damaged'],
  'lost-writes': ['DATA_LOSS', 'the store is damaged'],
  'disk-full': ['UNAVAILABLE', 'the disk of the server is full: nothing was changed; free space, then try again'],
  'disk-failed': [
    'UNAVAILABLE',
    'the disk of the server refuses to write: nothing was changed; the log of the server has the cause',
  ],
  unavailable: ['UNAVAILABLE', 'the store does not respond; nothing was changed as far as is known; try again'],
  closed: ['UNAVAILABLE', 'the server is stopping; try again'],
} as const satisfies Record<StoreErrorCode, readonly [RpcCodeName, string]>;

/** A text that is absent is that of the error: it is written for users. */
const RECORD_FAILURES = {
  format: ['INTERNAL', 'the records were written by another version'],
  'in-use': ['UNAVAILABLE', 'the records are in use by another server'],
  damaged: ['DATA_LOSS', 'the record store is damaged'],
  'too-large': ['FAILED_PRECONDITION', undefined],
  closed: ['UNAVAILABLE', 'the server is stopping; try again'],
  io: [
    'UNAVAILABLE',
    'the records cannot be read or written: nothing was changed; the log of the server has the cause; try again',
  ],
} as const satisfies Record<RecordStoreFault, readonly [RpcCodeName, string | undefined]>;

/** Delay before the next try, in the RetryInfo of an answer. */
const RETRY_DELAY_S = 1;

/** Codes of the data plane's SensorError (`@palisade/sensor`); anything else is INTERNAL. */
const SENSOR_CODES: Readonly<Record<string, RpcCodeName>> = {
  'engine-missing': 'FAILED_PRECONDITION',
  'engine-too-old': 'FAILED_PRECONDITION',
  'driver-unavailable': 'FAILED_PRECONDITION',
  'rule-file': 'FAILED_PRECONDITION',
  'rule-settings': 'FAILED_PRECONDITION',
  'rule-error': 'FAILED_PRECONDITION',
  'no-rules': 'FAILED_PRECONDITION',
  address: 'FAILED_PRECONDITION',
  'start-timeout': 'DEADLINE_EXCEEDED',
  aborted: 'CANCELLED',
  closed: 'UNAVAILABLE',
};

/** Any thrown thing as the error that the client sees. */
export const toRpcError = (error: unknown): RpcError => {
  if (error instanceof RpcError) return error;
  if (error instanceof StoreError) {
    const [code, message] = STORE_FAILURES[error.code];
    const details = code === 'UNAVAILABLE' || code === 'ABORTED' ? [retryInfoDetail(RETRY_DELAY_S)] : [];
    return new RpcError(code, message, details, {cause: error});
  }
  if (error instanceof RecordStoreError) {
    const [code, message = error.message] = RECORD_FAILURES[error.code];
    const details = code === 'UNAVAILABLE' ? [retryInfoDetail(RETRY_DELAY_S)] : [];
    return new RpcError(code, message, details, code === 'FAILED_PRECONDITION' ? {} : {cause: error});
  }
  if (error instanceof StatusError && error.code === 429) return tooMany(error.message);
  if (error instanceof ClientGoneError) return new RpcError('CANCELLED', 'the client closed the connection');
  if (error instanceof StatusError && error.code === 400) return new RpcError('INVALID_ARGUMENT', error.message);
  return new RpcError('INTERNAL', 'internal error', [], {cause: error});
};

/** Whether the log is to have what the client must not see; a disk that refuses is reported once, when it begins to. */
export const isUnreported = ({cause}: RpcError): boolean => cause !== undefined && !isDiskRefusal(cause);

/** The code of a SensorError, however it is wrapped. */
export const sensorCode = (error: unknown): string | undefined => {
  if (error instanceof RpcError) return sensorCode(error.cause);
  return error instanceof Error && error.name === 'SensorError' ? String(Reflect.get(error, 'code')) : undefined;
};

/** A failure of the sensor as the error of an operation: SensorError messages are written for users. */
export const sensorFailure = (error: unknown): RpcError => {
  const code = sensorCode(error);
  if (code === undefined) return new RpcError('INTERNAL', 'the sensor could not be started', [], {cause: error});
  return new RpcError(SENSOR_CODES[code] ?? 'INTERNAL', (error as Error).message, [], {cause: error});
};

export const toRpcStatus = (error: RpcError): RpcStatusJson => ({
  code: rpcCodeNumber(error.code),
  message: error.message,
  ...(error.details.length > 0 ? {details: error.details} : {}),
});
