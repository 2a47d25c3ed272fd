// SPDX-License-Identifier: Apache-2.0
/**
 * What the sensor needs from outside, and the shapes it shares with its caller. The sensor shapes are those of the `SensorHost` port
 * that the control plane declares; they are declared again here because this package imports only `wire`. Wiring proves the fit.
 */
import type {BlindInterval, LossMinute, PacketFigures, Severity, SuricataAlerts} from '@palisade/ids-wire';

export interface Clock {
  /** Milliseconds since the epoch; may jump. */
  now(): number;
}
export interface Random {
  /** A version 4 UUID. */
  uuid(): string;
}
export type Timer = {cancel(): void};
export interface Timers {
  /** Calls once, after at least `delayMs`. */
  after(delayMs: number, action: () => void): Timer;
}
type LogLine = (fields: object, message: string) => void;
/** A subset of pino's logger. */
export type Log = {readonly debug: LogLine; readonly info: LogLine; readonly warn: LogLine; readonly error: LogLine};

/** How mirrored packets get into Suricata. */
export type CaptureDriver = 'afpacket' | 'afpacket-bpf' | 'relay';

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
  /** Since the endpoint was created. A kill of the server may cost what was counted in the last `heartbeatMs`. */
  readonly packets: PacketFigures;
  /** Share of the packets of the last minute that were dropped, 0 to 1. */
  readonly packetLossRatio: number;
  /** Of the last 60 minutes, oldest first. A minute in which the sensor did not run has no entry. */
  readonly lossPerMinute: readonly LossMinute[];
  /** Oldest first, the newest 100. */
  readonly blind: readonly BlindInterval[];
  /** Of all of them since the endpoint was created, also those that are not in `blind` any longer. */
  readonly blindSeconds: number;
  /** seen = stored + filtered + excepted + lost. Ref: design invariant 4. */
  readonly alerts: {
    readonly seen: number;
    readonly stored: number;
    readonly filtered: number;
    readonly excepted: number;
    readonly lost: number;
  };
  readonly suricataAlerts: SuricataAlerts;
  /** Of Suricata, as it says itself. */
  readonly engineVersion: string;
  /** RFC 3339: when the rules were last changed or fetched; undefined: not known. */
  readonly rulesUpdated: string | undefined;
  readonly rulesAgeDays: number | undefined;
  /** What keeps Suricata apart from the rest of the machine. */
  readonly confinement: {
    readonly uid: number | undefined;
    /** It reads and writes only the folder of its endpoint. */
    readonly landlock: boolean;
    /** By cgroup; undefined: not limited. */
    readonly memoryMaxBytes: number | undefined;
    readonly cpuMaxCores: number | undefined;
  };
  /** What is to be known of the set-up; the sensor does its work. */
  readonly notes: readonly string[];
  /** Exceptions that match no signature in force. Ref: requirements I-041. */
  readonly unknownExceptions: readonly string[];
};
