// SPDX-License-Identifier: Apache-2.0
/** What became of the enabled rules of a set: which are in force, and which are not, and why. */
import {RULE_FAULTS_MAX} from '../limits.ts';
import type {RuleFault} from '../sensor-error.ts';
import type {GivenRule} from './rule-files.ts';

/** `count`: all of them. `listed`: in file order, at most RULE_FAULTS_MAX. */
export type RuleList = {readonly count: number; readonly listed: readonly RuleFault[]};

/** given = loaded + refused + skipped. */
export type RuleReport = {
  /** Enabled rules of the files. */
  readonly given: number;
  /** As `rules_loaded` of Suricata's `ruleset-stats`. */
  readonly loaded: number;
  readonly refused: RuleList;
  /** By Suricata, because of their own `requires`. */
  readonly skipped: RuleList;
};

/** A rule and why it is not in force. */
export type LeftOut = {readonly rule: GivenRule; readonly reason: string};

/** Characters that are kept of a rule. */
const RULE_CHARS_MAX = 120;

/** `leftOut`: in any order. `rules`: all enabled ones, in file order. */
export const listOf = (leftOut: readonly LeftOut[], rules: readonly GivenRule[]): RuleList => {
  const reasons = new Map(leftOut.map(({rule, reason}) => [rule, reason]));
  const inOrder = rules.filter(rule => reasons.has(rule)).slice(0, RULE_FAULTS_MAX);
  const listed = inOrder.map((rule): RuleFault => {
    const {file, number, line, text} = rule;
    const shown = text.length > RULE_CHARS_MAX ? `${text.slice(0, RULE_CHARS_MAX)}…` : text;
    return {file, number, line, rule: shown, reason: reasons.get(rule) ?? ''};
  });
  return {count: leftOut.length, listed};
};

export const NO_RULES: RuleReport = {
  given: 0,
  loaded: 0,
  refused: {count: 0, listed: []},
  skipped: {count: 0, listed: []},
};
