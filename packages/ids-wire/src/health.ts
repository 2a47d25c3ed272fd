// SPDX-License-Identifier: Apache-2.0
/** `GET /v1/{endpoint}/health`: what Cloud IDS has no field for. Not part of the Endpoint message, so it may grow. */
import type {EndpointState} from './endpoint.ts';
import type {Severity} from './records.ts';

/**
 * Where packets are dropped. `kernel`: the packet ring of Suricata's own capture; `socket`: the receive buffer of the kernel; `queue`: waiting
 * for Suricata; `crash`: when Suricata crashed; `stop`: at a stop; `notCaptured`: on an interface that Suricata does not read;
 * `engine`: Suricata had no memory for them.
 */
export type DropCause = 'kernel' | 'socket' | 'queue' | 'crash' | 'stop' | 'notCaptured' | 'engine';

export type PacketFigures = {
  /** All that arrived for the endpoint, with the dropped ones. */
  readonly received: number;
  /** Of mirrored frames, without the VXLAN header. */
  readonly bytes: number;
  /** The sum of `drops`. */
  readonly dropped: number;
  readonly drops: Readonly<Record<DropCause, number>>;
  /** Not VXLAN. Neither in `received` nor in `dropped`, as the next two. */
  readonly malformed: number;
  /** With another VNI than `vni`: they are not inspected. Absent when the driver cannot count them. */
  readonly foreignVni?: number;
  /** Of senders that may not send. Absent when the driver cannot count them. */
  readonly refusedSender?: number;
  /**
   * Frames inside VXLAN that are neither IP nor VLAN: Suricata does not look into them with this driver, with others it does. In `received`,
   * not in `dropped`. Absent when there can be none.
   */
  readonly notInspectable?: number;
  /** Why a figure is absent, or has a part only (`malformed`), by its name. */
  readonly notCounted?: Readonly<Partial<Record<'foreignVni' | 'refusedSender' | 'malformed', string>>>;
};

/** `minute`: its beginning, RFC 3339. */
export type LossMinute = {readonly minute: string; readonly received: number; readonly dropped: number};

/** RFC 3339; without `until`: still. */
export type BlindInterval = {readonly from: string; readonly until?: string; readonly why: string};

export type SuricataAlerts = {
  /** Those that it wrote: compared with `alerts.seen`. */
  readonly counted: number;
  /** More rules matched one packet than Suricata keeps alerts of: in no other figure. */
  readonly discarded: number;
  /** By a threshold or suppress setting: in no other figure. */
  readonly suppressed: number;
};

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
  /** The name of its rule set, and a mark of variables of its own. */
  readonly ruleSet?: string;
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
  /** Since the endpoint was created, over restarts of the server. */
  readonly packets?: PacketFigures;
  /** Share of the packets of the last minute that were dropped, 0 to 1. */
  readonly packetLossRatio?: number;
  /** Of the last 60 minutes in which the sensor ran, oldest first. */
  readonly lossPerMinute?: readonly LossMinute[];
  /** When mirrored packets were not inspected, or alerts were lost: oldest first, the newest 100. */
  readonly blind?: readonly BlindInterval[];
  /** Of all of them since the endpoint was created, also those that are not in `blind` any longer. */
  readonly blindSeconds?: number;
  /** Alerts that Suricata wrote = stored + filtered + excepted + lost. */
  readonly alerts?: {
    readonly seen: number;
    readonly stored: number;
    readonly filtered: number;
    readonly excepted: number;
    readonly lost: number;
  };
  /** Suricata's own counts of its alerts since the endpoint was created. */
  readonly suricataAlerts?: SuricataAlerts;
  /** Records that are kept now, and those that retention has dropped (evicted or too old). */
  readonly records: {
    readonly threats: number;
    readonly traffic: number;
    readonly threatsDropped: number;
    readonly trafficDropped: number;
  };
  /** Records that made room for others since the endpoint was created, by severity, or TRAFFIC; absent: none. */
  readonly recordsEvicted?: Readonly<Partial<Record<'TRAFFIC' | Severity, number>>>;
  /** Of Suricata, as it says itself. */
  readonly engineVersion?: string;
  /** RFC 3339: when the rules were last changed or fetched. */
  readonly rulesUpdated?: string | undefined;
  readonly rulesAgeDays?: number | undefined;
  /** What keeps Suricata apart from the rest of the machine; a limit that is absent is not in force. */
  readonly confinement?: {
    readonly uid?: number | undefined;
    /** It reads and writes only the folder of its endpoint. */
    readonly landlock: boolean;
    readonly memoryMaxBytes?: number | undefined;
    readonly cpuMaxCores?: number | undefined;
  };
  /** What is to be known of the set-up; the sensor does its work. */
  readonly notes?: readonly string[];
  /** Exceptions that match no signature in force. Ref: requirements I-041. */
  readonly unknownExceptions?: readonly string[];
};
