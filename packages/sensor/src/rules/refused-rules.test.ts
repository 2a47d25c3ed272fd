// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import type {RuleFault, RuleReport} from '../rule-report.ts';
import {SensorError} from '../sensor-error.ts';
import {leftOutOf, refusalForLog, reportForLog, ruleFaultLines, skippedRuleLines} from './refused-rules.ts';

const faults = (length: number): RuleFault[] =>
  Array.from({length}, (_, at) => ({file: 'a.rules', number: at + 1, line: at + 10, rule: 'alert', reason: 'no.'}));
const none = {count: 0, listed: []};
const reportOf = (refused: number, listed = refused): RuleReport => ({
  given: 20_000,
  loaded: 20_000 - refused,
  refused: {count: refused, listed: faults(listed)},
  skipped: none,
  disabled: 0,
});

const errorOf = (report: RuleReport, words: string): SensorError =>
  new SensorError('rule-error', words, {refusal: {words, report}});

test('every refused rule has its line; the message has the first three, and counts the rest', () => {
  const report = reportOf(8);
  const lines = ruleFaultLines(report.refused.listed);
  expect(lines).toEqual(
    Array.from(
      {length: 8},
      (_, at) => `rule ${at + 1} of a.rules (line ${at + 10}): no; fix it or comment it out: alert`,
    ),
  );
  expect(leftOutOf(report).refusedInShort).toBe(
    '8 of 20000 rules are refused: rule 1 of a.rules (line 10): no; rule 2 of a.rules (line 11): no; rule 3 of a.rules (line 12): no and 5 more',
  );
  expect(leftOutOf(reportOf(1)).refusedInShort).toBe('1 of 20000 rules is refused: rule 1 of a.rules (line 10): no');
  expect(leftOutOf(reportOf(0)).refusedInShort).toBeUndefined();
  expect(refusalForLog(errorOf(report, 'why'))).toEqual([{words: 'why', fields: {code: 'rule-error', refused: lines}}]);
});

test('F-07 more refused rules than a line of the log holds are on several, and what is not listed is counted', () => {
  const parts = refusalForLog(errorOf(reportOf(12_000, 250), '12000 of 20000 rules are refused'));
  expect(parts.map(({words, fields}) => [words, (fields as {refused: string[]}).refused.length])).toEqual([
    ['12000 of 20000 rules are refused (1 to 100)', 100],
    ['12000 of 20000 rules are refused (101 to 200)', 100],
    ['12000 of 20000 rules are refused (201 to 250)', 50],
  ]);
});

test('F-11 the health lists the first 100', () => {
  expect(leftOutOf(reportOf(12_000, 250)).refused).toHaveLength(100);
});

test('F-07 skipped rules are named as skipped', () => {
  const skipped = {count: 1, listed: faults(1)};
  expect(reportForLog({given: 1, loaded: 0, refused: none, skipped, disabled: 0})).toEqual([
    {words: '1 of 1 rule is skipped', fields: {skipped: skippedRuleLines(skipped.listed)}},
  ]);
  expect(skippedRuleLines(skipped.listed)).toEqual(['rule 1 of a.rules (line 10): no: alert']);
});

test('what would act on a terminal is escaped, in file, reason and rule', () => {
  const [line] = ruleFaultLines([
    {file: 'a\u001b[31m.rules', number: 2, line: 1, rule: 'x\u202ey\u2028', reason: 'not\r\n\u009bgood é'},
  ]);
  expect(line).toBe(
    'rule 2 of a\\x1b[31m.rules (line 1): not\\x0d\\x0a\\x9bgood é; fix it or comment it out: x\\u{202e}y\\u{2028}',
  );
});

test('43-2 a duplicate is to get another sid: a list would turn off the rule that has it first, too', () => {
  const fault = {file: 'a.rules', number: 2, line: 2, rule: 'alert', sid: '3', reason: 'Duplicate signature "alert"'};
  expect(ruleFaultLines([fault])).toEqual([
    'rule 2 of a.rules (line 2): duplicate signature; another rule has this sid (3): give it another sid or remove it: alert',
  ]);
});

test('43-2 a line has the first 120 characters of its rule', () => {
  const fault = {file: 'a.rules', number: 2, line: 2, rule: 'x'.repeat(500), reason: 'no'};
  expect(ruleFaultLines([fault])[0]).toMatch(/: x{120}…$/);
});
