// SPDX-License-Identifier: Apache-2.0
import type {EvidenceKind} from '@palisade/ids-wire';
import type {ResourceLimits} from '../cgroup/cgroup-files.ts';
import type {FlowBudget} from '../flows/flow-files.ts';
import type {SensorLimits} from '../limits.ts';
import type {CaptureDriver, Clock, Log, Random, Timers} from '../ports.ts';
import type {RecordSink} from '../record-sink.ts';
import type {RulePolicy} from '../rules/rule-policy.ts';
import type {RuleSetSpec} from '../rules/sources.ts';
import type {PatternMatcher} from '../suricata/config.ts';
import type {RunAs} from '../suricata/process.ts';
import type {EndpointVars, RuleBinding, RulePlan} from './rule-plan.ts';
import type {KeptSwitches} from './rule-switches.ts';

export type SensorHostOptions = {
  /** Data folder of all sensors; made if absent. One server at a time. */
  readonly dir: string;
  readonly driver: CaptureDriver | 'auto';
  /** Of all endpoints that no binding names. */
  readonly rules: RuleSetSpec;
  /** Further rule sets, for bindings; default: none. */
  readonly ruleSets?: readonly RuleSetSpec[] | undefined;
  readonly bindings?: readonly RuleBinding[] | undefined;
  /** Variables of some endpoints, besides `vars`; default: none. */
  readonly endpointVars?: readonly EndpointVars[] | undefined;
  /** Variables that rules use, by name; default: ours alone. */
  readonly vars?: Readonly<Record<string, string>> | undefined;
  /** Files with parts of suricata.yaml that we do not own; default: none. */
  readonly includes?: readonly string[] | undefined;
  /** True: the caller of `ready` reports the refused rules if there is no set; the log then only counts them. */
  readonly reportsRefusal?: boolean | undefined;
  /** When refused rules refuse the set; default `DEFAULT_RULE_POLICY`. */
  readonly rulePolicy?: RulePolicy | undefined;
  /** Where rules that users turn on and off are kept; default: in memory. */
  readonly switches?: KeptSwitches | undefined;
  readonly sink: RecordSink;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
  readonly log: Log;
  /** The Suricata program; default: PATH, then the usual folders. */
  readonly suricata?: string | undefined;
  /** User that Suricata runs as when the server runs as root; default `NOBODY`. Ignored otherwise. */
  readonly runAs?: RunAs | undefined;
  /** Of each Suricata, by cgroup; default: no limits. */
  readonly resourceLimits?: ResourceLimits | undefined;
  /** Words of `parseHomeNet` without faults; default `DEFAULT_HOME_NET`. */
  readonly homeNet?: readonly string[] | undefined;
  /** Takes packets whatever their VNI; default: those with the VNI of their endpoint alone. */
  readonly acceptAnyVni?: boolean | undefined;
  /** Networks that may send mirrored packets, words of `parseMirrorFrom` without faults; default, and if empty: any sender. */
  readonly mirrorFrom?: readonly string[] | undefined;
  /** Interfaces that mirrored packets arrive on; default, and if empty: chosen by the driver. */
  readonly captureInterfaces?: readonly string[] | undefined;
  /** What is kept of alerts besides their records; default `none`. */
  readonly evidence?: EvidenceKind | undefined;
  /** Of capture files of flows with alerts, of all endpoints together; default FLOW_BUDGET_DEFAULT. */
  readonly flowBudget?: FlowBudget | undefined;
  /** 1 of so many flows makes a traffic record, 1 or more; it may change. Default: every flow. */
  readonly trafficSample?: (() => number) | undefined;
  readonly patternMatcher?: PatternMatcher | 'auto' | undefined;
  readonly limits?: Partial<SensorLimits> | undefined;
};

/** The user that owns nothing, on every Linux. */
export const NOBODY: RunAs = {uid: 65_534, gid: 65_534};

export const planOf = ({rules, ruleSets = [], bindings = [], endpointVars = []}: SensorHostOptions): RulePlan => ({
  ruleSets: [rules, ...ruleSets],
  bindings,
  endpointVars,
});
