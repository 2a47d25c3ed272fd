// SPDX-License-Identifier: Apache-2.0
import {RULE_FAULTS_MAX} from '../limits.ts';
import type {RuleFault, RuleList} from '../rule-report.ts';
import type {GivenRule} from './rule-files.ts';
import {idOf} from './selection/commented.ts';

/** A rule and why it is not in force. */
export type LeftOut = {readonly rule: GivenRule; readonly reason: string};

/** `leftOut`: in any order. `rules`: all enabled ones, in file order. */
export const listOf = (leftOut: readonly LeftOut[], rules: readonly GivenRule[]): RuleList => {
  const reasons = new Map(leftOut.map(({rule, reason}) => [rule, reason]));
  const inOrder = rules.filter(rule => reasons.has(rule)).slice(0, RULE_FAULTS_MAX);
  const listed = inOrder.map((rule): RuleFault => {
    const {file, number, line, text} = rule;
    const sid = idOf(text)?.replace(/^1:/, '');
    return {file, number, line, rule: text, sid, reason: reasons.get(rule) ?? ''};
  });
  return {count: leftOut.length, listed};
};
