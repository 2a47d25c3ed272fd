// SPDX-License-Identifier: Apache-2.0
/**
 * One object as the server keeps it: the stored bytes, once, and beside them what lists are filtered by.
 *
 * Stored value (one per key): the whole object as JSON in wire key order, UTF-8, without `metadata.resourceVersion`,
 * which is the key's modRevision:  {"kind":K,"apiVersion":V,"metadata":{…,"uid":"…",…},…}
 * Item: the form list items have, with the version put in after the uid:  {"metadata":{…,"resourceVersion":"N",…},…}
 * It is composed while it is written to where it goes, from two slices of the value and the version between them.
 */

import {endOfValue, escapeUnit, quoteJson} from '@palisade/kube-wire';
import {type Entry, type Revision, StoreError} from '@palisade/store';
import type {KubeObject} from '../base/object.ts';

export type Labels = Readonly<Record<string, string>>;

const NO_LABELS: Labels = Object.freeze({});
const METADATA_KEY = Buffer.from('"metadata":');
const QUOTE = 0x22;
const COMMA = 0x2c;
const CLOSING_BRACE = 0x7d;
const OPENING_BRACE = 0x7b;

const asBuffer = (bytes: Uint8Array): Buffer =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

export type Place = {readonly namespace: string; readonly name: string};

/** Immutable; the bytes are never written to. */
export class CachedObject {
  readonly namespace: string;
  readonly name: string;
  readonly revision: Revision;
  /** '' for an object that was never stored (dry run): the item shows none. */
  readonly resourceVersion: string;
  readonly labels: Labels;
  /** metadata.deletionTimestamp is set. */
  readonly isDeleting: boolean;
  /** As stored. */
  readonly value: Buffer;
  /** Where `"metadata":` begins in the value. */
  readonly #bodyAt: number;
  /** Where the version goes in: behind the uid. */
  readonly #versionAt: number;
  readonly #version: string;

  constructor(place: Place, value: Uint8Array, revision: Revision, resourceVersion: string) {
    this.namespace = place.namespace;
    this.name = place.name;
    this.revision = revision;
    this.resourceVersion = resourceVersion;
    this.value = asBuffer(value);
    this.#bodyAt = this.value.indexOf(METADATA_KEY);
    const metadataAt = this.#bodyAt + METADATA_KEY.length + 1;
    if (this.#bodyAt < 0 || this.value[metadataAt - 1] !== OPENING_BRACE) throw new Error('it has no metadata');
    if (this.value[0] !== OPENING_BRACE || this.value.at(-1) !== CLOSING_BRACE)
      throw new Error('it is not a complete JSON object');
    const scanned = scanMetadata(this.value, metadataAt);
    this.#versionAt = scanned.uidEnd;
    const isFirst = scanned.uidEnd === metadataAt;
    this.#version = versionText(resourceVersion, isFirst, this.value[metadataAt] !== CLOSING_BRACE);
    this.labels = scanned.labels;
    this.isDeleting = scanned.isDeleting;
  }

  /** Length of the item. */
  get itemBytes(): number {
    return 1 + this.value.length - this.#bodyAt + this.#version.length;
  }

  /** Writes the item to `target` at `at`; returns the position behind it. */
  write(target: Buffer, at: number): number {
    target[at] = OPENING_BRACE;
    return this.writeBody(target, at + 1);
  }

  /** The same without the opening brace. */
  writeBody(target: Buffer, at: number): number {
    return this.#writeTo(this.value.length, target, at);
  }

  /** `"metadata":{…}}` with the version, behind `head`, which is ASCII and begins with the opening brace. Made anew. */
  metadataBehind(head: string): Buffer {
    const end = this.#metadataEnd;
    const out = Buffer.allocUnsafe(head.length + end - this.#bodyAt + this.#version.length + 1);
    out.write(head, 'latin1');
    out[this.#writeTo(end, out, head.length)] = CLOSING_BRACE;
    return out;
  }

  /** The value up to `end`, with the version put in. */
  #writeTo(end: number, target: Buffer, at: number): number {
    const {value} = this;
    let to = at + value.copy(target, at, this.#bodyAt, this.#versionAt);
    to += target.write(this.#version, to, 'latin1');
    return to + value.copy(target, to, this.#versionAt, end);
  }

  /** The item, made anew. */
  get item(): Buffer {
    const item = Buffer.allocUnsafe(this.itemBytes);
    this.write(item, 0);
    return item;
  }

  get #metadataEnd(): number {
    return endOfValue(this.value, this.#bodyAt + METADATA_KEY.length);
  }

  /** What stands behind the metadata, from the comma or the closing brace on. */
  get rest(): Buffer {
    return this.value.subarray(this.#metadataEnd);
  }

  /** Decodes the item. The result belongs to the caller. */
  decode(): KubeObject {
    const {value} = this;
    const head = value.toString('utf8', this.#bodyAt, this.#versionAt);
    const text = `{${head}${this.#version}${value.toString('utf8', this.#versionAt)}`;
    try {
      return JSON.parse(text) as KubeObject;
    } catch {
      // Without the cause: its message quotes the text, which can be that of a Secret, and goes to the log.
      throw new Error(`the stored value of ${this.namespace}/${this.name} at revision ${this.revision} is not JSON`);
    }
  }

  /** The same state at another version: what was removed is shown at the version of its removal. */
  at(revision: Revision): CachedObject {
    return new CachedObject(this, this.value, revision, revision.toString());
  }
}

const DIGITS = /^\d+$/;
const NOT_ASCII = /[^\0-\x7f]/g;

/** JSON in ASCII. Only what a client sent for an object that is not stored (dry run) is no number. */
const quoteVersion = (version: string): string =>
  DIGITS.test(version) ? `"${version}"` : quoteJson(version).replace(NOT_ASCII, escapeUnit);

/** What goes in: behind the uid, or (a bookmark has none) in front of all metadata. */
const versionText = (version: string, isFirst: boolean, hasMore: boolean): string => {
  if (version === '') return '';
  const text = `"resourceVersion":${quoteVersion(version)}`;
  return isFirst ? `${text}${hasMore ? ',' : ''}` : `,${text}`;
};

/** Throws StoreError `corrupt` for a value that is none of ours. */
export const toCachedObject = (place: Place, {key, value, modRevision}: Entry): CachedObject => {
  try {
    return new CachedObject(place, value, modRevision, modRevision.toString());
  } catch (cause) {
    const message = `the value of ${key} at revision ${modRevision} is not a valid object (${cause instanceof Error ? cause.message : String(cause)}); restore the data from a backup`;
    throw new StoreError('corrupt', {key, revision: modRevision, message}, {cause});
  }
};

/** Decodes the whole object, without kind and apiVersion. The result belongs to the caller. */
export const decodeItem = (object: CachedObject): KubeObject => object.decode();

const startsWith = (bytes: Buffer, at: number, text: string): boolean => {
  for (let i = 0; i < text.length; i++) if (bytes[at + i] !== text.charCodeAt(i)) return false;
  return true;
};

/** `uidEnd`: behind the uid, or where metadata begin when they have none. */
type Scanned = {readonly labels: Labels; readonly isDeleting: boolean; readonly uidEnd: number};

/**
 * Reads labels, the mark of deletion and where the uid ends without decoding the object: walks the keys of metadata, which come in
 * a fixed order, and stops at the first that stands behind labels.
 */
const scanMetadata = (value: Buffer, from: number): Scanned => {
  let [at, isDeleting, uidEnd] = [from, false, from];
  while (value[at] === QUOTE) {
    const first = value[at + 1];
    if (first === 0x6c /* labels */) {
      const valueAt = at + '"labels":'.length;
      const labels = JSON.parse(value.toString('utf8', valueAt, endOfValue(value, valueAt))) as Labels;
      return {labels, isDeleting, uidEnd};
    }
    // annotations, ownerReferences, finalizers, managedFields
    if (first === 0x61 || first === 0x6f || first === 0x66 || first === 0x6d) break;
    let keyEnd = at + 2;
    while (keyEnd < value.length && value[keyEnd] !== QUOTE) keyEnd++;
    const end = endOfValue(value, keyEnd + 2);
    if (first === 0x75 /* uid */) uidEnd = end;
    else if (first === 0x64 && startsWith(value, at, '"deletionTimestamp":"')) isDeleting = true;
    if (value[end] !== COMMA) break;
    at = end + 1;
  }
  return {labels: NO_LABELS, isDeleting, uidEnd};
};
