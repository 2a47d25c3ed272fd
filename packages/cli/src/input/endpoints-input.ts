// SPDX-License-Identifier: Apache-2.0
/** Endpoints as a command takes them: from the server by name, from a file, or from stdin; one, lists of them, or several documents. */
import {isUtf8} from 'node:buffer';
import {buffer as readAll} from 'node:stream/consumers';
import type {Endpoints} from '@palisade/client';
import {type CliIo, CommandError, UsageError} from '../command-line/io.ts';
import type {OptionTable} from '../command-line/options.ts';
import {type ConnectionFlags, connectionOptions} from '../connection/connection.ts';
import {withKubeClient} from '../connection/kube-connection.ts';
import {checkNamespace, foundIn, namespaceOf, namespaceOption} from '../connection/kube-target.ts';
import {readNamedFile} from '../connection/read-named-file.ts';
import {endpointsFaults} from './endpoints-faults.ts';
import {cut, readDocuments} from './read-documents.ts';
import {shown} from './schema-faults.ts';

export const endpointsInputOptions = {
  ...namespaceOption,
  file: {
    type: 'string',
    short: 'f',
    value: 'FILE',
    completes: 'file',
    doc: 'read Endpoints, Lists or subsets from a JSON or YAML file; - is stdin',
  },
  ...connectionOptions,
} as const satisfies OptionTable;

type Flags = ConnectionFlags & {readonly namespace: string | undefined; readonly file: string | undefined};

/** One document of the input. */
export type EndpointsDocument = {
  /** The List that the objects stood in, without them; undefined for an object that stood alone. */
  readonly list: Readonly<Record<string, unknown>> | undefined;
  /** Without metadata where only subsets were given. */
  readonly objects: readonly Endpoints[];
};

const LISTS: readonly unknown[] = ['List', 'EndpointsList'];

type Fields = Readonly<Record<string, unknown>>;

const VERSIONS: readonly unknown[] = [undefined, null, 'v1'];

const versionFaults = ({apiVersion}: Fields, at: string): string[] =>
  VERSIONS.includes(apiVersion) ? [] : [`${at}apiVersion ${shown(apiVersion)}: must be v1`];

const objectFaults = (value: unknown, path: string, named: boolean): string[] => {
  const {kind, subsets} = (value ?? {}) as Fields;
  const at = path === '' ? '' : `${path}: `;
  if (kind !== undefined && kind !== 'Endpoints')
    return [`${at}is of kind ${shown(kind)}; give Endpoints, or a List of them`];
  const ofVersion = versionFaults((value ?? {}) as Fields, at);
  if (ofVersion.length > 0) return ofVersion;
  if (typeof value !== 'object' || value === null || (!named && kind === undefined && subsets === undefined))
    return [`${at}needs an object with "subsets", a List of such objects, or a list of subsets`];
  return endpointsFaults(value as Fields, path);
};

type Judged = {readonly document: EndpointsDocument; readonly faults: readonly string[]};

const toDocument = (value: unknown): Judged => {
  if (Array.isArray(value)) {
    const object = {subsets: value as Endpoints['subsets']} as Endpoints;
    return {document: {list: undefined, objects: [object]}, faults: endpointsFaults(object as Fields, '')};
  }
  const {kind, items, ...rest} = (value ?? {}) as Fields;
  if (!LISTS.includes(kind))
    return {document: {list: undefined, objects: [value as Endpoints]}, faults: objectFaults(value, '', false)};
  const objects: readonly unknown[] = items === undefined || items === null ? [] : Array.isArray(items) ? items : [];
  const misshapen = items !== undefined && items !== null && !Array.isArray(items);
  return {
    document: {list: {kind, ...rest}, objects: objects as Endpoints[]},
    faults: [
      ...versionFaults(rest, ''),
      ...(misshapen ? [`items ${shown(items)}: must be a list`] : []),
      ...objects.flatMap((object, i) => objectFaults(object, `items[${i}]`, kind === 'EndpointsList')),
    ],
  };
};

/** A field that is null is as good as none. Lists hold no null: that is a fault. */
const withoutNulls = (object: Endpoints): Endpoints => {
  if (object.subsets === undefined) return object;
  const text = JSON.stringify(object.subsets ?? []);
  const subsets = JSON.parse(text, (_, value: unknown) => value ?? undefined) as NonNullable<Endpoints['subsets']>;
  return {...object, subsets};
};

/** What may have been meant for ours. */
const LIKE_OURS = /^(endpoints?)?$/i;

/** The kind of another Kubernetes object, as manifests contain them in addition to Endpoints. */
const otherKind = (value: unknown): string | undefined => {
  const {kind, apiVersion, subsets} = (value ?? {}) as Fields;
  if (typeof kind !== 'string' || typeof apiVersion !== 'string' || subsets !== undefined) return undefined;
  return LIKE_OURS.test(kind) || LISTS.includes(kind) ? undefined : kind;
};

/** Objects of other kinds are skipped, with a note. Throws CommandError with every fault of every document. */
const toDocuments = (values: readonly unknown[], where: string, note: (text: string) => void): EndpointsDocument[] => {
  if (values.length === 0) throw new CommandError(`${where}: is empty; give an Endpoints object, or a list of subsets`);
  const hasOurs = values.some(value => otherKind(value) === undefined);
  const at = (i: number): string => `${where}: ${values.length === 1 ? '' : `document ${i + 1}: `}`;
  const others = values.map(value => (hasOurs ? otherKind(value) : undefined));
  const judged = values.flatMap((value, i) => (others[i] === undefined ? [{...toDocument(value), at: at(i)}] : []));
  const faults = judged.flatMap(one => one.faults.map(fault => `${one.at}${fault}`));
  if (faults.length > 0) throw new CommandError(cut(faults, where).join('\n'));
  for (const [i, kind] of others.entries())
    if (kind !== undefined) note(`${at(i)}skipped, because it is of kind ${shown(kind)}`);
  return judged.map(({document: {list, objects}}) => ({list, objects: objects.map(withoutNulls)}));
};

/** `web`, and as other commands take it `endpoints/web`, `ep/web`. Throws UsageError. */
const endpointsName = (word: string): string => {
  const [, resource = 'ep', name = word] = /^([^/]*)\/(.*)$/s.exec(word) ?? [];
  if (['endpoints', 'ep', 'endpoint'].includes(resource.toLowerCase()) && /^[^/]+$/.test(name)) return name;
  throw new UsageError(`"${word}": give the NAME of an Endpoints object, or endpoints/NAME`);
};

/** Throws CommandError for bytes that are no text: nothing that the user wrote is read as something else. */
const textOf = (bytes: Buffer, where: string): string => {
  const nul = bytes.indexOf(0);
  if (nul < 0 && isUtf8(bytes)) return new TextDecoder().decode(bytes); // without a byte order mark
  const what = nul < 0 ? 'it is not UTF-8' : `byte ${nul} is NUL`;
  throw new CommandError(`${where}: is not text (${what}); give JSON or YAML in UTF-8`);
};

/** What a file or the server has, in order. Exactly one of a name and --file. Throws UsageError, CommandError. */
export const readEndpoints = async (
  name: string | undefined,
  flags: Flags,
  io: CliIo,
): Promise<readonly EndpointsDocument[]> => {
  if ((name === undefined) === (flags.file === undefined))
    throw new UsageError('give either NAME, the name of an Endpoints object, or --file FILE');
  if (flags.file === undefined) {
    const wanted = endpointsName(name ?? '');
    checkNamespace(flags.namespace);
    const object = await withKubeClient(flags, io, (client, ofContext) => {
      const namespace = namespaceOf(flags.namespace, ofContext);
      return foundIn(namespace, client.endpoints.get(namespace, wanted));
    });
    return [{list: undefined, objects: [object]}];
  }
  const where = flags.file === '-' ? 'stdin' : flags.file;
  const content =
    flags.file === '-'
      ? await readAll(io.stdin as NodeJS.ReadStream)
      : await readNamedFile(flags.file, io.cwd, `--file ${flags.file}`);
  const note = (text: string): void => void io.stderr.write(`palisade: ${text}\n`);
  return toDocuments(await readDocuments(textOf(content, where), where), where, note);
};
