// SPDX-License-Identifier: Apache-2.0
/** `palisade pack`: groups addresses into subsets by what they share, in the canonical order. Ref: requirements E-005, E-006, E-050, E-051. */

import type {Endpoints} from '@palisade/client';
import {packSubsets} from '@palisade/wire/kube';
import type {Command} from '../cli/command.ts';
import {EXIT} from '../cli/io.ts';
import {type OptionTable, parseOptions} from '../cli/options.ts';
import {type EndpointsDocument, endpointsInputOptions, readEndpoints} from './endpoints-input.ts';

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

export const pack: Command = {
  name: 'pack',
  summary: 'the same endpoint set in as few subsets as it needs, in the canonical order',
  usage: 'palisade pack (NAME | --file FILE) [--namespace NS] [--json]',
  options,
  examples: [
    'palisade pack --file my-endpoints.yaml',
    'palisade pack web --json | kubectl replace -f -',
    'kubectl get endpoints -o yaml | palisade pack --file -',
  ],
  run: async (words, io) => {
    const {options: flags, positionals} = parseOptions(words, options, {max: 1});
    const documents = (await readEndpoints(positionals[0], flags, io)).map(packedDocument);
    if (flags.json) for (const document of documents) io.stdout.write(`${JSON.stringify(document)}\n`);
    else {
      const {stringify} = await import('yaml');
      io.stdout.write(documents.map(document => stringify(document)).join('---\n'));
    }
    return EXIT.ok;
  },
};
