// SPDX-License-Identifier: Apache-2.0
/** What the test asks of the laboratory process, a JSON object a line each way: `{id, method, args}` → `{id, result}` or `{id, error}`. */

import type {FlowQuery, PacketHistory} from '@palisade/ids-wire';
import type {
  Counted,
  RuleFault,
  RulePlan,
  RuleSetSpec,
  RuleSetStatus,
  RuleSetUpdate,
  RuleSetView,
  RuleView,
  SensorHealth,
  SensorHostOptions,
  SensorSpec,
  SwitchChange,
} from '@palisade/sensor';
import type {CrashPlan, SinkImage} from './file-sink.ts';

export type LabOptions = Pick<
  SensorHostOptions,
  | 'dir'
  | 'runAs'
  | 'resourceLimits'
  | 'driver'
  | 'vars'
  | 'ruleSets'
  | 'bindings'
  | 'endpointVars'
  | 'includes'
  | 'rulePolicy'
  | 'suricata'
  | 'patternMatcher'
  | 'homeNet'
  | 'acceptAnyVni'
  | 'evidence'
  | 'flowBudget'
  | 'mirrorFrom'
  | 'captureInterfaces'
  | 'limits'
> & {
  /** Or plain rule files. */
  readonly rules: RuleSetSpec | readonly string[];
  /** 1 of so many flows makes a record. */
  readonly trafficSample?: number | undefined;
  readonly sinkFile: string;
  readonly crash?: CrashPlan | undefined;
};

export type Sending = {
  readonly ip: string;
  readonly vni: number /** base64. */;
  readonly frames: readonly string[];
  readonly perSecond: number /** Sent as they are, without a VXLAN header. */;
  readonly bare?: boolean;
  /** Default: that of VXLAN. */
  readonly port?: number;
  /** Address that they are sent from. */
  readonly from?: string;
};

export type LogEntry = {readonly level: string; readonly message: string; readonly fields: object};

/** Conditions that `until` waits for. */
export type Condition =
  | {readonly alerts: number}
  | {readonly traffic: number}
  | {readonly received: number; readonly endpoint: string}
  | {readonly dropped: number; readonly endpoint: string}
  | {readonly seen: number; readonly endpoint: string}
  | {readonly status: SensorHealth['status']; readonly endpoint: string; readonly restarts?: number}
  /** A line of the log. */
  | {readonly logged: string}
  /** A regular expression that one of the health's reasons fits. */
  | {readonly reason: string; readonly endpoint: string}
  | {readonly progress: string};

export type LabMethods = {
  create: (options: LabOptions) => {driver: string; unavailable: string | undefined};
  ready: () => RuleSetStatus;
  setRules: (rules: LabOptions['rules']) => RuleSetStatus;
  /** Ids of the sets that were refused, and why. */
  setRulePlan: (plan: RulePlan) => readonly (readonly [id: string, why: string])[];
  ruleSets: () => readonly RuleSetView[];
  rulesOfSet: (id: string) => readonly RuleView[] | undefined;
  updateRules: (id?: string) => readonly RuleSetUpdate[];
  switchRules: (id: string, change: SwitchChange) => readonly RuleSetUpdate[];
  packetHistory: (endpoint: string) => PacketHistory | undefined;
  unavailable: () => string | undefined;
  /** Progress lines. */
  start: (spec: SensorSpec) => readonly string[];
  abort: () => void;
  update: (spec: SensorSpec) => void;
  stop: (endpoint: string) => void;
  health: (endpoint: string) => SensorHealth | undefined;
  counted: (endpoint: string) => Counted | undefined;
  endpoints: () => readonly string[];
  leftovers: () => readonly string[];
  send: (sending: Sending) => number;
  /** Another program takes a UDP port, until the laboratory ends. */
  hold: (ip: string, port: number) => void;
  /** Rejects after `limitMs`. */
  until: (condition: Condition, limitMs: number) => void;
  records: () => SinkImage;
  /** Events by record. */
  evidence: () => readonly (readonly [id: string, event: string])[];
  /** base64. */
  flowFrames: (query: FlowQuery) => readonly string[];
  tidyFlows: () => void;
  failSink: (mode: 'before' | 'after' | undefined) => void;
  logs: () => readonly LogEntry[];
  close: () => void;
};

export type LabError = {
  readonly message: string;
  readonly code?: string | undefined;
  readonly faults?: readonly RuleFault[] | undefined;
};
export type LabRequest = {readonly id: number; readonly method: keyof LabMethods; readonly args: readonly unknown[]};
export type LabAnswer = {readonly id: number; readonly result?: unknown; readonly error?: LabError};
