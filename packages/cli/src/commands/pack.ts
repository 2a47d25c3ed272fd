// SPDX-License-Identifier: Apache-2.0
/** `palisade pack`: groups addresses into subsets by what they share, in the canonical order. Ref: requirements E-005, E-006, E-050, E-051. */

import type {Endpoints} from '@palisade/client';
import {compareUtf8, packSubsets} from '@palisade/kube-wire';
import type {Command} from '../command-line/command.ts';
import {EXIT} from '../command-line/io.ts';
import {type OptionTable, parseOptions} from '../command-line/options.ts';
import {type EndpointsDocument, endpointsInputOptions, readEndpoints} from '../input/endpoints-input.ts';

const options = {...endpointsInputOptions} as const satisfies OptionTable;

/** What a manifest needs: without what only the server keeps. The resourceVersion stays, so that a replace notices other writers. */
const forManifest = ({metadata, ...rest}: Endpoints): Endpoints => {
  if (metadata === undefined) return rest;
  const {managedFields: _m, uid: _u, creationTimestamp: _c, generation: _g, ...kept} = metadata;
  return {...rest, metadata: kept};
};

const packed = (object: Endpoints): Endpoints => ({
  ...forManifest(object),
  subsets: packSubsets(object.subsets ?? []),
});

/** A list stays a list. */
const packedDocument = ({list, objects}: EndpointsDocument): object =>
  list === undefined ? (objects.map(packed)[0] ?? {}) : {...list, items: objects.map(packed)};

/** Keys in the order in which `kubectl get -o yaml` and `-o json` print them: by bytes, at every level. */
const inKeyOrder = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(inKeyOrder);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => compareUtf8(a, b));
  return Object.fromEntries(entries.map(([key, member]) => [key, inKeyOrder(member)]));
};

export const pack: Command = {
  name: 'pack',
  group: 'objects',
  words: ['endpoints'],
  summary: 'print an Endpoints object with as few subsets as possible',
  usage: '(NAME | endpoints/NAME | --file FILE) [--namespace NS] [--json]',
  options,
  examples: [
    'palisade pack --file my-endpoints.yaml',
    'palisade pack endpoints/web --json | kubectl replace -f -',
    'kubectl get endpoints -o yaml | palisade pack --file -',
  ],
  run: async (words, io) => {
    const {options: flags, positionals} = parseOptions(words, options, {max: 1});
    const documents = (await readEndpoints(positionals[0], flags, io)).map(packedDocument).map(inKeyOrder);
    if (flags.json) for (const document of documents) io.stdout.write(`${JSON.stringify(document)}\n`);
    else {
      const {jsonToYaml} = await import('@palisade/kube-wire/yaml'); // what kubectl reads as it was meant
      io.stdout.write(documents.map(document => jsonToYaml(JSON.stringify(document))).join('---\n'));
    }
    return EXIT.ok;
  },
};
