// SPDX-License-Identifier: Apache-2.0
/** The state machine of an endpoint, total: every state meets every input. Spec: endpoint-state.md. */
import type {EndpointState, OperationVerb} from '@palisade/ids-wire';

export const ENDPOINT_INPUTS = [
  'sensor-up',
  'sensor-failed',
  'cancel',
  'patch',
  'applied',
  'not-applied',
  'delete',
  'drained',
] as const;
export type EndpointInput = (typeof ENDPOINT_INPUTS)[number];

/** `gone`: the record is removed. `refuse`: a request is answered 409 ABORTED; from the reconciler it is a bug. */
export type EndpointOutcome = EndpointState | 'gone' | 'refuse';

export const ENDPOINT_TRANSITIONS = {
  CREATING: {
    'sensor-up': 'READY',
    'sensor-failed': 'gone',
    cancel: 'gone',
    patch: 'refuse',
    applied: 'refuse',
    'not-applied': 'refuse',
    delete: 'refuse',
    drained: 'refuse',
  },
  READY: {
    'sensor-up': 'READY',
    'sensor-failed': 'READY',
    cancel: 'READY',
    patch: 'UPDATING',
    applied: 'refuse',
    'not-applied': 'refuse',
    delete: 'DELETING',
    drained: 'refuse',
  },
  UPDATING: {
    'sensor-up': 'UPDATING',
    'sensor-failed': 'UPDATING',
    cancel: 'UPDATING',
    patch: 'refuse',
    applied: 'READY',
    'not-applied': 'READY',
    delete: 'refuse',
    drained: 'refuse',
  },
  DELETING: {
    'sensor-up': 'DELETING',
    'sensor-failed': 'DELETING',
    cancel: 'DELETING',
    patch: 'refuse',
    applied: 'refuse',
    'not-applied': 'refuse',
    delete: 'refuse',
    drained: 'gone',
  },
} as const satisfies Record<EndpointState, Record<EndpointInput, EndpointOutcome>>;

/** The operation that runs in a state; none in READY. */
export const VERB_OF_STATE = {
  CREATING: 'create',
  READY: undefined,
  UPDATING: 'update',
  DELETING: 'delete',
} as const satisfies Record<EndpointState, OperationVerb | undefined>;
