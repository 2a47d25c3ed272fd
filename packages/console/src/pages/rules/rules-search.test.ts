// SPDX-License-Identifier: Apache-2.0
import {compileFilter, RULE_LIST, type RuleMessage} from '@palisade/ids-wire';
import {expect, test} from 'vitest';
import {filterFault} from '../../records/use-good-filter.ts';
import {
  filterOf,
  foundText,
  isWebAddress,
  meaningText,
  orderOf,
  splitRuleName,
  switchTitle,
  whyNot,
} from './rules-search.ts';

const rule = (more: Partial<RuleMessage> = {}): RuleMessage =>
  ({
    ...{name: 'n', ruleSet: 'default', ruleId: '1:7', gid: 1, sid: 7, rev: 1, msg: 'SQL injection', state: 'ACTIVE'},
    ...{reason: '', severity: 'HIGH', severityReason: '', classtype: 'web', type: '', file: 'a.rules', line: 3},
    ...{mitreTactics: [], mitreTechniques: [], cves: [], references: [], ...more},
  }) as RuleMessage;

test('49-3 the search, the state and the severity are one filter, which the server reads', () => {
  const filter = filterOf({q: 'sql OR xss', state: 'ACTIVE', severity: 'HIGH'});
  const holds = compileFilter(filter, RULE_LIST);
  expect(holds(rule())).toBe(true);
  expect(holds(rule({state: 'DISABLED'}))).toBe(false);
  expect(holds(rule({severity: 'LOW'}))).toBe(false);
  expect(holds(rule({msg: 'other'}))).toBe(false);
  expect(filterOf({q: ' ', state: '', severity: ''})).toBe('');
  expect(filterFault('stat=ACTIVE', RULE_LIST)).toMatch(/stat/);
});

test('49-3 each direction of a sort is an order of the server', () => {
  expect(['file', '-file', 'nonsense', ''].map(orderOf)).toEqual([
    'file, line',
    'file desc, line desc',
    undefined,
    undefined,
  ]);
});

test('49-3 only web addresses are links', () => {
  expect(['https://a.example/x', 'javascript:alert(1)', 'data:text/html,x', 'cve,2021-1'].map(isWebAddress)).toEqual([
    true,
    false,
    false,
    false,
  ]);
});

test('49-3 a button says why it would change nothing', () => {
  expect(whyNot('disable', [rule()])).toBeUndefined();
  expect(whyNot('enable', [rule()])).toBe('It is loaded already');
  expect(whyNot('enable', [rule({state: 'REFUSED', reason: 'unknown keyword'})])).toBe(
    'Rule 1:7 is refused: unknown keyword',
  );
  expect(whyNot('reset', [rule()])).toMatch(/^Nobody has switched it/);
  expect(whyNot('disable', [rule(), rule({ruleSet: 'other'})])).toBe('Select rules of one rule set');
  expect(whyNot('disable', [rule({ruleId: ''})])).toMatch(/without a sid/);
});

test('49-3 the question before a switch speaks of one rule or of several', () => {
  const texts = (count: number): string[] =>
    (['enable', 'disable', 'reset'] as const).map(action => meaningText(action, count));
  expect(texts(1)).toEqual([
    'Suricata loads the rule set again with this rule.',
    'Suricata loads the rule set again without this rule. The rule raises no alerts until it is enabled.',
    'The rule files and the configuration decide again whether this rule is loaded.',
  ]);
  expect(texts(2)).toEqual([
    'Suricata loads the rule set again with these rules.',
    'Suricata loads the rule set again without these rules. The rules raise no alerts until they are enabled.',
    'The rule files and the configuration decide again whether these rules are loaded.',
  ]);
});

test('49-3 the title asks before a switch, and says afterwards what was done', () => {
  expect(switchTitle('disable', 1, 'default', false)).toBe('Disable 1 rule of the rule set default?');
  expect(switchTitle('disable', 2, 'default', true)).toBe('2 rules of the rule set default disabled');
});

test('49-3 the name of a rule is its set and its id', () => {
  expect(splitRuleName('projects/-/locations/-/ruleSets/default/rules/1:7')).toEqual({
    set: 'projects/-/locations/-/ruleSets/default',
    id: '1:7',
  });
  expect(splitRuleName('"><img src=x>')).toBeUndefined();
});

test('49-3 the number of rules says how many of all a search has found', () => {
  expect(foundText(56, undefined)).toBe('56 rules');
  expect(foundText(56, {rules: 1, hasMore: false})).toBe('1 of 56 rules');
  expect(foundText(50_000, {rules: 500, hasMore: true})).toBe('500+ of 50,000 rules');
});
