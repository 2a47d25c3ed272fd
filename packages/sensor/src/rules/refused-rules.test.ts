// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {RULE_FAULTS_MAX} from '../limits.ts';
import {refusalForLog, ruleError, ruleFaultLines, ruleFaultsCounted} from './refused-rules.ts';

const faults = (length: number) =>
  Array.from({length}, (_, at) => ({file: 'a.rules', line: at + 1, rule: 'alert', reason: 'no'}));

test('every refused rule has its line; the message has the first three, and counts the rest', () => {
  const eight = faults(8);
  expect(ruleFaultLines(eight)).toEqual(eight.map(({line}) => `a.rules, line ${line}: no (rule: alert)`));
  const error = ruleError(eight);
  expect(error.message).toMatch(
    /^8 rules are refused: a\.rules, line 1: .*; a\.rules, line 3: .* and 5 more \(see the log\)$/,
  );
  expect(refusalForLog(error)).toEqual({
    words: '8 rules are refused',
    fields: {code: 'rule-error', refused: ruleFaultLines(eight)},
  });
  expect(ruleFaultsCounted(faults(1))).toBe('A rule is refused');
  expect(ruleFaultsCounted(faults(RULE_FAULTS_MAX))).toBe('100 or more rules are refused');
});

test('what would act on a terminal is escaped, in file, reason and rule; long ones are cut', () => {
  const [line] = ruleFaultLines([
    {file: 'a\u001b[31m.rules', line: 1, rule: `x\u202ey\u2028${'z'.repeat(200)}`, reason: 'not\r\n\u009bgood é'},
  ]);
  expect(line).toBe(
    `a\\x1b[31m.rules, line 1: not\\x0d\\x0a\\x9bgood é (rule: x\\u{202e}y\\u{2028}${'z'.repeat(116)}…)`,
  );
});
