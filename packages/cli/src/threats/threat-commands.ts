// SPDX-License-Identifier: Apache-2.0
/** `palisade threats COMMAND`: names, flags, help. What runs them is loaded when it is asked for. */
import type {Command} from '../command-line/command.ts';
import {showFlags} from './threat-flags.ts';

export const threatCommands: readonly Command[] = [
  {
    name: 'threats show',
    group: 'ids',
    summary: 'show a threat with its evidence and its rule, or write its packets',
    usage: 'ID [--endpoint NAME] [--pcap FILE] [--json]',
    notes: [
      'ID is printed by palisade threats: the column ID, "id" with --json. Evidence is the packet, payload and protocol fields of the',
      'first alert; it needs a permission of its own. FILE has the packets of the flow with palisade serve --evidence pcap, else those',
      'of the alert. With --pcap - the packets go to stdout, and the report is left out.',
    ],
    options: showFlags,
    examples: [
      'palisade threats show 644a1b2c3d4e5-3f2a9c11-00004932',
      'palisade threats show 644a1b2c3d4e5-3f2a9c11-00004932 --pcap alert.pcap',
      'palisade threats show 644a1b2c3d4e5-3f2a9c11-00004932 --pcap - | tcpdump -r -',
      'palisade threats show 644a1b2c3d4e5-3f2a9c11-00004932 --endpoint guard --json',
    ],
    run: async (words, io) => (await import('./show-threat.ts')).runShow(words, io),
  },
];
