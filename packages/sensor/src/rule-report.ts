// SPDX-License-Identifier: Apache-2.0
/** Which enabled rules of a rule set are in force, and which are not and why. */

/** A rule that is not in force, and why. */
export type RuleFault = {
  /** As the user gave it. */
  readonly file: string;
  /** The rule's place among the enabled rules of its file, from 1. */
  readonly number: number;
  /** Its first line, from 1. */
  readonly line: number;
  readonly rule: string;
  /** What --disable-sid takes for it; undefined: it has no sid. */
  readonly sid?: string | undefined;
  readonly reason: string;
};

/** `count`: all of them. `listed`: in file order, at most RULE_FAULTS_MAX. */
export type RuleList = {readonly count: number; readonly listed: readonly RuleFault[]};

/** given = loaded + refused + skipped. */
export type RuleReport = {
  /** Active rules of the files, without those that are disabled. */
  readonly given: number;
  /** As `rules_loaded` of Suricata's `ruleset-stats`. */
  readonly loaded: number;
  readonly refused: RuleList;
  /** By Suricata, because of their own `requires`. */
  readonly skipped: RuleList;
  /** Rules that a list of the user turned off. */
  readonly disabled: number;
};

export const NO_RULES: RuleReport = {
  given: 0,
  loaded: 0,
  refused: {count: 0, listed: []},
  skipped: {count: 0, listed: []},
  disabled: 0,
};
