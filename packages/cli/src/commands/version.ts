// SPDX-License-Identifier: Apache-2.0
import type {Command} from '../command-line/command.ts';
import {EXIT} from '../command-line/io.ts';
import {parseOptions} from '../command-line/options.ts';
import {VERSION} from '../version.ts';

const options = {json: {type: 'boolean', doc: 'print JSON'}} as const;

export const version: Command = {
  name: 'version',
  group: 'other',
  summary: 'print the version of palisade and of its Node.js',
  usage: '[--json]',
  options,
  examples: ['palisade version', 'palisade version --json'],
  run: async (words, io) => {
    const parsed = parseOptions(words, options).options;
    const data = {palisade: VERSION, node: process.version};
    io.stdout.write(parsed.json ? `${JSON.stringify(data)}\n` : `palisade ${data.palisade} (Node ${data.node})\n`);
    return EXIT.ok;
  },
};
