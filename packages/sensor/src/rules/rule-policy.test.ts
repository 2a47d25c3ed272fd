// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import type {RuleList, RuleReport} from '../rule-report.ts';
import {isSensorError} from '../sensor-error.ts';
import {DEFAULT_RULE_POLICY, judge, type RulePolicy} from './rule-policy.ts';

const list = (count: number): RuleList => ({
  count,
  listed: Array.from({length: Math.min(count, 1)}, () => ({
    ...{file: 'my.rules', number: 3, line: 17},
    ...{rule: 'alert', reason: "unknown rule keyword 'foo'."},
  })),
});
const reportOf = (loaded: number, refused: number, skipped = 0): RuleReport => ({
  given: loaded + refused + skipped,
  loaded,
  refused: list(refused),
  skipped: list(skipped),
  disabled: 0,
});
const min = (minLoadedPercent: number): RulePolicy => ({strict: false, minLoadedPercent});
const strict: RulePolicy = {strict: true, minLoadedPercent: 0};

const refusalOf = (report: RuleReport, policy: RulePolicy) => {
  try {
    judge(report, policy);
  } catch (error) {
    if (isSensorError(error)) return [error.code, error.refusal?.words];
    throw error;
  }
  return undefined;
};

test.each<[loaded: number, refused: number, skipped: number, policy: RulePolicy]>([
  [11_451, 1, 0, DEFAULT_RULE_POLICY],
  [90, 10, 0, DEFAULT_RULE_POLICY],
  [9, 1, 90, DEFAULT_RULE_POLICY],
  [1, 0, 1, strict],
  [1, 999, 0, min(0)],
  [1, 0, 0, min(100)],
])('F-11 %i loaded, %i refused, %i skipped are put in force under %o', (loaded, refused, skipped, policy) => {
  expect(refusalOf(reportOf(loaded, refused, skipped), policy)).toBeUndefined();
});

test.each<[loaded: number, refused: number, skipped: number, policy: RulePolicy, words: string]>([
  [
    899,
    101,
    0,
    DEFAULT_RULE_POLICY,
    '101 of 1000 rules are refused: 89.9 % of the rules load, at least 90 % are required',
  ],
  [
    89_999,
    10_001,
    0,
    DEFAULT_RULE_POLICY,
    '10001 of 100000 rules are refused: 89.9 % of the rules load, at least 90 % are required',
  ],
  [8, 1, 91, DEFAULT_RULE_POLICY, '1 of 100 rules is refused: 88.8 % of the rules load, at least 90 % are required'],
  [999, 1, 0, strict, '1 of 1000 rules is refused: strict mode allows no refused rule'],
  [999, 1, 0, min(100), '1 of 1000 rules is refused: 99.9 % of the rules load, at least 100 % are required'],
  [0, 2, 0, min(0), '2 of 2 rules are refused: no rule would be active'],
])('F-11 %i loaded, %i refused, %i skipped refuse the set under %o', (loaded, refused, skipped, policy, words) => {
  expect(refusalOf(reportOf(loaded, refused, skipped), policy)).toEqual(['rule-error', words]);
});

test('F-11 a refused set names its rules with place and reason', () => {
  expect(() => judge(reportOf(1, 1), DEFAULT_RULE_POLICY)).toThrow(
    "1 of 2 rules is refused: 50 % of the rules load, at least 90 % are required; rule 3 of my.rules (line 17): unknown rule keyword 'foo'",
  );
});

test('F-07 a set of which every rule is skipped is not put in force', () => {
  expect(refusalOf(reportOf(0, 0, 2), min(0))).toEqual([
    'no-rules',
    'no rule would be active: 2 of 2 rules are skipped',
  ]);
});
