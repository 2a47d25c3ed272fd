// SPDX-License-Identifier: Apache-2.0
/** `palisade threats ack | unack | escalate | deescalate | comment`: names, flags, help. What runs them is loaded when it is asked for. */
import type {Command} from '../command-line/command.ts';
import {decisionFlags} from './decision-flags.ts';

const ID_NOTE = 'ID is printed by palisade threats. Without --endpoint it is looked up in all endpoints.';
const USAGE =
  '(ID… | --filter F [--since T] [--until T] [--dry-run | --yes]) [--comment TEXT] [--endpoint NAME] [--json]';
const FILTER_NOTE =
  'With --filter the number of matching threats is printed and confirmed first; later threats are not included. "*" stands for all.';
const RIGHT_NOTE =
  'It needs the permission ids.threats.update. The exit code is 1 if a threat is refused; the others are changed.';

type Simple = {
  readonly name: string;
  readonly action: 'unacknowledge' | 'escalate' | 'deescalate';
  readonly summary: string;
};

const simple = ({name, action, summary}: Simple): Command => ({
  name: `threats ${name}`,
  group: 'ids',
  words: ['nothing'],
  summary,
  usage: USAGE,
  notes: [ID_NOTE, FILTER_NOTE, RIGHT_NOTE],
  options: decisionFlags,
  examples: [
    `palisade threats ${name} 644a1b2c3d4e5-3f2a9c11-00004932`,
    `palisade threats ${name} --filter "threat_id=1:2019401" --since 7d --dry-run`,
    `palisade threats ${name} 644a1b2c3d4e5-3f2a9c11-00004932 --endpoint guard --comment "see ticket 4711"`,
  ],
  run: async (words, io) => (await import('./decide.ts')).runDecision(action, words, io),
});

export const decisionCommands: readonly Command[] = [
  {
    name: 'threats ack',
    group: 'ids',
    words: ['nothing'],
    summary: 'acknowledge threats, by ID or all that match a filter',
    usage: USAGE,
    notes: [
      ID_NOTE,
      FILTER_NOTE,
      'Threats that are acknowledged already stay as they are, and --comment is added to the others only.',
      RIGHT_NOTE,
    ],
    options: decisionFlags,
    examples: [
      'palisade threats ack 644a1b2c3d4e5-3f2a9c11-00004932 --comment "our own scanner"',
      'palisade threats ack --filter "threat_id=1:2019401 AND source_ip_address=10.0.0.0/8" --endpoint guard',
      'palisade threats ack --filter "alert_severity<=LOW" --since 7d --dry-run',
      'palisade threats ack --filter "alert_severity<=LOW" --since 7d --yes --json',
    ],
    run: async (words, io) => (await import('./decide.ts')).runDecision('acknowledge', words, io),
  },
  simple({name: 'unack', action: 'unacknowledge', summary: 'take back that threats are acknowledged'}),
  simple({name: 'escalate', action: 'escalate', summary: 'mark threats as escalated'}),
  simple({name: 'deescalate', action: 'deescalate', summary: 'take back that threats are escalated'}),
  {
    name: 'threats comment',
    group: 'ids',
    words: ['nothing'],
    summary: 'add a comment to threats',
    usage: '(ID… | --filter F [--since T] [--until T] [--dry-run | --yes]) --comment TEXT [--endpoint NAME] [--json]',
    notes: [ID_NOTE, FILTER_NOTE, RIGHT_NOTE],
    options: decisionFlags,
    examples: ['palisade threats comment 644a1b2c3d4e5-3f2a9c11-00004932 --comment "asked the owner of 10.0.0.7"'],
    run: async (words, io) => (await import('./decide.ts')).runDecision('comment', words, io),
  },
];
