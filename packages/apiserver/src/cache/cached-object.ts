// SPDX-License-Identifier: Apache-2.0
/**
 * One object as the server keeps it: the JSON bytes that go on the wire, and beside them what lists are filtered by.
 *
 * Stored value (one per key): the whole object as JSON in wire key order, UTF-8, without `metadata.resourceVersion`,
 * which is the key's modRevision:  {"kind":K,"apiVersion":V,"metadata":{…,"uid":"…",…},…}
 * Cached item: the form list items have, with the version put in after the uid:  {"metadata":{…,"resourceVersion":"N",…},…}
 */
import type {Entry, Revision} from '@palisade/store';
import type {KubeObject} from '../object.ts';

export type Labels = Readonly<Record<string, string>>;

export type CachedObject = {
  readonly namespace: string;
  readonly name: string;
  readonly revision: Revision;
  readonly resourceVersion: string;
  readonly labels: Labels;
  /** `{"metadata":{…},…}`: no kind, no apiVersion. Never written to after it was made. */
  readonly item: Buffer;
};

const NO_LABELS: Labels = Object.freeze({});
const UID_KEY = Buffer.from('"uid":"');
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

const asBuffer = (bytes: Uint8Array): Buffer =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** Where `,"resourceVersion":"N"` goes: right after the uid. Names are validated, so no text before it can hold the key. */
const versionOffset = (value: Buffer): number => {
  const at = value.indexOf(UID_KEY);
  if (at < 0) throw new Error('stored object without metadata.uid');
  return value.indexOf(QUOTE, at + UID_KEY.length) + 1;
};

/** Length of `{"kind":K,"apiVersion":V,`: the item begins with the brace and goes on after it. */
const headLength = (value: Buffer): number => value.indexOf('"metadata":');

/** End (exclusive) of the JSON value that starts at `from`. The bytes are our own encoding: no white space outside strings. */
export const endOfValue = (bytes: Buffer, from: number): number => {
  let depth = 0;
  for (let i = from; i < bytes.length; i++) {
    const c = bytes[i];
    if (c === QUOTE) {
      i++;
      while (bytes[i] !== QUOTE) i += bytes[i] === BACKSLASH ? 2 : 1;
    } else if (c === 0x7b || c === 0x5b) depth++;
    else if (c === 0x7d || c === 0x5d) depth--;
    if (depth === 0 && (c === QUOTE || c === 0x7d || c === 0x5d)) return i + 1;
    if (depth === 0 && (bytes[i + 1] === 0x2c || bytes[i + 1] === 0x7d)) return i + 1;
  }
  return bytes.length;
};

/**
 * Reads metadata.labels without decoding the object: walks the keys of metadata, which come in a fixed order, and stops
 * at the first that stands behind labels.
 */
export const readLabels = (item: Buffer): Labels => {
  let at = '{"metadata":{'.length;
  while (item[at] === QUOTE) {
    const keyEnd = item.indexOf(QUOTE, at + 1);
    const length = keyEnd - at - 1;
    const first = item[at + 1];
    const valueAt = keyEnd + 2;
    if (length === 6 && first === 0x6c /* labels */) {
      return JSON.parse(item.toString('utf8', valueAt, endOfValue(item, valueAt))) as Labels;
    }
    if (first === 0x61 /* annotations */ || first === 0x6f /* ownerReferences */ || first === 0x66 /* finalizers */)
      break;
    if (first === 0x6d /* managedFields */) break;
    const end = endOfValue(item, valueAt);
    if (item[end] !== 0x2c) break;
    at = end + 1;
  }
  return NO_LABELS;
};

/** Puts the version into a stored value. One allocation, one copy. */
export const toItem = (value: Uint8Array, resourceVersion: string): Buffer => {
  const source = asBuffer(value);
  const head = headLength(source);
  const at = versionOffset(source);
  const version = `,"resourceVersion":"${resourceVersion}"`;
  const item = Buffer.allocUnsafeSlow(1 + source.length - head + version.length);
  item[0] = 0x7b;
  source.copy(item, 1, head, at);
  const after = 1 + at - head;
  item.write(version, after, 'latin1');
  source.copy(item, after + version.length, at);
  return item;
};

export const toCachedObject = (at: {namespace: string; name: string}, entry: Entry): CachedObject => {
  const resourceVersion = entry.modRevision.toString();
  const item = toItem(entry.value, resourceVersion);
  return {
    namespace: at.namespace,
    name: at.name,
    revision: entry.modRevision,
    resourceVersion,
    labels: readLabels(item),
    item,
  };
};

/** The last state of a removed object carries the version of its deletion. */
export const atDeletion = (object: CachedObject, revision: Revision): CachedObject => {
  const resourceVersion = revision.toString();
  const text = `"resourceVersion":"${object.resourceVersion}"`;
  const at = object.item.indexOf(text);
  const version = `"resourceVersion":"${resourceVersion}"`;
  const item = Buffer.concat([
    object.item.subarray(0, at),
    Buffer.from(version, 'latin1'),
    object.item.subarray(at + text.length),
  ]);
  return {...object, revision, resourceVersion, item};
};

/** Decodes the whole object, without kind and apiVersion. The result belongs to the caller. */
export const decodeItem = (object: CachedObject): KubeObject => JSON.parse(object.item.toString('utf8')) as KubeObject;
