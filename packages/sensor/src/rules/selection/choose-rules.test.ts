// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import type {LoadedFile} from '../source/rule-file.ts';
import {plainSource, type RuleSource} from '../sources.ts';
import {chooseRules} from './choose-rules.ts';

const rule = (sid: number, more = ''): string => `alert tcp any any -> any any (msg:"r${sid}"; ${more} sid:${sid};)`;
const fileOf = (path: string, ...lines: readonly string[]): LoadedFile => ({
  ...{source: `/rules/${path}`, path, text: lines.join('\n'), encoding: 'utf8', sourceIndex: 0},
  beside: async () => 'nothing here',
});
const DNS = fileOf('emerging-dns.rules', rule(1), `#${rule(2)}`, `# ${rule(3)}`, '# a note (sid:9;)', rule(4));
const WEB = fileOf('sub/web.rules', `${rule(5)} `, rule(6).replace('sid', 'gid:3; sid'));
const setOf = (sources: readonly RuleSource[]) => ({name: 'default', sources});
const choose = (lists: Partial<RuleSource>, files = [DNS, WEB]) => {
  const {rules, disabled, warnings} = chooseRules(files, setOf([{...plainSource('/rules'), ...lists}]));
  const sids = rules.map(({text}) => Number(/sid:(\d+)/.exec(text)?.[1]));
  return {sids, disabled, warnings, texts: rules.map(({text}) => text), numbers: rules.map(({number}) => number)};
};

test('43-2 without lists the rules are those of the files, in order', () => {
  expect(choose({})).toMatchObject({sids: [1, 4, 5, 6], disabled: 0, warnings: [], numbers: [1, 2, 1, 2]});
});

test.each<[string, Partial<RuleSource>, readonly number[], number]>([
  ['a sid', {disable: ['1']}, [4, 5, 6], 1],
  ['a sid is of gid 1', {disable: ['3:6', '1:5']}, [1, 4], 2],
  ['several with commas', {disable: ['1, 4,3:6']}, [5], 3],
  ['a file', {disable: ['group:emerging-dns.rules']}, [5, 6], 2],
  ['a file without its end, with *', {disable: ['group:*-dns']}, [5, 6], 2],
  ['a file in a folder', {disable: ['group:web']}, [1, 4], 2],
  ['an expression, without case', {disable: ['re:MSG:"R[45]"']}, [1, 6], 2],
  ['rules that are comments', {enable: ['2', '1:3']}, [1, 2, 3, 4, 5, 6], 0],
  ['a rule that both lists match', {disable: ['re:.'], enable: ['4']}, [4], 3],
  ['all of a file', {enable: ['group:emerging-dns'], disable: ['group:web']}, [1, 2, 3, 4], 2],
])('43-2 lists name rules as those of suricata-update: %s', (_, lists, sids, disabled) => {
  expect(choose(lists)).toMatchObject({sids, disabled, warnings: []});
});

test('49-3 what users turned on and off goes before the lists and comments, and is no word that has to match', () => {
  const lists = {disable: ['1', '5'], enable: ['2']};
  const switched = {enable: ['1:5', '1:3'], disable: ['1:2', '1:4', '1:77']};
  expect(choose({...lists, switched})).toMatchObject({sids: [3, 5, 6], disabled: 2, warnings: []});
  expect(choose({switched: {enable: [], disable: ['1:6', '3:6']}})).toMatchObject({sids: [1, 4, 5], disabled: 1});
});

test('43-2 a word that matches nothing is a warning that names it, once for all sources', () => {
  const sources = [plainSource('/a'), plainSource('/b')].map(source => ({
    ...source,
    flags: {disable: ['1', '77'], enable: ['1:78']},
  }));
  const {warnings} = chooseRules([DNS, {...WEB, sourceIndex: 1}], setOf(sources));
  expect(warnings).toEqual(['--disable-sid 77: matches no rule', '--enable-sid 1:78: matches no rule']);
});

test('43-2 a word of a source that matches nothing names its set and source', () => {
  expect(choose({disable: ['group:nope.rules', '1']}).warnings).toEqual([
    'disable group:nope.rules of rule set "default", source /rules: matches no rule',
  ]);
});

test('43-2 an indented rule is named with its id', () => {
  const file = fileOf('a.rules', rule(1), ` ${rule(2)}`);
  expect(chooseRules([file], setOf([plainSource('/r')])).indented).toEqual([
    {file: '/rules/a.rules', line: 2, id: '1:2'},
  ]);
});

test('43-2 changes replace all that they find in the active rules they name, with groups as Python writes them', () => {
  const modify = [
    {match: '1', from: 'any (any)', to: String.raw`$HOME_NET \1`},
    {match: 'group:web', from: '"r(\\d)"', to: String.raw`"x\g<1>$1"`},
    {match: '2', from: 'alert', to: 'drop'},
  ];
  const {texts, warnings} = choose({modify});
  expect(texts[0]).toBe('alert tcp $HOME_NET any -> $HOME_NET any (msg:"r1";  sid:1;)');
  expect(texts[2]).toContain('msg:"x5$1"');
  expect(warnings).toEqual(['modify 2: matches no active rule']);
});

test('43-2 a change that makes two lines of a rule, or a rule that runs code, leaves it out with the reason', () => {
  const of = (to: string) => {
    const {rules} = chooseRules([WEB], setOf([{...plainSource('/r'), modify: [{match: '5', from: 'sid:5', to}]}]));
    return rules[0]?.fault;
  };
  expect(of('\nalert')).toBe('a change of the rule puts a line end into it');
  expect(of('lua:x.lua; sid:5')).toMatch(/^"lua" runs code/);
});

test('43-2 rules that are off stay without alerts when active ones test their flowbits, over several steps', () => {
  const file = fileOf(
    'bits.rules',
    rule(1, 'flowbits:isset,b;'),
    rule(2, 'flowbits:isset,a; flowbits:set,b;'),
    rule(3, 'flowbits:set,a; flowbits:noalert;'),
    rule(4, 'flowbits:set,other;'),
    `#${rule(5, 'flowbits:isset,c;')}`,
    `#${rule(6, 'flowbits:set,c;')}`,
    `#${rule(7, 'flowbits:set,b;')}`,
  );
  const {sids, texts, disabled, warnings} = choose({disable: ['2,3,4'], enable: ['5']}, [file]);
  expect(sids).toEqual([1, 2, 3, 5, 6]);
  expect(texts.map(text => /noalert;\)?$/.test(text))).toEqual([false, true, false, false, true]);
  expect(disabled).toBe(1);
  expect(warnings).toEqual([
    '3 rules that are off stay active without alerts, because other rules test flowbits of it: 1:2, 1:3, 1:6',
  ]);
});

test('43-2 every word that is not valid is named at once', () => {
  const lists = {disable: ['x'], enable: ['re:('], modify: [{match: '1.5', from: '[', to: ''}]};
  expect(() => choose(lists)).toThrow(
    expect.objectContaining({
      code: 'rule-settings',
      message: expect.stringMatching(
        /^modify \[: not a regular .*; modify 1\.5: must be SID.*; --disable-sid x: must be SID, GID:SID, group:FILE or re:EXPRESSION; --enable-sid re:\(: not a /,
      ),
    }),
  );
});
