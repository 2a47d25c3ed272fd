// SPDX-License-Identifier: Apache-2.0
/**
 * How a watch's events become frames. JSON: one object per line. Protobuf: a length of four bytes, then a WatchEvent whose
 * object is in the usual envelope. Ref: kubernetes v1.36 apiserver/pkg/endpoints/handlers/watch.go.
 */
import type {Status} from '@palisade/kube-wire';
import {statusJson} from '@palisade/kube-wire';
import {groupVersionOf} from '../base/object.ts';
import type {Clock} from '../base/time.ts';
import type {CachedObject} from '../cache/cached-object.ts';
import type {WatchEventType, WatchView} from '../cache/watch/shared-frames.ts';
import type {KindDefinition} from '../kind/kind.ts';
import {headOf} from '../registry/object-codec.ts';
import {inOwnForm} from '../registry/own-form.ts';
import type {Selection} from '../registry/selection.ts';
import {MEDIA_TYPE, type OutputMediaType} from '../request/accept.ts';
import {toPartialMetadata} from './metadata-of.ts';
import {protobufObject, protobufStatus, protobufWatchEvent} from './protobuf.ts';
import {type IncludeObject, tableJson} from './table.ts';

export type FrameEncoder = {
  /** Equal keys give equal bytes; undefined: frames depend on their place in the stream. */
  readonly key: string | undefined;
  readonly contentType: string;
  /** No object can be shown in the form that was asked for: the stream ends where the first one would come. */
  readonly showsNothing?: boolean;
  encode(type: WatchEventType, object: CachedObject): Buffer;
  /** The frame of an ERROR. */
  encodeStatus(status: Status): Buffer;
};

const jsonFrame = (type: string, object: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`{"type":"${type}","object":`), object, Buffer.from('}\n')]);

const statusFrames = new WeakMap<Status, Buffer>();

/** The same buffer for the same status: thousands of watches may end together, for one reason. */
const jsonStatusFrame = (status: Status): Buffer => {
  let frame = statusFrames.get(status);
  if (frame === undefined) {
    frame = jsonFrame('ERROR', Buffer.from(statusJson(status)));
    statusFrames.set(status, frame);
  }
  return frame;
};

const wholeObjects = (kind: KindDefinition): FrameEncoder => {
  const heads = new Map<string, Buffer>();
  const head = (type: string): Buffer => {
    let known = heads.get(type);
    if (known === undefined) {
      known = Buffer.from(`{"type":"${type}","object":${headOf(kind)}`);
      heads.set(type, known);
    }
    return known;
  };
  return {
    key: 'json',
    contentType: MEDIA_TYPE.json,
    encode: (type, object) => {
      const start = head(type);
      const frame = Buffer.allocUnsafe(start.length + object.itemBytes + 1);
      start.copy(frame);
      object.writeBody(frame, start.length);
      frame.write('}\n', frame.length - 2, 'latin1');
      return frame;
    },
    encodeStatus: jsonStatusFrame,
  };
};

const metadataOnly = (version: string): FrameEncoder => ({
  key: `metadata ${version}`,
  contentType: MEDIA_TYPE.json,
  encode: (type, object) => jsonFrame(type, toPartialMetadata(object, version)),
  encodeStatus: jsonStatusFrame,
});

/** The first event of a stream has the column definitions, later ones have null. */
const tables = (
  kind: KindDefinition,
  version: 'v1' | 'v1beta1',
  include: IncludeObject,
  clock: Clock,
): FrameEncoder => {
  let first = true;
  return {
    key: undefined,
    contentType: MEDIA_TYPE.json,
    encode: (type, object) => {
      const options = {version, include, nowMs: clock.now(), head: headOf(kind), withColumns: first};
      first = false;
      return jsonFrame(type, Buffer.from(tableJson(kind, object, options)));
    },
    encodeStatus: jsonStatusFrame,
  };
};

const protobuf = (kind: KindDefinition, metadataVersion: string | undefined): FrameEncoder => ({
  key: `protobuf ${metadataVersion ?? ''}`,
  contentType: `${MEDIA_TYPE.protobuf};stream=watch`,
  encode: (type, object) => protobufWatchEvent(type, protobufObject(kind, object, metadataVersion)),
  encodeStatus: status => protobufWatchEvent('ERROR', protobufStatus(status)),
});

export const frameEncoder = (
  kind: KindDefinition,
  output: OutputMediaType,
  options: {readonly include: IncludeObject; readonly clock: Clock},
): FrameEncoder => showing(kind, encoderOf(kind, output, options));

/** Frames of the kind's own form; a bookmark has it already. */
const showing = (kind: KindDefinition, encoder: FrameEncoder): FrameEncoder =>
  kind.storedAs === undefined
    ? encoder
    : {
        ...encoder,
        key: encoder.key && `${groupVersionOf(kind)} ${encoder.key}`,
        encode: (type, object) => encoder.encode(type, type === 'BOOKMARK' ? object : inOwnForm(kind, object)),
      };

const encoderOf = (
  kind: KindDefinition,
  output: OutputMediaType,
  options: {readonly include: IncludeObject; readonly clock: Clock},
): FrameEncoder => {
  const {transform} = output;
  if (transform?.kind === 'PartialObjectMetadataList')
    return {...encoderOf(kind, {...output, transform: undefined}, options), showsNothing: true};
  if (output.encoding === 'protobuf') return protobuf(kind, transform?.version);
  if (transform === undefined) return wholeObjects(kind);
  if (transform.kind === 'Table') return tables(kind, transform.version, options.include, options.clock);
  return metadataOnly(transform.version);
};

/** A selection of one namespace (or all) in one encoding. */
export const watchView = (encoder: FrameEncoder, selection: Selection, namespace: string): WatchView => {
  const format = encoder.key;
  const inNamespace =
    namespace === ''
      ? selection.matches
      : (object: CachedObject) => object.namespace === namespace && selection.matches(object);
  return {
    key: `${format}\n${namespace}\n${selection.key}`,
    format,
    matches: selection.matchesAll && namespace === '' ? () => true : inNamespace,
    encode: encoder.encode,
  };
};
