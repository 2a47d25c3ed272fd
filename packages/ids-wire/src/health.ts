// SPDX-License-Identifier: Apache-2.0
/** `GET /v1/{endpoint}/health`: what Cloud IDS has no field for. Not part of the Endpoint message, so it may grow. */
import type {EndpointState} from './endpoint.ts';
import type {Severity} from './records.ts';

export type EndpointHealthMessage = {
  /** Full resource name. */
  readonly endpoint: string;
  readonly state: EndpointState;
  /** WAITING: no sensor yet (location without one, or still being allocated). */
  readonly status: 'WAITING' | 'STARTING' | 'READY' | 'DEGRADED' | 'FAILED';
  /** Each readable on its own; says what to do. Empty when all is well. */
  readonly reasons: readonly string[];
  readonly driver?: string;
  readonly pid?: number;
  readonly restarts?: number;
  readonly ruleSetVersion?: string;
  readonly rulesLoaded?: number;
  /** Refused, and not in force. */
  readonly rulesFailed?: number;
  /** Not in force since their own `requires` are not met. */
  readonly rulesSkipped?: number;
  /** One line each with file, line and reason; the first 100. */
  readonly refusedRules?: readonly string[];
  readonly skippedRules?: readonly string[];
  readonly vni?: number;
  /** The networks that rules take for our own (HOME_NET), `!` in front of those that are excluded. */
  readonly homeNet?: readonly string[];
  readonly packets?: {
    readonly received: number;
    readonly dropped: number;
    readonly malformed: number;
    /** Packets with another VNI than `vni`: they are not inspected. */
    readonly foreignVni: number;
  };
  /** Share of the packets of the last minute that were dropped, 0 to 1. */
  readonly packetLossRatio?: number;
  /** Alerts that Suricata wrote = stored + filtered + excepted + lost. */
  readonly alerts?: {
    readonly seen: number;
    readonly stored: number;
    readonly filtered: number;
    readonly excepted: number;
    readonly lost: number;
  };
  /** Records that are kept now, and those that retention has dropped (evicted or too old). */
  readonly records: {
    readonly threats: number;
    readonly traffic: number;
    readonly threatsDropped: number;
    readonly trafficDropped: number;
  };
  /** Records that made room for others since the endpoint was created, by severity, or TRAFFIC; absent: none. */
  readonly recordsEvicted?: Readonly<Partial<Record<'TRAFFIC' | Severity, number>>>;
  /** Exceptions that match no signature in force. Ref: requirements I-041. */
  readonly unknownExceptions?: readonly string[];
};
