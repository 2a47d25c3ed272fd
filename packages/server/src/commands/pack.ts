// SPDX-License-Identifier: Apache-2.0
/** `palisade pack`: groups addresses into subsets by what they share, in the canonical order. Ref: requirements E-005, E-006, E-050, E-051. */
import {packSubsets} from '@palisade/wire/kube';
import type {Command} from '../cli/command.ts';
import {EXIT} from '../cli/io.ts';
import {type OptionTable, parseOptions} from '../cli/options.ts';
import {endpointsInputOptions, readEndpoints} from './endpoints-input.ts';

const options = {...endpointsInputOptions} as const satisfies OptionTable;

export const pack: Command = {
  name: 'pack',
  summary: 'the same endpoint set in as few subsets as it needs, in the canonical order',
  usage: 'palisade pack (NAME | --file FILE) [--namespace NS] [--json]',
  options,
  examples: ['palisade pack --file my-endpoints.yaml', 'palisade pack web --json | kubectl replace -f -'],
  run: async (words, io) => {
    const {options: flags, positionals} = parseOptions(words, options, {max: 1});
    const object = await readEndpoints(positionals[0], flags, io);
    const packed = {...object, subsets: packSubsets(object.subsets ?? [])};
    if (flags.json) io.stdout.write(`${JSON.stringify(packed)}\n`);
    else io.stdout.write((await import('yaml')).stringify(packed));
    return EXIT.ok;
  },
};
