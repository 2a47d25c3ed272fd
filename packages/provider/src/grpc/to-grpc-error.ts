// SPDX-License-Identifier: Apache-2.0
/** The one place where errors of the provider port become gRPC statuses. */
import {Metadata, type ServiceError, status} from '@grpc/grpc-js';
import {ProviderError, type ProviderErrorCode, ResourceInitError} from '../provider.ts';
import type {EncodeOptions} from '../value-codec.ts';
import {Any, encodeStruct, providerMessages, statusMessages} from './protocol.ts';

const STATUS: Readonly<Record<ProviderErrorCode, status>> = {
  'invalid-argument': status.INVALID_ARGUMENT,
  'not-found': status.NOT_FOUND,
  'already-exists': status.ALREADY_EXISTS,
  aborted: status.ABORTED,
  'permission-denied': status.PERMISSION_DENIED,
  unauthenticated: status.UNAUTHENTICATED,
  'failed-precondition': status.FAILED_PRECONDITION,
  'resource-exhausted': status.RESOURCE_EXHAUSTED,
  'deadline-exceeded': status.DEADLINE_EXCEEDED,
  cancelled: status.CANCELLED,
  unavailable: status.UNAVAILABLE,
  unimplemented: status.UNIMPLEMENTED,
  unknown: status.UNKNOWN,
};

export type GrpcFailure = Partial<ServiceError> & {readonly code: status; readonly details: string};

/** Any other error is a bug of ours: INTERNAL, with its message. */
export function toGrpcError(error: unknown, options: EncodeOptions): GrpcFailure {
  if (error instanceof ResourceInitError) return initFailure(error, options);
  const text = error instanceof Error ? error.message : String(error);
  return {code: error instanceof ProviderError ? STATUS[error.code] : status.INTERNAL, details: text};
}

/** UNKNOWN with an ErrorResourceInitFailed in the details: the engine keeps the resource with these reasons. */
function initFailure(error: ResourceInitError, options: EncodeOptions): GrpcFailure {
  const detail = new providerMessages.ErrorResourceInitFailed();
  detail.setId(error.id);
  detail.setProperties(encodeStruct(error.properties, options));
  detail.setInputs(encodeStruct(error.inputs, options));
  detail.setReasonsList([...error.reasons]);
  const any = new Any();
  any.pack(detail.serializeBinary(), 'pulumirpc.ErrorResourceInitFailed');
  const rpcStatus = new statusMessages.Status();
  rpcStatus.setCode(status.UNKNOWN);
  rpcStatus.setMessage(error.message);
  rpcStatus.addDetails(any as never);
  const metadata = new Metadata();
  metadata.set('grpc-status-details-bin', Buffer.from(rpcStatus.serializeBinary()));
  return {code: status.UNKNOWN, details: error.message, metadata};
}
