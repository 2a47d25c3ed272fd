// SPDX-License-Identifier: Apache-2.0
/** `palisade expand`: the endpoint set that an object stands for, one row per address and port. Ref: requirements E-003, E-004, E-070. */
import {expandSubsets} from '@palisade/kube-wire';
import type {Command} from '../command-line/command.ts';
import {EXIT, UsageError} from '../command-line/io.ts';
import {type OptionTable, parseOptions} from '../command-line/options.ts';
import {writeBlocks} from '../command-line/write-blocks.ts';
import {endpointsInputOptions, readEndpoints} from '../input/endpoints-input.ts';

const options = {
  node: {type: 'string', value: 'NODE', doc: 'list only endpoints on this node'},
  ready: {type: 'boolean', doc: 'list only endpoints that are ready for traffic'},
  'not-ready': {type: 'boolean', doc: 'list only endpoints that are not ready'},
  ...endpointsInputOptions,
} as const satisfies OptionTable;

const HEAD = `${'ADDRESS'.padEnd(40)}${'PORT'.padEnd(8)}${'PROTOCOL'.padEnd(10)}${'PORT NAME'.padEnd(16)}${'NODE'.padEnd(20)}READY\n`;
/** Of the column that tells the objects of a list apart. */
const OBJECT_WIDTH = 32;

const rowOf = (e: ReturnType<typeof expandSubsets>[number]): string =>
  `${e.ip.padEnd(40)}${String(e.port ?? '-').padEnd(8)}${(e.protocol ?? '-').padEnd(10)}${(e.portName ?? '-').padEnd(16)}${(e.nodeName ?? '-').padEnd(20)}${e.ready ? 'yes' : 'no'}\n`;

export const expand: Command = {
  name: 'expand',
  group: 'objects',
  words: ['endpoints'],
  summary: 'list every address and port of an Endpoints object, with readiness',
  usage: '(NAME | endpoints/NAME | --file FILE) [--namespace NS] [--node NODE] [--ready | --not-ready] [--json]',
  options,
  examples: [
    'palisade expand web',
    'palisade expand web --namespace shop --ready --json',
    'kubectl get ep web -o json | palisade expand --file - --node node-1',
  ],
  run: async (words, io) => {
    const {options: flags, positionals} = parseOptions(words, options, {max: 1});
    if (flags.ready && flags['not-ready']) throw new UsageError('--ready and --not-ready exclude each other');
    const ready = flags.ready ? true : flags['not-ready'] ? false : undefined;
    const documents = await readEndpoints(positionals[0], flags, io);
    const several = documents.length > 1 || documents.some(({list}) => list !== undefined);
    const lines = function* (): Generator<string> {
      if (!flags.json) yield several ? `${'OBJECT'.padEnd(OBJECT_WIDTH)}${HEAD}` : HEAD;
      for (const {metadata, subsets} of documents.flatMap(({objects}) => objects)) {
        const {namespace, name} = metadata ?? {};
        const object = [namespace, name].filter(part => part !== undefined).join('/');
        for (const e of expandSubsets(subsets ?? [], {nodeName: flags.node, ready})) {
          if (flags.json) yield `${JSON.stringify(several ? {namespace, name, ...e} : e)}\n`;
          else yield several ? `${object.padEnd(OBJECT_WIDTH - 1)} ${rowOf(e)}` : rowOf(e);
        }
      }
    };
    await writeBlocks(io.stdout, lines());
    return EXIT.ok;
  },
};
