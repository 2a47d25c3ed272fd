// SPDX-License-Identifier: Apache-2.0
/** Turns a verb's answer into what the client asked for: JSON, YAML, protobuf, Table, metadata; indented; compressed. */
import {prettyJson, type Status, unclassifiedStatus} from '@palisade/wire/kube';
import type {CachedObject} from '../cache/cached-object.ts';
import {jsonToYaml, yamlFault} from '../codec/yaml.ts';
import type {KindDefinition} from '../kind.ts';
import {headOf, listHeadOf, wholeJson} from '../object-codec.ts';
import {protobufList, protobufObject, protobufStatus} from '../protobuf.ts';
import {cannotTransform} from '../status-error.ts';
import {statusJson} from '../status-json.ts';
import {toPartialMetadata} from '../table/metadata-of.ts';
import {parseIncludeObject, tableJson, tableMeta} from '../table/table.ts';
import type {DocumentAnswer, ListAnswer, ObjectAnswer, StatusAnswer} from '../verbs/answer.ts';
import {MEDIA_TYPE, type OutputMediaType} from './accept.ts';
import type {Headers} from './exchange.ts';
import {type ListStream, listStream, PIECE_BYTES} from './list-stream.ts';
import type {Query} from './query.ts';

/** A whole body, in pieces that follow each other; or a long list that is made while it is sent. */
export type Encoded =
  | {
      readonly contentType: string;
      readonly pieces: readonly Buffer[];
      readonly stream?: undefined;
      /** The code of the refusal that took the place of a body which cannot be written; a refusal keeps its own. */
      readonly failure?: 500;
      /** True: never compressed, however long it is. */
      readonly asIs?: true;
      /** Sent beside, or instead of, the usual ones. */
      readonly headers?: Headers;
    }
  | {readonly contentType: string; readonly stream: ListStream; readonly headers?: Headers};

export type Wish = {
  readonly output: OutputMediaType;
  readonly pretty: boolean;
  readonly query: Query;
  readonly nowMs: number;
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
): Encoded => {
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
    return encodeText(table(kind, [object], tableMeta(object), wish), wish);
  }
  if (transform !== undefined) return encodeText(toPartialMetadata(object, transform.version), wish);
  const json = wholeJson(kind, object);
  if (encoding === 'json' && !wish.pretty) return {contentType: MEDIA_TYPE.json, pieces: [json]};
  return encodeText(json.subarray(0, -1), wish);
};

const table = (kind: KindDefinition, objects: Iterable<CachedObject>, metadata: string, wish: Wish): Buffer =>
  Buffer.from(
    tableJson(kind, objects, metadata, {
      version: wish.output.transform?.version ?? 'v1',
      include: parseIncludeObject(wish.query.get('includeObject')),
      nowMs: wish.nowMs,
      head: headOf(kind),
      withColumns: true,
    }),
  );

const listMeta = ({resourceVersion, continueToken, remaining}: ListAnswer): string => {
  const more = continueToken === undefined ? '' : `,"continue":"${continueToken}"`;
  const count = remaining === undefined || remaining === 0 ? '' : `,"remainingItemCount":${remaining}`;
  return `{"resourceVersion":"${resourceVersion}"${more}${count}}`;
};

const encodeList = (answer: ListAnswer, wish: Wish): Encoded => {
  const {kind} = answer;
  const {transform, encoding} = wish.output;
  if (transform?.kind === 'PartialObjectMetadata') {
    throw cannotTransform(
      `you requested PartialObjectMetadata, but the requested object is a list (*${kind.internalName}List)`,
    );
  }
  if (encoding === 'protobuf') {
    return {contentType: MEDIA_TYPE.protobuf, pieces: [protobufList(answer, transform?.version)]};
  }
  if (transform?.kind === 'Table') return encodeText(table(kind, answer.slices.flat(), listMeta(answer), wish), wish);
  const metadataVersion = transform?.version;
  const head =
    metadataVersion === undefined
      ? listHeadOf(kind)
      : `{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/${metadataVersion}",`;
  if (metadataVersion !== undefined && !hasItems(answer)) {
    return encodeText(Buffer.from(`${head}"metadata":${listMeta(answer)},"items":null}`), wish); // as upstream
  }
  const start = Buffer.from(`${head}"metadata":${listMeta(answer)},"items":[`);
  const itemOf =
    metadataVersion === undefined
      ? (object: CachedObject): Buffer => object.item
      : (object: CachedObject): Buffer => toPartialMetadata(object, metadataVersion);
  if (encoding === 'json' && !wish.pretty) {
    if (metadataVersion === undefined) return {contentType: MEDIA_TYPE.json, stream: listStream(start, answer.slices)};
    return {contentType: MEDIA_TYPE.json, pieces: joinItems(start, answer.slices, itemOf)};
  }
  const pieces = joinItems(start, answer.slices, itemOf);
  const whole = Buffer.concat(pieces);
  return encodeText(whole.subarray(0, whole.length - 1), wish);
};

const hasItems = ({slices}: ListAnswer): boolean => slices.some(slice => slice.length > 0);

/** `start item,item,…]}\n` in pieces of at most PIECE_BYTES (a larger item has a piece of its own). */
const joinItems = (
  start: Buffer,
  slices: readonly (readonly CachedObject[])[],
  itemOf: (object: CachedObject) => Buffer,
): Buffer[] => {
  const pieces: Buffer[] = [];
  let total = start.length + 3;
  for (const slice of slices) for (const object of slice) total += object.itemBytes + 128;
  let piece = Buffer.allocUnsafe(Math.min(total, PIECE_BYTES));
  let used = start.copy(piece);
  const room = (bytes: number): void => {
    if (used + bytes <= piece.length) return;
    pieces.push(piece.subarray(0, used));
    piece = Buffer.allocUnsafe(Math.max(PIECE_BYTES, bytes));
    used = 0;
  };
  let first = true;
  for (const slice of slices) {
    for (const object of slice) {
      const item = itemOf(object);
      room(item.length + 1);
      if (!first) piece[used++] = 0x2c;
      first = false;
      item.copy(piece, used);
      used += item.length;
    }
  }
  room(3);
  used += piece.write(']}\n', used, 'latin1');
  pieces.push(piece.subarray(0, used));
  return pieces;
};
