// SPDX-License-Identifier: Apache-2.0
/** Files of rules: rules, archives of them, thresholds, classifications, includes and variables. */
import {gzipSync} from 'node:zlib';
import {
  forbiddenIn,
  parseOptions,
  severityGrounds,
  splitRules,
  toSignature,
} from '../../../packages/sensor/src/rules/parse-rule.ts';
import {parseInclude, sectionFaults} from '../../../packages/sensor/src/rules/settings/include.ts';
import {usedVariables} from '../../../packages/sensor/src/rules/settings/rule-header.ts';
import {thresholdLines} from '../../../packages/sensor/src/rules/settings/thresholds.ts';
import {groupVariables, missingVariables} from '../../../packages/sensor/src/rules/settings/variables.ts';
import {ArchiveFault, unpack} from '../../../packages/sensor/src/rules/source/archive.ts';
import {filesNamedIn, withValues} from '../../../packages/sensor/src/rules/source/side-files.ts';
import {parseClassifications} from '../../../packages/sensor/src/suricata/classifications.ts';
import {claim, target} from '../frame/target.ts';

const RULES = `# a comment
alert http $HOME_NET any -> any $HTTP_PORTS (msg:"x \\"y\\"; z"; content:"a|3b|b"; classtype:attempted-recon; reference:cve,2021-44228; reference:url,example.com/a; metadata:signature_severity Major, mitre_tactic_id TA0001, mitre_tactic_name Initial_Access; sid:9000001; rev:2;)
alert tcp any any -> any any (msg:"continued"; \\
  dataset:isset,names,type string,load names.lst; pcre:"/a(b|c)\\/d/i"; sid:9000002;)
  drop udp [10.0.0.0/8,!10.1.0.0/16] any <> any 53 (sid:3;)
alert ip any any -> any any (lua:x.lua; filestore; sid:4;)
`;
const inTar = (name: string, content: string): Buffer => {
  const header = Buffer.alloc(512);
  header.write(name, 0);
  header.write('0000644\0', 100);
  header.write('0000000\0', 108);
  header.write('0000000\0', 116);
  header.write(`${content.length.toString(8).padStart(11, '0')}\0`, 124);
  header.write('00000000000\0', 136);
  header.write('        ', 148);
  header.write('0', 156);
  header.write('ustar\x0000', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return Buffer.concat([
    header,
    Buffer.from(content),
    Buffer.alloc((512 - (content.length % 512)) % 512),
    Buffer.alloc(1024),
  ]);
};
const ZIP = Buffer.from(
  'UEsDBBQAAAAAAAAAIQBGxoHPBgAAAAYAAAAHAAAAYS5ydWxlc2hlbGxvClBLAQIUAxQAAAAAAAAAIQBGxoHPBgAAAAYAAAAHAAAAAAAAAAAAAACkgQAAAABhLnJ1bGVzUEsFBgAAAAABAAEANQAAACsAAAAAAA==',
  'base64',
);
const tar = inTar('rules/a.rules', RULES);

export const ruleTargets = [
  target({
    name: 'rules',
    form: 'text',
    seeds: [RULES, 'alert', 'alert tcp any any -> any any (', ')(', '\\'],
    words: [
      'alert ',
      '(',
      ')',
      ';',
      ':',
      '\\',
      '\\\n',
      '"',
      'sid:',
      'metadata:',
      'reference:',
      '$HOME_NET',
      'dataset:',
      'load ',
      'content:',
      '!',
      '|',
      ',',
    ],
    decode: input => {
      const indented: number[] = [];
      const rules = splitRules(input.toString(), line => indented.push(line));
      return rules.map(({line, text}) => {
        claim(withValues(text, () => undefined) === text, 'a rule changes when nothing is to be changed');
        return {
          line,
          signature: toSignature(text),
          forbidden: forbiddenIn(text),
          variables: usedVariables(text),
          files: filesNamedIn(text),
          grounds: severityGrounds(parseOptions(text)),
        };
      });
    },
  }),
  target({
    name: 'rule-archive',
    form: 'bytes',
    refusals: [ArchiveFault],
    seeds: [
      tar,
      gzipSync(tar),
      gzipSync(Buffer.from(RULES)),
      ZIP,
      Buffer.from(RULES),
      inTar('../../etc/x', 'y'),
      gzipSync(Buffer.alloc(100_000)),
    ],
    decode: async input => {
      const unpacked = await unpack(input);
      if (Buffer.isBuffer(unpacked)) return unpacked.length;
      for (const name of unpacked.keys())
        claim(!name.split('/').includes('..') && !name.startsWith('/'), `the file ${name} leads out`);
      return [...unpacked].map(([name, bytes]) => [name, bytes.length]);
    },
  }),
  target({
    name: 'thresholds',
    form: 'text',
    seeds: [
      'threshold gen_id 1, sig_id 2, type limit, track by_src, count 1, seconds 60\nsuppress gen_id 1, sig_id 3, track by_src, ip 10.0.0.0/8\n# x\nrate_filter gen_id 1, \\\n sig_id 1, track by_rule, count 1, seconds 1, new_action drop, timeout 1\n',
    ],
    words: [',', '\\\n', 'suppress ', 'gen_id ', 'sig_id ', 'track by_src', '$HOME_NET'],
    decode: input => thresholdLines('t', input.toString()),
  }),
  target({
    name: 'classification',
    form: 'text',
    seeds: [
      'config classification: mine,My own class,2\n# x\n config classification: a , b , 255 \nconfig classification: bad,,1\n',
    ],
    words: ['config classification: ', ',', '\n', '256'],
    decode: input => parseClassifications([input.toString()]),
  }),
  target({
    name: 'suricata-include',
    form: 'yaml',
    bytesMax: 3_000, // as for kubeconfig
    seeds: [
      '%YAML 1.1\n---\nflow:\n  memcap: 64mb\n  hash-size: 1\n',
      'stream: {memcap: 1}\ninclude: x.yaml\n',
      'a: !include b\n',
      'a: &x {b: *x}\n',
      'app-layer:\n  protocols:\n    tls: {enabled: yes}\n',
    ],
    words: ['&a ', '*a', '<<: ', '!include ', '---\n', 'include:', '? ', '- '],
    decode: input => {
      const {sections, faults} = parseInclude(input.toString());
      return faults.length > 0 ? {faults} : {sections, faults: sectionFaults(sections)};
    },
  }),
  target({
    name: 'rule-variables',
    form: 'json',
    refusals: [SyntaxError],
    seeds: [
      '{"MY_NET":"[10.0.0.0/8,!10.1.0.0/16]","WEB":"[80,443,1024:2048]","ALL":"any","REF":"$MY_NET","HOME_NET":"x"}',
      '{"A":"$B","B":"$A"}',
      '{"X":"[[[1.2.3.4]]]"}',
    ],
    words: ['[', ']', '!', ',', ':', '$', 'any', '/33'],
    decode: input => {
      const given = Object.entries(Object(JSON.parse(input.toString())) as object).filter(
        (entry): entry is [string, string] => typeof entry[1] === 'string',
      );
      const {groups, faults} = groupVariables(Object.fromEntries(given), [{name: 'MY_NET', group: 'address'}]);
      return {groups, faults, missing: missingVariables([{name: 'OTHER', group: 'port'}], groups)};
    },
  }),
];
