// SPDX-License-Identifier: Apache-2.0
import type {Command} from '../cli/command.ts';
import {EXIT} from '../cli/io.ts';
import {parseOptions} from '../cli/options.ts';
import {VERSION} from '../version.ts';

const options = {json: {type: 'boolean', doc: 'One JSON object instead of text.'}} as const;

export const version: Command = {
  name: 'version',
  summary: 'the version of palisade and of the Node it runs on',
  usage: 'palisade version [--json]',
  options,
  examples: ['palisade version', 'palisade version --json'],
  run: async (words, io) => {
    const parsed = parseOptions(words, options).options;
    const data = {palisade: VERSION, node: process.version};
    io.stdout.write(parsed.json ? `${JSON.stringify(data)}\n` : `palisade ${data.palisade} (Node ${data.node})\n`);
    return EXIT.ok;
  },
};
