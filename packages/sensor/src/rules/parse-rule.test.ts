// SPDX-License-Identifier: Apache-2.0
import {describe, expect, test} from 'vitest';
import {forbiddenIn, parseOptions, splitRules, toSignature} from './parse-rule.ts';

const rule = (options: string): string => `alert tcp $HOME_NET any -> any [80,443] (${options})`;

describe('splitRules', () => {
  test('what Suricata skips is no rule: lines that begin with a space or a tab; a no-break space is part of one', () => {
    expect(
      splitRules(' alert a (sid:1;)\n\talert b (sid:2;)\n\t\nalert c (sid:3;) \t\nalert d (sid:4;)\u00a0\n;\n'),
    ).toEqual([
      {line: 4, text: 'alert c (sid:3;)'},
      {line: 5, text: 'alert d (sid:4;)\u00a0'},
      {line: 6, text: ';'},
    ]);
  });

  test('comments and blank lines go, continued lines are joined, the line is the first one', () => {
    const file = [
      '# note',
      '',
      'alert a (sid:1;)',
      'alert b (msg:"x"; \\',
      '   sid:2;)',
      '#alert c (sid:3;)',
      'alert d (sid:4;)\r',
    ].join('\n');
    expect(splitRules(file)).toEqual([
      {line: 3, text: 'alert a (sid:1;)'},
      {line: 4, text: 'alert b (msg:"x";    sid:2;)'},
      {line: 7, text: 'alert d (sid:4;)'},
    ]);
  });

  test('F-07 a rule that a backslash at the end of the file continues is not lost', () => {
    expect(splitRules('alert a (sid:1;)\nalert b \\\n (sid:2;) \\')).toEqual([
      {line: 1, text: 'alert a (sid:1;)'},
      {line: 2, text: 'alert b  (sid:2;)'},
    ]);
  });
});

describe('parseOptions', () => {
  test('escaped semicolons, quotes and colons stay in the value; brackets in it end nothing', () => {
    expect(parseOptions(rule('msg:"a \\; b \\"c\\" (d)"; content:"x|3a|y"; nocase; sid:5;'))).toEqual([
      {name: 'msg', value: '"a \\; b \\"c\\" (d)"'},
      {name: 'content', value: '"x|3a|y"'},
      {name: 'nocase', value: undefined},
      {name: 'sid', value: '5'},
    ]);
  });
});

describe('toSignature', () => {
  test('I-117 takes id, name, severity, category, type, CVEs and references from the rule', () => {
    const text = rule(
      'msg:"Name \\; with \\"marks\\""; reference:cve,2014-6271; reference:url,example.org/a,b; reference:cve,CVE-2014-7169; ' +
        'classtype:trojan-activity; sid:10; gid:3; rev:4; metadata:affected Any, signature_severity Minor, cve CVE_2020_0001;',
    );
    expect(toSignature(text)).toEqual({
      id: '3:10',
      rev: 4,
      name: 'Name ; with "marks"',
      severity: 'LOW',
      priority: 1,
      category: 'trojan-activity',
      type: 'spyware',
      cves: ['CVE-2014-6271', 'CVE-2014-7169', 'CVE-2020-0001'],
      references: ['url,example.org/a,b'],
      mitreTactics: [],
      mitreTechniques: [],
    });
  });

  test('43-2 tactics and techniques of MITRE ATT&CK are kept, as Emerging Threats writes them, once each', () => {
    const text = rule(
      'sid:1; metadata:mitre_tactic_id TA0001, mitre_tactic_name Initial_Access, mitre_technique_id T1190, ' +
        'mitre_technique_name Exploit_Public_Facing_Application; metadata:mitre_technique_id t1059.001, ' +
        'mitre_technique_id T1190, mitre_technique_id no_id;',
    );
    expect(toSignature(text)).toMatchObject({
      mitreTactics: [{id: 'TA0001', name: 'Initial Access'}],
      mitreTechniques: [
        {id: 'T1190', name: 'Exploit Public Facing Application'},
        {id: 'T1059.001', name: ''},
      ],
    });
  });

  test.each([
    ['classtype:attempted-recon; sid:1;', 'MEDIUM'],
    ['classtype:attempted-recon; priority:1; sid:1;', 'HIGH'],
    ['classtype:never-heard-of; sid:1;', 'LOW'],
    ['sid:1;', 'LOW'],
  ])('I-117 without signature_severity the priority decides, own before classtype: %s', (options, severity) => {
    expect(toSignature(rule(options))?.severity).toBe(severity);
  });

  test('keywords in capitals count, as for Suricata', () => {
    expect(toSignature(rule('MSG:"Name"; SID:7; Gid:3;'))).toMatchObject({id: '3:7', name: 'Name'});
  });

  test('a rule without sid is none', () => {
    expect(toSignature(rule('msg:"x";'))).toBeUndefined();
  });
});

test.each([
  ['filestore; sid:1;', /filestore/],
  ['lua:a.lua; sid:1;', /lua/],
  ['LUA:a.lua; FileStore; sid:1;', /lua/],
  ['FileStore; sid:1;', /filestore/],
  ['DATASET:isset,x,type string,save x; sid:1;', /dataset/],
  ['dataset:isset,x,type string,save /tmp/x; sid:1;', /dataset/],
  ['dataset:isset,x,type string,state /tmp/x; sid:1;', /dataset/],
])('%s is refused', (options, words) => {
  expect(forbiddenIn(rule(options))).toMatch(words);
});

test.each([
  'msg:"filestore"; content:"lua"; sid:1;',
  'dataset:isset,x,type string,load x.lst; sid:1;',
  'flowbits:set,a; sid:1;',
])('%s is allowed', options => {
  expect(forbiddenIn(rule(options))).toBeUndefined();
});
