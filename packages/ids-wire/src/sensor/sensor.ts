// SPDX-License-Identifier: Apache-2.0
/** What control plane and sensors say to each other of an endpoint, and what of it the health answer shows. */
import type {Severity} from '../records.ts';

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

/** How mirrored packets get into Suricata. Shown on the forwarding rule and in the health answer. */
export type CaptureDriver = 'afpacket' | 'afpacket-bpf' | 'relay';

/** What a sensor needs to know of an endpoint. */
export type SensorSpec = {
  /** Full resource name, `projects/{p}/locations/{l}/endpoints/{e}`. */
  readonly endpoint: string;
  /** As the user wrote it; copied into the records. */
  readonly network: string;
  readonly ip: string;
  readonly vni: number;
  readonly severity: Severity;
  readonly threatExceptions: readonly string[];
  readonly trafficLogs: boolean;
};

export type SensorStatus = 'STARTING' | 'READY' | 'DEGRADED' | 'FAILED';

/** Absent where every flow of an endpoint with traffic logs made a record. */
export type TrafficSampling = {
  /** 1 of so many flows makes a record. */
  readonly oneOf: number;
  /** Flows that made no record since the endpoint was created. */
  readonly flowsLeftOut: number;
};

/** Words of the endpoint's health; never values of the API's `state`. Shared by the control plane, its sensors and the health answer. */
export type SensorHealth = {
  readonly status: SensorStatus;
  /** Readable on its own; says what to do. */
  readonly reasons: readonly string[];
  readonly driver: CaptureDriver;
  readonly pid: number | undefined;
  readonly restarts: number;
  /** The name of its rule set, and a mark of variables of its own. */
  readonly ruleSet: string;
  readonly ruleSetVersion: string;
  /** As `ruleset-stats` of its Suricata; the rules given are these, the failed and the skipped ones. */
  readonly rulesLoaded: number;
  /** Refused, and left out of what Suricata gets. */
  readonly rulesFailed: number;
  /** Left out since their own `requires` are not met. */
  readonly rulesSkipped: number;
  /** One line each with file, line and reason; the first 100. */
  readonly refusedRules: readonly string[];
  readonly skippedRules: readonly string[];
  /** The networks that rules take for our own, `!` in front of those that are excluded. */
  readonly homeNet: readonly string[];
  /** Since the endpoint was created, over restarts of the server. A kill of it may cost what was counted in the last seconds. */
  readonly packets: PacketFigures;
  /** Share of the packets of the last minute that were dropped, 0 to 1. */
  readonly packetLossRatio: number;
  /** Of the last 60 minutes, oldest first. A minute in which the sensor did not run has no entry. */
  readonly lossPerMinute: readonly LossMinute[];
  /** Times without inspection, or in which alerts were lost: oldest first, the newest 100. Without `until`: still. */
  readonly blind: readonly BlindInterval[];
  /** Of all of them since the endpoint was created, also those that are not in `blind` any longer. */
  readonly blindSeconds: number;
  /** Alerts Suricata wrote = stored + filtered (below severity) + excepted + lost. Ref: design invariant 4. */
  readonly alerts: {
    readonly seen: number;
    readonly stored: number;
    readonly filtered: number;
    readonly excepted: number;
    readonly lost: number;
  };
  /** Suricata's own counts: `counted` is compared with `alerts.seen`. */
  readonly suricataAlerts: SuricataAlerts;
  readonly trafficSampling?: TrafficSampling | undefined;
  /** Of Suricata, as it says itself. */
  readonly engineVersion: string;
  /** RFC 3339: when the rules were last changed or fetched; undefined: not known. */
  readonly rulesUpdated: string | undefined;
  readonly rulesAgeDays: number | undefined;
  /** What keeps Suricata apart from the rest of the machine. */
  readonly confinement: {
    readonly uid?: number | undefined;
    /** It reads and writes only the folder of its endpoint. */
    readonly landlock: boolean;
    /** By cgroup; absent: not limited. */
    readonly memoryMaxBytes?: number | undefined;
    readonly cpuMaxCores?: number | undefined;
  };
  /** What is to be known of the set-up; the sensor does its work. */
  readonly notes: readonly string[];
  /** Exceptions that match no signature in force. Ref: requirements I-041. */
  readonly unknownExceptions: readonly string[];
};
