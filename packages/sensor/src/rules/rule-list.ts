// SPDX-License-Identifier: Apache-2.0
import {RULE_FAULTS_MAX} from '../limits.ts';
import type {RuleFault, RuleList} from '../rule-report.ts';
import type {GivenRule} from './rule-files.ts';
import {idOf} from './selection/commented.ts';

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
    const sid = idOf(text)?.replace(/^1:/, '');
    return {file, number, line, rule: shown, sid, reason: reasons.get(rule) ?? ''};
  });
  return {count: leftOut.length, listed};
};
