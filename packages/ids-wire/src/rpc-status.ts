// SPDX-License-Identifier: Apache-2.0
/** google.rpc.Status: codes, their numbers and HTTP statuses, and the detail messages that we use. Ref: google/rpc/code.proto. */

/** Name → [google.rpc.Code number, HTTP status]. */
export const RPC_CODES = {
  CANCELLED: [1, 499],
  UNKNOWN: [2, 500],
  INVALID_ARGUMENT: [3, 400],
  DEADLINE_EXCEEDED: [4, 504],
  NOT_FOUND: [5, 404],
  ALREADY_EXISTS: [6, 409],
  PERMISSION_DENIED: [7, 403],
  RESOURCE_EXHAUSTED: [8, 429],
  FAILED_PRECONDITION: [9, 400],
  ABORTED: [10, 409],
  OUT_OF_RANGE: [11, 400],
  UNIMPLEMENTED: [12, 501],
  INTERNAL: [13, 500],
  UNAVAILABLE: [14, 503],
  DATA_LOSS: [15, 500],
  UNAUTHENTICATED: [16, 401],
} as const satisfies Record<string, readonly [number, number]>;

export type RpcCodeName = keyof typeof RPC_CODES;

export const rpcCodeNumber = (code: RpcCodeName): number => RPC_CODES[code][0];
export const httpStatusOf = (code: RpcCodeName): number => RPC_CODES[code][1];

/** The name of a google.rpc.Code number; UNKNOWN for one that is none. */
export const rpcCodeName = (number: number): RpcCodeName => {
  for (const [name, [code]] of Object.entries(RPC_CODES)) if (code === number) return name as RpcCodeName;
  return 'UNKNOWN';
};

const TYPE = 'type.googleapis.com/google.rpc.';

/** One fault of one field: `field` is the path as the client wrote the message, for example `endpoint.severity`. */
export type FieldViolation = {readonly field: string; readonly description: string};

/** The google.rpc detail messages in JSON form. Strict clients know these types and no others. Ref: google/rpc/error_details.proto. */
export type RpcDetail =
  | {readonly '@type': 'type.googleapis.com/google.rpc.BadRequest'; readonly fieldViolations: readonly FieldViolation[]}
  | {
      readonly '@type': 'type.googleapis.com/google.rpc.ErrorInfo';
      readonly reason: string;
      readonly domain: string;
      readonly metadata?: Readonly<Record<string, string>>;
    }
  | {
      readonly '@type': 'type.googleapis.com/google.rpc.ResourceInfo';
      readonly resourceType: string;
      readonly resourceName: string;
    }
  | {
      readonly '@type': 'type.googleapis.com/google.rpc.QuotaFailure';
      readonly violations: readonly {readonly subject: string; readonly description: string}[];
    }
  | {readonly '@type': 'type.googleapis.com/google.rpc.RetryInfo'; readonly retryDelay: string};

export const badRequestDetail = (fieldViolations: readonly FieldViolation[]): RpcDetail => ({
  '@type': `${TYPE}BadRequest`,
  fieldViolations,
});
export const resourceInfoDetail = (resourceType: string, resourceName: string): RpcDetail => ({
  '@type': `${TYPE}ResourceInfo`,
  resourceType,
  resourceName,
});
export const quotaFailureDetail = (subject: string, description: string): RpcDetail => ({
  '@type': `${TYPE}QuotaFailure`,
  violations: [{subject, description}],
});
export const retryInfoDetail = (delaySeconds: number): RpcDetail => ({
  '@type': `${TYPE}RetryInfo`,
  retryDelay: `${delaySeconds}s`,
});
export const errorInfoDetail = (
  reason: string,
  metadata: Readonly<Record<string, string>>,
  domain: string,
): RpcDetail => ({
  '@type': `${TYPE}ErrorInfo`,
  reason,
  domain,
  metadata,
});

/** google.rpc.Status as it stands in `Operation.error`: `code` is the google.rpc number. */
export type RpcStatusJson = {
  readonly code: number;
  readonly message: string;
  readonly details?: readonly RpcDetail[];
};

/** The body of a REST error: `code` is the HTTP status. */
export type HttpErrorJson = {
  readonly error: {
    readonly code: number;
    readonly message: string;
    readonly status: RpcCodeName;
    readonly details?: readonly RpcDetail[];
  };
};
