// SPDX-License-Identifier: Apache-2.0
import {mkdirSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterEach, beforeEach, expect, test} from 'vitest';
import {parse} from 'yaml';
import {type ConfigInput, renderConfig} from '../../suricata/config.ts';
import {parseInclude, readIncludes, sectionFaults} from './include.ts';

let place = '';
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'palisade-include-'));
});
afterEach(() => rmSync(place, {recursive: true}));
const file = (name: string, text: string): string => {
  writeFileSync(join(place, name), text);
  return join(place, name);
};
const INPUT: ConfigInput = {ruleFiles: ['a.rules'], patternMatcher: 'ac-ks', homeNet: 'any', decodeVxlan: false};

test('43-2 sections are merged over ours at every depth; all else stays, and words stay words', async () => {
  const first = file(
    'a.yaml',
    '%YAML 1.1\n---\nflow: {memcap: 1gb}\nstream:\n  reassembly: {depth: 2mb}\n  midstream: yes\n',
  );
  const second = file('b.yaml', 'flow:\n  hash-size: 0800\nhost-os-policy: {linux: [10.0.0.0/8]}\n');
  const {included, faults} = await readIncludes([first, second]);
  expect(faults).toEqual([]);
  const [plain, merged] = [INPUT, {...INPUT, sections: included.sections}]
    .map(renderConfig)
    .map(text => parse(text.replace(/^%YAML 1.1\n---\n/, ''), {schema: 'failsafe'}));
  expect(merged).toEqual({
    ...plain,
    flow: {...plain.flow, memcap: '1gb', 'hash-size': '0800'},
    stream: {...plain.stream, midstream: 'yes', reassembly: {...plain.stream.reassembly, depth: '2mb'}},
    'host-os-policy': {...plain['host-os-policy'], linux: ['10.0.0.0/8']},
  });
  expect(renderConfig({...INPUT, sections: included.sections})).toMatch(/^%YAML 1\.1\n---\n/);
});

test('43-2 what palisade owns is refused by name with the way out, and so is what it does not know', () => {
  const text =
    'outputs: []\nvars: {}\ndecoder: {vxlan: {enabled: no}, mpls: {}}\nrule-files: [x]\nfrobnicate: 1\nflow: {}\nsecurity: {lua: {}}\n';
  const {sections} = parseInclude(text);
  expect(sectionFaults(sections)).toEqual([
    expect.stringMatching(/^outputs cannot be included: palisade reads alerts/),
    expect.stringMatching(/^security cannot be included: /),
    expect.stringMatching(/^decoder\.vxlan cannot be included: /),
    'vars cannot be included: set variables with --var NAME=VALUE, and your networks with --home-net',
    'rule-files cannot be included: palisade places rules and their files; use --rules',
    expect.stringMatching(/^frobnicate cannot be included; sections that can: app-layer, .* vlan$/),
  ]);
});

test.each([
  ['flow: [', /^not YAML: /],
  ['- a\n', /^must be sections of suricata.yaml/],
  ['a: 1\n---\nb: 2\n', /^holds more than one YAML document$/],
  ['flow: !include other.yaml\n', /^the tag !include is not allowed: give each file to --suricata-include$/],
  ['decoder:\n  include: other.yaml\n', /^the key include is not allowed: give each file to --suricata-include$/],
  ['flow: {memcap: 1}\nflow: {memcap: 2}\n', /^not YAML: /],
])('43-2 %j is no include', (text, fault) => {
  expect(parseInclude(text).faults).toEqual([expect.stringMatching(fault)]);
});

test('43-2 a name that JavaScript knows is a name like others', () => {
  const {sections} = parseInclude('app-layer:\n  __proto__: {polluted: yes}\n');
  renderConfig({...INPUT, sections});
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
});

test('43-2 lists of reputations next to the file become files of the set, and missing or foreign ones are named', async () => {
  mkdirSync(join(place, 'lists'));
  file('cat.txt', '1,BadHosts,bad\n');
  file('lists/bad.list', '10.0.0.1,1,127\n');
  const good = file('a.yaml', 'reputation-categories-file: cat.txt\nreputation-files:\n  - lists/bad.list\n');
  const {included, faults} = await readIncludes([good]);
  expect([faults, [...included.side.keys()]]).toEqual([[], ['iprep-categories.txt', 'iprep-0.list']]);
  expect(included.sections).toEqual({
    'default-reputation-path': '/proc/self/cwd',
    'reputation-categories-file': '/proc/self/cwd/iprep-categories.txt',
    'reputation-files': ['iprep-0.list'],
  });
  const below = file('c.yaml', 'default-reputation-path: lists\nreputation-files: [bad.list]\n');
  expect((await readIncludes([below])).faults).toEqual([]);
  const bad = file('b.yaml', 'reputation-files: [no.list, /etc/passwd, ../x]\n');
  expect((await readIncludes([bad, join(place, 'none.yaml')])).faults).toEqual([
    `${bad}: it names the file "no.list": there is no such file next to the one that names it`,
    expect.stringContaining('"/etc/passwd": it is outside of the folder'),
    expect.stringContaining('"../x": it is outside of the folder'),
    `${join(place, 'none.yaml')}: no such file`,
  ]);
});

test('48-6 a file that is nested too deeply is refused in words of ours', () => {
  expect(parseInclude(`a: ${'['.repeat(8_000)}`)).toEqual({sections: {}, faults: ['is nested too deeply']});
});
