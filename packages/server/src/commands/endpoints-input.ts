// SPDX-License-Identifier: Apache-2.0
/** Endpoints as a command takes them: from the server by name, from a file, or from stdin. JSON or YAML. */
import {readFile} from 'node:fs/promises';
import {resolve} from 'node:path';
import {text as readAll} from 'node:stream/consumers';
import type {EndpointSubset, Endpoints} from '@palisade/client';
import {DecodeError, decodeValue, type Json, kubeTypes} from '@palisade/wire/kube';
import {type CliIo, CommandError, UsageError} from '../cli/io.ts';
import type {OptionTable} from '../cli/options.ts';
import {type ConnectionFlags, connectionOptions} from './connection.ts';
import {withKubeClient} from './kube-connection.ts';

const ENDPOINTS = 'io.k8s.api.core.v1.Endpoints';

export const endpointsInputOptions = {
  namespace: {type: 'string', value: 'NS', default: 'default', doc: 'Namespace of the object.'},
  file: {
    type: 'string',
    value: 'FILE',
    doc: 'Read the object, or a list of subsets, from a JSON or YAML file; - is stdin.',
  },
  ...connectionOptions,
} as const satisfies OptionTable;

type Flags = ConnectionFlags & {readonly namespace: string; readonly file: string | undefined};

const parse = async (content: string, where: string): Promise<unknown> => {
  try {
    return JSON.parse(content);
  } catch {
    const {parse: parseYaml} = await import('yaml');
    try {
      return parseYaml(content) as unknown;
    } catch (error) {
      throw new CommandError(`${where}: neither JSON nor YAML: ${(error as Error).message}`, {cause: error});
    }
  }
};

const subsetsOf = (value: unknown, where: string): readonly EndpointSubset[] => {
  const subsets: unknown = Array.isArray(value) ? value : (value as {subsets?: unknown} | null)?.subsets;
  const good = Array.isArray(subsets) && subsets.every(subset => typeof subset === 'object' && subset !== null);
  if (!good) throw new CommandError(`${where}: needs an object with "subsets", or a list of subsets`);
  refuseMistyped(subsets as Json[], where);
  return subsets as EndpointSubset[];
};

/** A field that nobody knows would be left out without a word, and its addresses with it. Throws CommandError with every fault. */
const refuseMistyped = (subsets: readonly Json[], where: string): void => {
  try {
    const {strictErrors} = decodeValue(kubeTypes, ENDPOINTS, {subsets}, {defaults: false});
    if (strictErrors.length > 0) throw new CommandError(strictErrors.map(fault => `${where}: ${fault}`).join('\n'));
  } catch (error) {
    if (error instanceof DecodeError) throw new CommandError(`${where}: ${error.message}`, {cause: error});
    throw error;
  }
};

/** The object (without metadata when only subsets were given). Exactly one of a name and --file. */
export const readEndpoints = async (name: string | undefined, flags: Flags, io: CliIo): Promise<Endpoints> => {
  if ((name === undefined) === (flags.file === undefined))
    throw new UsageError('give either the NAME of an Endpoints object or --file FILE');
  if (flags.file === undefined)
    return withKubeClient(flags, io, client => client.endpoints.get(flags.namespace, name ?? ''));
  const where = flags.file === '-' ? 'stdin' : flags.file;
  const content =
    flags.file === '-'
      ? await readAll(io.stdin as NodeJS.ReadStream)
      : await readFile(resolve(io.cwd, flags.file), 'utf8').catch((error: Error) => {
          throw new CommandError(error.message, {cause: error});
        });
  const value = await parse(content, where);
  const object = Array.isArray(value) ? {} : (value as Endpoints);
  return {...object, subsets: subsetsOf(value, where)};
};
