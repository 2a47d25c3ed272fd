// SPDX-License-Identifier: Apache-2.0
/** Verdicts on rules out of the log of Suricata 7.0.10, whose lines end after 2,048 bytes. */
import {expect, test} from 'vitest';
import {type NotTaken, RuleLogReader, ruleFileName} from './rules-log.ts';

const loading = (index: number): string => `Config Loading rule file: /proc/self/cwd/${ruleFileName(index)}`;
const nothing = (index: number): string => `Config No rules loaded from ${ruleFileName(index)}.`;
const counted = (files: number, loaded: number): string =>
  `Info ${files} rule files processed. ${loaded} rules successfully loaded, ${files - loaded} rules failed, 0`;
const refused = `Error error parsing signature "alert tcp any any -> any any (msg:"${'m'.repeat(3000)}`.slice(0, 2047);

const read = (rules: number, lines: readonly string[]): [number, NotTaken][] | undefined => {
  const reader = new RuleLogReader(rules);
  for (const line of lines) reader.push(line);
  const notTaken = reader.notTaken();
  return notTaken === undefined ? undefined : [...notTaken];
};

test('F-07 a refused rule is known by its file, whatever the log cuts off its text; a skipped one is no refused one', () => {
  expect(
    read(5, [
      'Notice This is Suricata version 7.0.10 RELEASE running in SYSTEM mode',
      loading(0),
      loading(1),
      "Error unknown rule keyword 'foo'.",
      refused,
      nothing(1),
      loading(2),
      'Info Suricata did not meet the rule requirements: Suricata version less than required: version >= 9',
      refused.replace('Error error parsing signature', 'Info Skipping signature due to missing requirements:'),
      nothing(2),
      loading(3),
      'Warning Signature with newer revision, so the older sig replaced by this new signature "…"',
      loading(4),
      nothing(4),
      counted(5, 2),
      'Error Loading signatures failed.',
    ]),
  ).toEqual([
    [1, {kind: 'refused', reason: "unknown rule keyword 'foo'."}],
    [2, {kind: 'skipped', reason: 'Suricata version less than required: version >= 9'}],
    [4, {kind: 'refused', reason: 'Suricata refuses it without a reason'}],
  ]);
});

test('F-07 no rule loaded is a verdict too', () => {
  const lines = [loading(0), refused, nothing(0), 'Warning 1 rule files specified, but no rules were loaded!'];
  expect(read(1, lines)).toEqual([[0, expect.objectContaining({kind: 'refused'})]]);
});

test.each([
  ['the log ends early', [loading(0)]],
  ['a rule is missing', [loading(0), counted(2, 2)]],
  ['Suricata counts fewer rules than its lines say', [loading(0), loading(1), counted(2, 1)]],
  ['Suricata counts more', [loading(0), loading(1), nothing(1), counted(2, 2)]],
  ['the rules come in another order', [loading(1), loading(0), counted(2, 2)]],
  ['the lines read otherwise', ['Config: rule file 0', 'Config: rule file 1', 'Info: 2 rules loaded']],
  ['there is none', []],
])('F-07 a log that cannot be relied on gives no verdict: %s', (_, lines) => {
  expect(read(2, lines)).toBeUndefined();
});

test('43-2 a log that ends at a rule with a reason leaves out that rule and those before it; without a reason nobody is blamed', () => {
  const givenUp = (...lines: readonly string[]) => {
    const reader = new RuleLogReader(9);
    for (const line of lines) reader.push(line);
    return [reader.notTaken(), [...(reader.givenUp() ?? [])]];
  };
  const before = [loading(0), "Error unknown rule keyword 'foo'.", refused, nothing(0), loading(1), loading(2)];
  expect(givenUp(...before, 'Error bad base64 encoding x.lst')).toEqual([
    undefined,
    [
      [0, {kind: 'refused', reason: "unknown rule keyword 'foo'."}],
      [2, {kind: 'refused', reason: 'bad base64 encoding x.lst'}],
    ],
  ]);
  expect(givenUp(...before)).toEqual([undefined, []]);
});
