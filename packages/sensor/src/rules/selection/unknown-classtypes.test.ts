// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {givenRule} from '../rule-files.ts';
import {unknownClasstypes} from './unknown-classtypes.ts';

test('43-2 a classtype that nobody has defined is a warning with its name, a rule and the way out', () => {
  const rules = ['trojan-activity', 'own', 'foo', 'foo'].map((name, at) =>
    givenRule(
      {file: 'a.rules', fileIndex: 0, line: at + 1, number: at + 1},
      `alert tcp any any -> any any (msg:"a"; classtype:${name}; sid:${at + 1};)`,
      'utf8',
    ),
  );
  const own = {name: 'own', description: 'Own', priority: 1, type: 'policy'};
  expect(unknownClasstypes(rules, [own])).toEqual([
    'unknown classtype foo, rule 3 of a.rules (line 3) and 1 more: the severity is LOW unless the rule gives another; add it to classification.config next to the rules, or use a known one',
  ]);
});
