// SPDX-License-Identifier: Apache-2.0
/** Rule sets and rules as `/v1/…/ruleSets` answers them. Ours: Cloud IDS shows no rules. */
import type {MitreReference} from '../mitre.ts';
import type {Severity} from '../records.ts';

/** REFUSED: not valid. SKIPPED: its own `requires` are not met. DISABLED: switched off by a comment or by the configuration. */
export const RULE_STATES = ['ACTIVE', 'REFUSED', 'SKIPPED', 'DISABLED'] as const;
export type RuleState = (typeof RULE_STATES)[number];

/** A user turned the rule on or off while the server ran. `time`: RFC 3339. */
export type RuleSwitch = {readonly state: 'ENABLED' | 'DISABLED'; readonly user: string; readonly time: string};

/** A rule of a rule set, whether it is active or not. */
export type RuleMessage = {
  /** Resource name, `projects/P/locations/L/ruleSets/SET/rules/GID:SID`. */
  readonly name: string;
  readonly ruleSet: string;
  /** `gid:sid`, as the threat id of its alerts; '' for a rule without a sid. */
  readonly ruleId: string;
  readonly gid: number;
  /** 0: it has none. */
  readonly sid: number;
  readonly rev: number;
  readonly msg: string;
  readonly state: RuleState;
  /** Why it is not active; '' for an active rule. */
  readonly reason: string;
  /** Of its alerts. */
  readonly severity: Severity;
  /** How the severity follows from the rule. */
  readonly severityReason: string;
  readonly classtype: string;
  /** `type` of its threat records. */
  readonly type: string;
  readonly file: string;
  /** Its first line, from 1. */
  readonly line: number;
  readonly mitreTactics: readonly MitreReference[];
  readonly mitreTechniques: readonly MitreReference[];
  readonly cves: readonly string[];
  /** URLs where the system of the reference has one. */
  readonly references: readonly string[];
  /** Absent: its files and the configuration decide. */
  readonly switched?: RuleSwitch;
  /** The rule itself; lists leave it out unless it is asked for. */
  readonly text?: string;
};

/** What a running Suricata has loaded. */
export type EndpointRulesMessage = {
  /** Full resource name. */
  readonly endpoint: string;
  readonly status: 'STARTING' | 'READY' | 'DEGRADED' | 'FAILED';
  readonly ruleSetVersion: string;
  /** Suricata's own count (`ruleset-stats`); 0 while it does not run. */
  readonly rulesLoaded: number;
};

export type RuleBindingMessage = {readonly location?: string; readonly endpoint?: string};

/** One compiled rule set: the rules of a configured set with the variables of some endpoints. */
export type RuleSetMessage = {
  /** Resource name, `projects/P/locations/L/ruleSets/SET`. */
  readonly name: string;
  /** The configured name; with variables of some endpoints alone, `NAME~HASH`. */
  readonly ruleSetId: string;
  /** Variables that the bound endpoints add to those of all. */
  readonly variables: Readonly<Record<string, string>>;
  /** '' while there is no usable version. */
  readonly version: string;
  /** RFC 3339: when this version was verified for the first time; '' before the first one. */
  readonly versionTime: string;
  /** RFC 3339: when the sources were read last; '' before the first time. */
  readonly readTime: string;
  readonly sources: readonly string[];
  /** Empty for the default set: it serves all endpoints that no binding names. */
  readonly bindings: readonly RuleBindingMessage[];
  readonly rulesGiven: number;
  readonly rulesActive: number;
  readonly rulesRefused: number;
  readonly rulesSkipped: number;
  readonly rulesDisabled: number;
  /** Why the newest version was refused while an older one, or none, is active; '' otherwise. */
  readonly refused: string;
  /** Its refused rules, or those of the active version: a line each with file, line and reason; the first 100. */
  readonly refusedRules: readonly string[];
  readonly endpoints: readonly EndpointRulesMessage[];
};

/** The answer to an update. */
export type RuleSetUpdateMessage = {
  readonly ruleSetId: string;
  readonly previousVersion: string;
  readonly version: string;
  /** False: the sources hold what is active already. */
  readonly changed: boolean;
  readonly rulesActive: number;
  readonly rulesRefused: number;
  /** What each Suricata reports after the update. */
  readonly endpoints: readonly EndpointRulesMessage[];
};
