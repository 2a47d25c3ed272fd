// SPDX-License-Identifier: Apache-2.0
/** What somebody decides about threats: of one, or of all that match. */
import type {ThreatRecord} from '@palisade/ids-wire';
import type {HttpRequest} from '../http/contract.ts';
import {resourcePath} from './resource-path.ts';

export type ThreatAction = 'acknowledge' | 'unacknowledge' | 'escalate' | 'deescalate' | 'comment';

export type DecidedThreat = ThreatRecord & {readonly id: string};

export type BatchDecision = {
  /** AIP-160; `*` for all records. */
  readonly filter: string;
  /** RFC 3339: of records from then on, and before then. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  /** Added to those that the decision changes. */
  readonly comment?: string | undefined;
  /** Changes nothing. */
  readonly validateOnly?: boolean | undefined;
};

/** `changed`: those that were not decided so before. */
export type BatchAnswer = {readonly matched: number; readonly changed: number};

type CallOptions = {readonly signal?: AbortSignal | undefined};

export interface ThreatDecisions {
  /** Of one threat, by its id; `-` may stand for parts of `name`. Resolves to the record as it is then. */
  decideThreat(
    name: string,
    id: string,
    action: ThreatAction,
    comment?: string,
    options?: CallOptions,
  ): Promise<DecidedThreat>;
  /** Of all threats that match, at once, not only of those that a page shows. `comment` needs a comment, and adds it at each call. */
  decideThreats(
    name: string,
    action: ThreatAction,
    request: BatchDecision,
    options?: CallOptions,
  ): Promise<BatchAnswer>;
}

/** A hundred thousand records are written at once. */
const BATCH_SILENCE_MS = 300_000;

export const threatDecisions = (call: <T>(request: HttpRequest) => Promise<T>): ThreatDecisions => ({
  decideThreat: (name, id, action, comment, options) =>
    call({
      method: 'POST',
      path: `${resourcePath(`${name}/threats/${id}`)}:${action}`,
      body: JSON.stringify({comment}),
      signal: options?.signal,
    }),
  decideThreats: (name, action, request, options) =>
    call({
      method: 'POST',
      path: `${resourcePath(`${name}/threats`)}:batch${action.charAt(0).toUpperCase()}${action.slice(1)}`,
      body: JSON.stringify(request),
      silenceMs: BATCH_SILENCE_MS,
      signal: options?.signal,
    }),
});
