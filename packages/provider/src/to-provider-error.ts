// SPDX-License-Identifier: Apache-2.0
/** The one place where failures of the clients become errors of the provider port. */
import {
  isIdsError,
  isKubeError,
  isTransportError,
  isUntrustedCertificate,
  KubeconfigError,
  type KubeError,
  OperationUnfinishedError,
  type RpcCode,
  type TransportError,
  type TransportErrorCode,
} from '@palisade/client';
import {ProviderError, type ProviderErrorCode, ResourceInitError} from './provider.ts';

const BY_REASON: Readonly<Record<string, ProviderErrorCode>> = {
  NotFound: 'not-found',
  AlreadyExists: 'already-exists',
  Conflict: 'aborted',
  Invalid: 'invalid-argument',
  BadRequest: 'invalid-argument',
  Forbidden: 'permission-denied',
  Unauthorized: 'unauthenticated',
  TooManyRequests: 'resource-exhausted',
  RequestEntityTooLarge: 'resource-exhausted',
  ServiceUnavailable: 'unavailable',
  ServerTimeout: 'unavailable',
  Timeout: 'deadline-exceeded',
};

const BY_RPC: Readonly<Record<RpcCode, ProviderErrorCode>> = {
  OK: 'unknown',
  CANCELLED: 'cancelled',
  UNKNOWN: 'unknown',
  INVALID_ARGUMENT: 'invalid-argument',
  DEADLINE_EXCEEDED: 'deadline-exceeded',
  NOT_FOUND: 'not-found',
  ALREADY_EXISTS: 'already-exists',
  PERMISSION_DENIED: 'permission-denied',
  RESOURCE_EXHAUSTED: 'resource-exhausted',
  FAILED_PRECONDITION: 'failed-precondition',
  ABORTED: 'aborted',
  OUT_OF_RANGE: 'invalid-argument',
  UNIMPLEMENTED: 'unimplemented',
  INTERNAL: 'unknown',
  UNAVAILABLE: 'unavailable',
  DATA_LOSS: 'unknown',
  UNAUTHENTICATED: 'unauthenticated',
};

const BY_TRANSPORT: Readonly<Record<TransportErrorCode, ProviderErrorCode>> = {
  unreachable: 'unavailable',
  timeout: 'deadline-exceeded',
  aborted: 'cancelled',
  'too-large': 'resource-exhausted',
  broken: 'unavailable',
};

/** A refusal for want of a credential says how the provider takes one. */
const withWayIn = ({status, message}: KubeError): string =>
  status.reason === 'Unauthorized' || message.includes('"system:anonymous"')
    ? `${message}; give a credential with platform:token, or with PALISADE_TOKEN where no kubeconfig is used`
    : message;

/** Providers have no setting for an authority: Node's own does for both, the kubeconfig for Kubernetes alone. */
const withTrust = (error: TransportError): string =>
  isUntrustedCertificate(error)
    ? `${error.message}; set NODE_EXTRA_CA_CERTS to the PEM file of its authority (for palisade serve --https: pki/ca.crt in its data folder), or for platform use a kubeconfig that contains it (KUBECONFIG or platform:kubeconfig; palisade serve writes one into its data folder)`
    : error.message;

/** `subject` names the object for the message. Bugs (any other error) pass through unchanged. */
export function toProviderError(error: unknown, subject: string): unknown {
  if (error instanceof ProviderError || error instanceof ResourceInitError) return error;
  const wrap = (code: ProviderErrorCode, text: string) =>
    new ProviderError(code, `${subject}: ${text}`, {cause: error});
  if (isKubeError(error)) return wrap(BY_REASON[error.status.reason] ?? 'unknown', withWayIn(error));
  if (isIdsError(error)) {
    const fields = error.violations.map(violation => `${violation.field}: ${violation.description}`).join('; ');
    const wayIn =
      error.code === 'UNAUTHENTICATED' ? ' Give a valid one with cloudnative:token, or with PALISADE_TOKEN.' : '';
    return wrap(BY_RPC[error.code], `${error.code}: ${error.message}${wayIn}${fields === '' ? '' : ` (${fields})`}`);
  }
  if (isTransportError(error)) return wrap(BY_TRANSPORT[error.code], withTrust(error));
  if (error instanceof KubeconfigError) return wrap('failed-precondition', error.message);
  if (error instanceof OperationUnfinishedError) {
    return wrap(error.why === 'timeout' ? 'deadline-exceeded' : 'cancelled', error.message);
  }
  return error;
}
