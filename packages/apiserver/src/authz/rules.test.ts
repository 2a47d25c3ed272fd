// SPDX-License-Identifier: Apache-2.0
import {describe, expect, test} from 'vitest';
import type {Attributes, PolicyRule} from './authorizer.ts';
import {compactRules, RULE_PARTS_MAX, RulePartsError, ruleAllows, ruleText, uncovered} from './rules.ts';

const asked = (text: string): Attributes => {
  const [verb = '', what = '', name = ''] = text.split(' ');
  const base = {user: {name: 'u', groups: []}, verb, version: 'v1', namespace: '', name, path: what};
  if (what.startsWith('/')) return {...base, resourceRequest: false, group: '', resource: '', subresource: ''};
  const [resource = '', subresource = ''] = what.split('/');
  const [plain = '', group = ''] = resource.split('@');
  return {...base, resourceRequest: true, group, resource: plain, subresource};
};

const rule = (verbs: string, groups: string, resources: string, names = ''): PolicyRule => ({
  verbs: verbs.split(' '),
  apiGroups: groups.split(' '),
  resources: resources.split(' '),
  ...(names === '' ? {} : {resourceNames: names.split(' ')}),
});
const paths = (verbs: string, urls: string): PolicyRule => ({
  verbs: verbs.split(' '),
  nonResourceURLs: urls.split(' '),
});

describe('what a rule allows', () => {
  test.each<[PolicyRule, string, boolean]>([
    [rule('get list', '', 'pods'), 'get pods', true],
    [rule('get list', '', 'pods'), 'watch pods', false],
    [rule('get', '', 'pods'), 'get pods/log', false],
    [rule('get', '', 'pods/log'), 'get pods/log', true],
    [rule('get', '', 'pods/log'), 'get pods', false],
    [rule('get', '', '*/log'), 'get pods/log', true],
    [rule('get', '', '*/log'), 'get pods', false],
    [rule('get', '', '*/log'), 'get pods/logs', false],
    [rule('get', '', '*'), 'get pods/log', true],
    [rule('get', '', 'pods'), 'get pods@apps', false],
    [rule('get', '*', 'pods'), 'get pods@apps', true],
    [rule('*', '*', '*'), 'impersonate users x', true],
    [rule('*', '*', '*'), 'get /healthz', false],
    [rule('get', '', 'pods', 'a b'), 'get pods a', true],
    [rule('get', '', 'pods', 'a b'), 'get pods c', false],
    [rule('list', '', 'pods', 'a'), 'list pods', false],
    [paths('get', '/healthz'), 'get /healthz', true],
    [paths('get', '/healthz'), 'get /healthz/x', false],
    [paths('get', '/healthz/*'), 'get /healthz/x', true],
    [paths('get', '/healthz/*'), 'get /healthz', false],
    [paths('get', '*'), 'get /anything', true],
    [paths('get', '*'), 'get pods', false],
    [paths('*', '/a*'), 'post /abc', true],
    [{verbs: [], apiGroups: ['*'], resources: ['*']}, 'get pods', false],
  ])('%j, asked %s: %s', (one, text, allowed) => {
    expect(ruleAllows(one, asked(text))).toBe(allowed);
  });
});

test('the stars at the end of a path are taken off in one pass, however many', () => {
  const stars = '*'.repeat(200_000);
  expect(ruleAllows(paths('get', `/a/${stars}b*`), asked('get /a/b'))).toBe(false);
  expect(ruleAllows(paths('get', `/a/${stars}`), asked('get /a/b'))).toBe(true);
});

describe('what rules cover', () => {
  test.each<[string, readonly PolicyRule[], readonly PolicyRule[], string[]]>([
    ['the same', [rule('get', '', 'pods')], [rule('get', '', 'pods')], []],
    ['the same, that nobody can ask for', [rule('get', '', 'pods/ /')], [rule('get', '', 'pods/ /')], []],
    ['an empty subresource, by any', [rule('get', '', '*/')], [rule('get', '', 'pods/')], []],
    ['two halves', [rule('get', '', 'pods'), rule('list', '', 'pods')], [rule('get list', '', 'pods')], []],
    ['stars', [rule('*', '*', '*')], [rule('get', 'a b', 'c d/e', 'n')], []],
    ['a star is more than a list', [rule('get list', '', 'pods')], [rule('*', '', 'pods')], ['* pods']],
    ['a subresource of any', [rule('get', '', '*/scale')], [rule('get', '', 'rs/scale')], []],
    ['not the resource itself', [rule('get', '', '*/scale')], [rule('get', '', 'rs')], ['get rs']],
    ['names within names', [rule('get', '', 'p', 'a b')], [rule('get', '', 'p', 'a')], []],
    ['all is more than names', [rule('get', '', 'p', 'a')], [rule('get', '', 'p')], ['get p']],
    ['paths below', [paths('get', '/a/*')], [paths('get', '/a/b')], []],
    ['paths beside', [paths('get', '/a/*')], [paths('get', '/b')], ['get /b']],
    ['paths are no resources', [rule('*', '*', '*')], [paths('get', '/b')], ['get /b']],
    ['nothing', [], [rule('get', '', 'a b')], ['get a', 'get b']],
  ])('%s', (_, held, wanted, missing) => {
    const texts = uncovered(held, wanted).map(
      ({verbs, resources, nonResourceURLs}) => `${verbs[0]} ${resources?.[0] ?? nonResourceURLs?.[0]}`,
    );
    expect(texts).toEqual(missing);
  });

  test('what a rule covers it allows, over all small rules', () => {
    const verbs = ['get', 'list', '*'];
    const resources = ['a', 'a/s', '*/s', '*'];
    const names = ['', 'n'];
    const all = verbs.flatMap(verb => resources.flatMap(each => names.map(name => rule(verb, '', each, name))));
    const requests = ['get a', 'get a n', 'get a/s', 'list a m', 'list a/s n', 'list b/s', 'watch a n'].map(asked);
    let covered = 0;
    for (const held of all) {
      for (const wanted of all) {
        if (uncovered([held], [wanted]).length > 0) continue;
        covered++;
        for (const request of requests) {
          if (ruleAllows(wanted, request)) expect(ruleAllows(held, request)).toBe(true);
        }
      }
    }
    expect(covered).toBeGreaterThan(all.length);
  });
});

describe('rules that multiply to more than can be judged', () => {
  const many = (count: number, prefix: string) => Array.from({length: count}, (_, i) => `${prefix}${i}`).join(' ');
  const wide = Array.from({length: 1_000}, (_, i) => rule('get', '', `own${i}`));
  const cube = (n: number) => rule(many(n, 'v'), many(n, 'g'), many(n, 'r'));

  test('are refused, and nothing is taken apart', () => {
    expect(() => uncovered([], [cube(400)])).toThrow(RulePartsError);
    expect(() => uncovered([], [cube(400)])).toThrow(/64000000 combinations.*limit is 50000/);
    expect(uncovered([], [rule('get', '', many(RULE_PARTS_MAX, 'r'))])).toHaveLength(RULE_PARTS_MAX);
  });

  test('are held by who holds them as a whole, in one rule', () => {
    expect(uncovered([rule('*', '*', '*')], [cube(400)])).toEqual([]);
    expect(uncovered([cube(400)], [cube(400)])).toEqual([]);
    expect(() => uncovered([rule('*', '*', '*', 'one')], [cube(400)])).toThrow(RulePartsError);
    expect(uncovered([...wide, rule('*', '*', '*')], [rule('get', '', 'a', many(25_000, 'n'))])).toEqual([]);
  });

  test('are fewer where the user holds many rules, and as many values as they like in one', () => {
    expect(() => uncovered(wide, [rule('get', '', many(30_000, 'r'))])).toThrow(/too many rules to compare/);
    expect(() => uncovered(wide, [cube(36)])).toThrow(/too many rules to compare/); // 108 values, and 46,656 parts
    const named = Array.from({length: 200}, () => rule('*', '*', '*', 'x'));
    expect(() => uncovered(named, [rule('get', '', many(RULE_PARTS_MAX, 'r'))])).toThrow(/too many rules to compare/);
    const verbs = Array.from({length: 100}, () => rule('*', 'g', 'r'));
    expect(() => uncovered(verbs, [rule(many(RULE_PARTS_MAX, 'v'), 'h', 'r')])).toThrow(/too many rules to compare/);
    const [few, names] = [wide.slice(0, 100), many(5_000, 'n')];
    expect(uncovered(few, [rule('get', '', 'a/b', names)])).toHaveLength(5_000);
    expect(() => uncovered(few, [rule('get', '', `a/${'b'.repeat(16_000)}`, names)])).toThrow(
      /too many rules to compare/,
    );
    expect(uncovered([rule('get', '', many(200_000, 'a'))], [rule('get', '', `${many(30_000, 'a')} c`)])).toHaveLength(
      1,
    );
  });
});

test('missing parts are joined by resource, and read as the reference writes them', () => {
  const parts = uncovered([], [rule('get list', '', 'a'), rule('get', '', 'a', 'n'), paths('get', '/x')]);
  expect(compactRules(parts).map(ruleText).sort()).toEqual([
    '{APIGroups:[""], Resources:["a"], ResourceNames:["n"], Verbs:["get"]}',
    '{APIGroups:[""], Resources:["a"], Verbs:["get" "list"]}',
    '{NonResourceURLs:["/x"], Verbs:["get"]}',
  ]);
});
