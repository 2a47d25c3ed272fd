// SPDX-License-Identifier: Apache-2.0
/** A request id as the store keeps it: JSON under `/ids/requests/{scope}/{uuid}`. Ref: AIP-155. */
import {createHash} from 'node:crypto';
import {type FieldViolation, type OperationVerb, requestIdFaults} from '@palisade/ids-wire';

export type RequestRecord = {
  readonly operation: string;
  /** Hash of what was asked for; another payload under the same id is refused. */
  readonly fingerprint: string;
  /** When the first request came. */
  readonly timeMs: number;
};

/** Faults of a request id; none for an absent one. */
export const requestIdViolations = (requestId: string | undefined): readonly FieldViolation[] => {
  if (requestId === undefined || requestId === '') return [];
  return requestIdFaults(requestId).map(({reason}) => ({field: 'requestId', description: reason}));
};

/** Equal payloads have equal fingerprints: members in a fixed order, whatever the client's order was. */
export const fingerprintOf = (payload: unknown): string =>
  createHash('sha256')
    .update(JSON.stringify(sorted(payload)))
    .digest('base64url');

const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([k, v]) => [k, sorted(v)]),
  );
};

/** `scope`: the parent for create, the endpoint for update and delete. */
export const requestKeyName = (verb: OperationVerb, scope: string, requestId: string): string =>
  `${verb}/${scope}/${requestId.toLowerCase()}`;
