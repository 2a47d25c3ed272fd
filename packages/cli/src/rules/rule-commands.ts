// SPDX-License-Identifier: Apache-2.0
/** `palisade rules …`: names, flags, help. What runs them is loaded when it is asked for. */
import {type Command, folderCommand} from '../command-line/command.ts';
import {checkFlags, explainFlags, listFlags, switchFlags, testFlags, updateFlags} from './rule-flags.ts';

const FILES_COMPLETED = 32;

type Switch = {readonly action: 'enable' | 'disable' | 'reset'; readonly summary: string; readonly note: string};

const switching = ({action, summary, note}: Switch): Command => ({
  name: `rules ${action}`,
  group: 'ids',
  words: ['rule'],
  summary,
  usage: '(SID | GID:SID)… [--set NAME] [--json]',
  notes: [
    note,
    'It acts on all endpoints of the rule set, without losing packets, and stays over restarts of the server. The exit code is 1 if the',
    'set is refused (then nothing changed) or an endpoint does not have the rules yet. It needs a permission in all projects.',
  ],
  options: switchFlags,
  examples: [`palisade rules ${action} 2019401`, `palisade rules ${action} 1:9000206 1:9000106 --set dmz --json`],
  run: async (words, io) => (await import('./switch-rules.ts')).runSwitch(action, words, io),
});

export const ruleCommands: readonly Command[] = [
  folderCommand({
    name: 'rules',
    group: 'ids',
    summary: 'list, check, switch, update, explain and test detection rules',
    examples: ['palisade rules list --failed', 'palisade rules check site.rules'],
  }),
  {
    name: 'rules list',
    group: 'ids',
    summary: 'list the rules of a server, active or not, and its rule sets',
    usage: '[--set NAME | --sets] [--failed] [--filter F] [--search TEXT] [--json]',
    notes: [
      'STATE is ACTIVE, REFUSED (not valid), SKIPPED (its own "requires" are not met) or DISABLED (by a comment or a list).',
      'JSON: one rule a line, with its text; with --sets one rule set a line.',
    ],
    options: listFlags,
    examples: [
      'palisade rules list --sets',
      'palisade rules list --failed',
      'palisade rules list --search log4shell --json',
      'palisade rules list --filter severity>=HIGH --set default',
    ],
    run: async (words, io) => (await import('./list-rules.ts')).runList(words, io),
  },
  {
    name: 'rules check',
    group: 'ids',
    words: Array.from({length: FILES_COMPLETED}, () => 'file' as const),
    summary: 'verify rule files with the Suricata of this machine',
    usage: 'FILE… [--var NAME=VALUE] [--disable-sid MATCH] [--json]',
    notes: [
      'No server is asked. Verdicts and messages are those of palisade serve with the same flags. FILE is what serve takes for',
      '--rules. The exit code is 1 if a rule is refused.',
    ],
    options: checkFlags,
    examples: [
      'palisade rules check site.rules',
      'palisade rules check /var/lib/suricata/rules/suricata.rules --disable-sid 2019401',
      'palisade rules check site.rules --var DNS_SERVERS=10.0.0.53 --json',
    ],
    run: async (words, io) => (await import('./check-files.ts')).runCheck(words, io),
  },
  {
    name: 'rules update',
    group: 'ids',
    summary: 'read the sources of rule sets again and reload the sensors',
    usage: '[--set NAME] [--json]',
    notes: [
      'The server downloads or reads the sources, verifies the rules and reloads every Suricata of the set without losing packets.',
      'Each endpoint is listed with the number of rules that its Suricata reports. A refused set keeps its previous version. The exit',
      'code is 1 if a set is refused or an endpoint does not have the new rules. It needs a permission in all projects.',
    ],
    options: updateFlags,
    examples: ['palisade rules update', 'palisade rules update --set dmz --json'],
    run: async (words, io) => (await import('./update-rules.ts')).runUpdate(words, io),
  },
  switching({
    action: 'disable',
    summary: 'turn rules of a running server off',
    note: 'The rules no longer raise alerts, whatever the lists of the configuration say; palisade rules reset takes it back.',
  }),
  switching({
    action: 'enable',
    summary: 'turn rules of a running server on',
    note: 'Also rules that a comment of their file or a list of the configuration turns off.',
  }),
  switching({
    action: 'reset',
    summary: 'leave rules to the configuration again',
    note: 'What rules enable and rules disable did is taken back: files and configuration decide.',
  }),
  {
    name: 'rules explain',
    group: 'ids',
    words: ['rule'],
    summary: 'show a rule with severity, references and where it is active',
    usage: '(SID | GID:SID) [--set NAME] [--json]',
    notes: [
      'Refused, skipped and disabled rules are explained, too. The ID is the threat ID of the alerts of the rule.',
    ],
    options: explainFlags,
    examples: ['palisade rules explain 2019401', 'palisade rules explain 1:9000101 --json'],
    run: async (words, io) => (await import('./explain-rule.ts')).runExplain(words, io),
  },
  {
    name: 'rules test',
    group: 'ids',
    words: ['rule'],
    summary: 'run one rule on a capture file with the Suricata of this machine',
    usage: '(SID | GID:SID) --pcap FILE [--rules FILE…] [--set NAME] [--json]',
    notes: [
      'The rule is that of the server, or of --rules; then no server is asked. Rules that set its flowbits are loaded with it. The exit',
      'code is 0 if the rule raised an alert, and 1 if it did not: then what the capture holds is printed.',
    ],
    options: testFlags,
    examples: [
      'palisade rules test 9000101 --pcap attack.pcap',
      'palisade rules test 1000001 --pcap dns.pcap --rules site.rules --json',
    ],
    run: async (words, io) => (await import('./try-rule.ts')).runTest(words, io),
  },
];
