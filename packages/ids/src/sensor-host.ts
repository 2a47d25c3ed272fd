// SPDX-License-Identifier: Apache-2.0
import type {
  CaptureDriver,
  EvidenceKind,
  FlowFrames,
  FlowQuery,
  PacketHistory,
  RuleMessage,
  RuleSetMessage,
  RuleSetUpdateMessage,
  SensorHealth,
  SensorSpec,
} from '@palisade/ids-wire';

export type {CaptureDriver, SensorHealth, SensorSpec} from '@palisade/ids-wire';

/** Rule sets and rules without resource names, which depend on who asks. */
export type HostRuleSet = Omit<RuleSetMessage, 'name'>;
export type HostRule = Omit<RuleMessage, 'name' | 'ruleSet'> & {readonly text: string};

/** An id is in one of the lists. `time`: RFC 3339. */
export type RuleSwitchChange = {
  readonly enable: readonly string[];
  readonly disable: readonly string[];
  readonly reset: readonly string[];
  readonly user: string;
  readonly time: string;
};

/**
 * The data plane as the IDS control plane sees it. Implemented by `@palisade/sensor`, which fits this shape without importing it.
 * All methods are idempotent per endpoint; calls for one endpoint are serialised by the caller.
 */
export interface SensorHost {
  /** Undefined: a sensor can run here. Otherwise why not ("Suricata is not installed: …"). */
  readonly unavailable: string | undefined;
  readonly driver: CaptureDriver;
  /** What is kept of threats besides their records. */
  readonly evidence: EvidenceKind;
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
  /** The endpoint's packets over time, over restarts of the server; undefined: no sensor runs for it. */
  packetHistory(endpoint: string): PacketHistory | undefined;
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
  /** The rule with that threat id in the set of the endpoint, which may be gone; undefined: the set has none. */
  ruleOf(endpoint: string, threatId: string): Promise<{readonly set: string; readonly rule: HostRule} | undefined>;
  /** What is kept of one flow's packets, also of an endpoint that is gone; nothing unless `evidence` is, or was, `pcap`. */
  flowFrames(query: FlowQuery): Promise<FlowFrames>;
  /**
   * Reads the sources of a set, or of all sets, again and puts what is new in force, live. Resolves when every Suricata has reported what it
   * loaded. Rejects with SensorError that names every set that was refused, and so keeps its previous version.
   */
  updateRules(id?: string): Promise<readonly RuleSetUpdateMessage[]>;
  /**
   * Turns rules of a set on and off by `gid:sid`, or (`reset`) back to what its files and the configuration say, live and over restarts. An
   * id of a set with variables of some endpoints stands for all endpoints of the configured set. Rejects with SensorError; then nothing changed.
   */
  switchRules(id: string, change: RuleSwitchChange): Promise<readonly RuleSetUpdateMessage[]>;
  /** Drains and stops all sensors (server shutdown); state on disk stays for the next start. */
  close(): Promise<void>;
}
