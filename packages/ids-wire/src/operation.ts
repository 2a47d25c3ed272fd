// SPDX-License-Identifier: Apache-2.0
/** google.longrunning.Operation with google.cloud.ids.v1.OperationMetadata in JSON form. Nothing beyond the published fields. */
import {ENDPOINT_TYPE_URL, type EnumEncoding, encodeEndpoint, type IdsEndpointMessage} from './endpoint.ts';
import type {RpcStatusJson} from './rpc-status.ts';

export const OPERATION_METADATA_TYPE_URL = 'type.googleapis.com/google.cloud.ids.v1.OperationMetadata';
export const EMPTY_TYPE_URL = 'type.googleapis.com/google.protobuf.Empty';

export const OPERATION_VERBS = ['create', 'update', 'delete'] as const;
export type OperationVerb = (typeof OPERATION_VERBS)[number];

export type OperationResult =
  | {readonly kind: 'endpoint'; readonly endpoint: IdsEndpointMessage}
  | {readonly kind: 'empty'}
  | {readonly kind: 'error'; readonly error: RpcStatusJson};

/** Times in RFC 3339. `result` and `endTime` are there exactly when the operation is done. */
export type OperationMessage = {
  readonly name: string;
  readonly createTime: string;
  readonly endTime?: string | undefined;
  readonly target: string;
  readonly verb: OperationVerb;
  readonly statusMessage?: string | undefined;
  readonly requestedCancellation: boolean;
  readonly result?: OperationResult | undefined;
};

export const API_VERSION = 'v1';

const encodeResult = (result: OperationResult, enums: EnumEncoding): object => {
  if (result.kind === 'error') return {error: result.error};
  if (result.kind === 'empty') return {response: {'@type': EMPTY_TYPE_URL}};
  return {response: {'@type': ENDPOINT_TYPE_URL, ...encodeEndpoint(result.endpoint, enums)}};
};

/** `done: false` and `requestedCancellation: false` are spelled out, as the real service does. */
export const encodeOperation = (operation: OperationMessage, enums: EnumEncoding): object => ({
  name: operation.name,
  metadata: {
    '@type': OPERATION_METADATA_TYPE_URL,
    createTime: operation.createTime,
    ...(operation.endTime === undefined ? {} : {endTime: operation.endTime}),
    target: operation.target,
    verb: operation.verb,
    ...(operation.statusMessage === undefined ? {} : {statusMessage: operation.statusMessage}),
    requestedCancellation: operation.requestedCancellation,
    apiVersion: API_VERSION,
  },
  done: operation.result !== undefined,
  ...(operation.result === undefined ? {} : encodeResult(operation.result, enums)),
});
