// SPDX-License-Identifier: Apache-2.0
/** Turns a verb's answer into what the client asked for: JSON, YAML, protobuf, Table, metadata; indented; compressed. */
import {prettyJson, type Status, statusJson, unclassifiedStatus} from '@palisade/kube-wire';
import {jsonToYaml, yamlFault} from '@palisade/kube-wire/yaml';
import type {Headers} from '../base/headers.ts';
import {STEPS} from '../base/limits.ts';
import {cannotTransform} from '../base/status-error.ts';
import type {KindDefinition} from '../kind/kind.ts';
import {headOf, listHeadOf, wholeJson} from '../registry/object-codec.ts';
import {MEDIA_TYPE, type OutputMediaType} from '../request/accept.ts';
import type {Query} from '../request/query.ts';
import type {DocumentAnswer, ListAnswer, ObjectAnswer, StatusAnswer} from './answer.ts';
import {hasItems, inSteps, type ListBody, storedList} from './list-body.ts';
import type {ListMemory} from './list-memory.ts';
import {type ListText, listText} from './list-text.ts';
import {toPartialMetadata} from './metadata-of.ts';
import {protobufList, protobufObject, protobufStatus} from './protobuf.ts';
import {parseIncludeObject, rowText, tableJson, tableStart} from './table.ts';

/** A whole body, in pieces that follow each other. */
export type Encoded = {
  readonly contentType: string;
  readonly pieces: readonly Buffer[];
  readonly stream?: undefined;
  /** The code of the refusal that took the place of a body which cannot be written; a refusal keeps its own. */
  readonly failure?: 500;
  /** True: never compressed, however long it is. */
  readonly asIs?: true;
  /** Sent beside, or instead of, the usual ones. */
  readonly headers?: Headers;
};

/** A list, which is made while it is sent. */
export type EncodedList = {readonly contentType: string; readonly stream: ListBody};

export type Wish = {
  readonly output: OutputMediaType;
  readonly pretty: boolean;
  readonly query: Query;
  readonly nowMs: number;
  readonly listMemory: ListMemory;
};

const NEWLINE = Buffer.from('\n');

const encodeYaml = (json: string): Encoded => {
  const fault = yamlFault(json);
  const text = jsonToYaml(fault === undefined ? json : statusJson(unclassifiedStatus(fault)));
  const encoded = {contentType: MEDIA_TYPE.yaml, pieces: [Buffer.from(text)]};
  return fault === undefined ? encoded : {...encoded, failure: 500};
};

/** JSON text as the wish wants it: indented without a final newline, or compact with one; or YAML. */
const encodeText = (json: Buffer, {output, pretty}: Wish): Encoded => {
  if (output.encoding === 'yaml') return encodeYaml(json.toString('utf8'));
  if (pretty) return {contentType: MEDIA_TYPE.json, pieces: [Buffer.from(prettyJson(json.toString('utf8')))]};
  return {contentType: MEDIA_TYPE.json, pieces: [json, NEWLINE]};
};

export const encodeStatus = (status: Status, wish: Wish): Encoded => {
  const json = statusJson(status);
  if (wish.output.encoding === 'protobuf') return {contentType: MEDIA_TYPE.protobuf, pieces: [protobufStatus(status)]};
  return encodeText(Buffer.from(json), wish);
};

export const encodeAnswer = (
  answer: ObjectAnswer | ListAnswer | StatusAnswer | DocumentAnswer,
  wish: Wish,
): Encoded | EncodedList => {
  switch (answer.type) {
    case 'object':
      return encodeObject(answer, wish);
    case 'list':
      return encodeList(answer, wish);
    case 'status':
      if (wish.output.transform?.kind === 'Table') parseIncludeObject(wish.query.get('includeObject')); // refused, as upstream
      return encodeStatus(answer.status, wish);
    case 'document':
      return {
        ...encodeText(Buffer.from(answer.json), wish),
        ...(answer.contentType === undefined ? {} : {contentType: answer.contentType}),
      };
  }
};

const encodeObject = ({kind, object}: ObjectAnswer, wish: Wish): Encoded => {
  const {transform, encoding} = wish.output;
  if (transform?.kind === 'PartialObjectMetadataList') {
    throw cannotTransform(
      `you requested PartialObjectMetadataList, but the requested object is not a list (*${kind.internalName})`,
    );
  }
  if (encoding === 'protobuf') {
    return {contentType: MEDIA_TYPE.protobuf, pieces: [protobufObject(kind, object, transform?.version)]};
  }
  if (transform?.kind === 'Table') {
    return encodeText(Buffer.from(tableJson(kind, object, tableOptions(wish, kind))), wish);
  }
  if (transform !== undefined) return encodeText(toPartialMetadata(object, transform.version), wish);
  const json = wholeJson(kind, object);
  if (encoding === 'json' && !wish.pretty) return {contentType: MEDIA_TYPE.json, pieces: [json]};
  return encodeText(json.subarray(0, -1), wish);
};

const tableOptions = ({output, query, nowMs}: Wish, kind: KindDefinition) => ({
  version: output.transform?.version ?? 'v1',
  include: parseIncludeObject(query.get('includeObject')),
  nowMs,
  head: headOf(kind),
  withColumns: true,
});

const listMeta = ({resourceVersion, continueToken, remaining}: ListAnswer): string => {
  const more = continueToken === undefined ? '' : `,"continue":"${continueToken}"`;
  const count = remaining === undefined || remaining === 0 ? '' : `,"remainingItemCount":${remaining}`;
  return `{"resourceVersion":"${resourceVersion}"${more}${count}}`;
};

const encodeList = (answer: ListAnswer, wish: Wish): Encoded | EncodedList => {
  const {kind} = answer;
  const {transform, encoding} = wish.output;
  if (transform?.kind === 'PartialObjectMetadata') {
    throw cannotTransform(
      `you requested PartialObjectMetadata, but the requested object is a list (*${kind.internalName}List)`,
    );
  }
  const {slices} = answer;
  if (encoding === 'protobuf') {
    const stream = inSteps(slices, STEPS.listBytes.protobuf, steps =>
      protobufList(answer, steps, transform?.version, wish.listMemory),
    );
    return {contentType: MEDIA_TYPE.protobuf, stream};
  }
  const {none, ...parts} = listParts(answer, wish);
  const form = encoding === 'yaml' ? 'yaml' : wish.pretty ? 'indented' : 'compact';
  if (form === 'compact' && transform === undefined) {
    return {contentType: MEDIA_TYPE.json, stream: storedList(Buffer.from(parts.start), slices, wish.listMemory)};
  }
  if (!hasItems(slices)) return encodeText(Buffer.from(`${parts.start.slice(0, -1)}${none}}`), wish);
  const stream = inSteps(slices, STEPS.listBytes[form], steps => listText({...parts, steps}, form));
  return {contentType: MEDIA_TYPE[encoding], stream};
};

type ListParts = Pick<ListText, 'start' | 'field' | 'itemOf'> & {
  /** What stands for no items. */
  readonly none: '[]' | 'null';
};

const listParts = (answer: ListAnswer, wish: Wish): ListParts => {
  const {kind} = answer;
  const {transform} = wish.output;
  const metadata = listMeta(answer);
  if (transform?.kind === 'Table') {
    const options = tableOptions(wish, kind);
    return {
      start: tableStart(kind, metadata, options),
      field: 'rows',
      itemOf: object => rowText(kind, object, options, options.head),
      none: kind.strategy.table.nullForNone === true ? 'null' : '[]',
    };
  }
  if (transform !== undefined) {
    const {version} = transform;
    return {
      start: `{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/${version}","metadata":${metadata},"items":[`,
      field: 'items',
      itemOf: object => toPartialMetadata(object, version).toString('utf8'),
      none: 'null', // as upstream
    };
  }
  return {
    start: `${listHeadOf(kind)}"metadata":${metadata},"items":[`,
    field: 'items',
    itemOf: object => object.item.toString('utf8'),
    none: '[]',
  };
};
