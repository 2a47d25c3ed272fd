// SPDX-License-Identifier: Apache-2.0
import type {
  BlindInterval,
  LossMinute,
  PacketFigures,
  RuleMessage,
  RuleSetMessage,
  RuleSetUpdateMessage,
  Severity,
  SuricataAlerts,
} from '@palisade/ids-wire';

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

/** Words of the endpoint's health; never values of the API's `state`. */
export type SensorHealth = {
  readonly status: 'STARTING' | 'READY' | 'DEGRADED' | 'FAILED';
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
  /** Since the endpoint was created, over restarts of the server. */
  readonly packets: PacketFigures;
  /** Share of the packets of the last minute that were dropped, 0 to 1. */
  readonly packetLossRatio: number;
  /** Of the last 60 minutes in which the sensor ran, oldest first. */
  readonly lossPerMinute: readonly LossMinute[];
  /** Times without inspection, or in which alerts were lost: oldest first, the newest 100. Without `until`: still. */
  readonly blind: readonly BlindInterval[];
  /** Of all of them since the endpoint was created. */
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

/** Rule sets and rules without resource names, which depend on who asks. */
export type HostRuleSet = Omit<RuleSetMessage, 'name'>;
export type HostRule = Omit<RuleMessage, 'name' | 'ruleSet'> & {readonly text: string};

/**
 * The data plane as the IDS control plane sees it. Implemented by `@palisade/sensor`, which fits this shape without importing it.
 * All methods are idempotent per endpoint; calls for one endpoint are serialised by the caller.
 */
export interface SensorHost {
  /** Undefined: a sensor can run here. Otherwise why not ("Suricata is not installed: …"). */
  readonly unavailable: string | undefined;
  readonly driver: CaptureDriver;
  /**
   * Resolves when packets are accepted at `spec.ip`, Suricata said `Engine started` and rules loaded > 0.
   * `onProgress` gets one readable line per step. Rejects with SensorError; leaves nothing behind then or on abort.
   */
  start(
    spec: SensorSpec,
    opts: {readonly signal: AbortSignal; readonly onProgress: (message: string) => void},
  ): Promise<void>;
  /** severity, threatExceptions, trafficLogs act from now on, without a restart and without losing a packet. Ref: requirements I-118. */
  update(spec: SensorSpec): Promise<void>;
  /** Stops the intake, drains EVE to its end, ends the process, frees socket, device and folder. Unknown endpoint: resolves. */
  stop(endpoint: string): Promise<void>;
  health(endpoint: string): SensorHealth | undefined;
  /**
   * Those of `ids` (`gid:sid`, or `sid`) that match no signature of the rule set in force on the endpoint, or on one to come. Undefined:
   * there is no rule set, so nothing is known.
   */
  unknownExceptions(ids: readonly string[], endpoint: string): readonly string[] | undefined;
  /** Endpoints with a sensor, for the reconciler's sweep. */
  endpoints(): readonly string[];
  /** Every compiled rule set, the default one first; empty where no sensor can run. */
  ruleSets(): readonly HostRuleSet[];
  /** All rules of a set by gid and sid, the active one of several first; undefined: there is no such set. */
  rulesOfSet(id: string): Promise<readonly HostRule[] | undefined>;
  /**
   * Reads the sources of a set, or of all sets, again and puts what is new in force, live. Resolves when every Suricata has reported what it
   * loaded. Rejects with SensorError that names every set that was refused, and so keeps its previous version.
   */
  updateRules(id?: string): Promise<readonly RuleSetUpdateMessage[]>;
  /** Drains and stops all sensors (server shutdown); state on disk stays for the next start. */
  close(): Promise<void>;
}
