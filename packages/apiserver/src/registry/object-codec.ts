// SPDX-License-Identifier: Apache-2.0
/** Between drafts and bytes, for one kind: what is stored, what is decoded, what is sent. All knowledge comes from the schema. */
import {encodeJson, type JsonObject, type TypeTable} from '@palisade/kube-wire';
import type {Compat} from '../base/compat.ts';
import {groupVersionOf, type KubeObject} from '../base/object.ts';
import {CachedObject} from '../cache/cached-object.ts';
import type {KindDefinition} from '../kind/kind.ts';

const OBJECT_META = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';

const NEWLINE = 0x0a;
const heads = new WeakMap<KindDefinition, string>();

/** `{"kind":"Endpoints","apiVersion":"v1",`: what an object has before its metadata and a list item has not. */
export const headOf = (kind: KindDefinition): string => {
  let head = heads.get(kind);
  if (head === undefined) {
    head = `{"kind":"${kind.kind}","apiVersion":"${groupVersionOf(kind)}",`;
    heads.set(kind, head);
  }
  return head;
};

const lenient = new WeakMap<TypeTable, TypeTable>();

/** The type table of a mode: with `ignoreClusterName` the old field is accepted and dropped (E-114). */
export const typesOf = (kind: KindDefinition, compat: Compat): TypeTable => {
  const meta = kind.types[OBJECT_META];
  if (!compat.ignoreClusterName || meta === undefined) return kind.types;
  let types = lenient.get(kind.types);
  if (types === undefined) {
    types = {...kind.types, [OBJECT_META]: {...meta, ignored: ['clusterName']}};
    lenient.set(kind.types, types);
  }
  return types;
};

/** A decoded object always has metadata. */
export const asKubeObject = (decoded: JsonObject): KubeObject => {
  const object = decoded as unknown as KubeObject;
  object.metadata ??= {};
  return object;
};

/** The live object, and the bytes that it was decoded from. */
export type Before = {readonly object: KubeObject; readonly cached: CachedObject};

/**
 * The stored value: whole, in wire order, without the version. What stands behind the metadata is copied from the value of
 * `before` when the draft shares it with that object: most updates change metadata only.
 */
export const encodeStored = (kind: KindDefinition, draft: KubeObject, before?: Before): Buffer => {
  const {resourceVersion: _, ...metadata} = draft.metadata;
  if (before !== undefined && sharesRest(kind, draft, before.object)) {
    const head = `${headOf(kind)}"metadata":${encodeJson(kind.types, OBJECT_META, metadata as unknown as JsonObject)}`;
    return ownBuffer(head, before.cached.rest);
  }
  const whole = {...draft, kind: kind.kind, apiVersion: groupVersionOf(kind), metadata};
  const text = encodeJson(kind.types, kind.typeName, whole as unknown as JsonObject);
  return ownBuffer(text);
};

/** In memory of its own: a slice of the shared pool would keep what lies beside it alive as long as the object. */
const ownBuffer = (text: string, rest?: Buffer): Buffer => {
  const bytes = Buffer.byteLength(text);
  const value = Buffer.allocUnsafeSlow(bytes + (rest?.length ?? 0));
  value.write(text);
  rest?.copy(value, bytes);
  return value;
};

const IN_FRONT: ReadonlySet<string> = new Set(['kind', 'apiVersion', 'metadata']);

/** Behind the metadata both have the same lists, and nothing else: lists are replaced, never changed in place. */
const sharesRest = ({types, typeName}: KindDefinition, draft: KubeObject, live: KubeObject): boolean => {
  const [after, before] = [draft, live] as unknown as [JsonObject, JsonObject];
  const shares = types[typeName]?.fields.every(
    ({name, type}) =>
      IN_FRONT.has(name) || (after[name] === before[name] && (after[name] === undefined || type.type === 'list')),
  );
  return shares === true;
};

/** The object with kind and apiVersion as JSON, and a final newline. */
export const wholeJson = (kind: KindDefinition, object: CachedObject): Buffer => {
  const head = headOf(kind);
  const out = Buffer.allocUnsafe(head.length + object.itemBytes);
  out.write(head, 0, 'latin1');
  out[object.writeBody(out, head.length)] = NEWLINE;
  return out;
};

/** An object that says only how far the server is. */
export const bookmarkObject = (kind: KindDefinition, revision: bigint, initialEventsEnd: boolean): CachedObject => {
  const resourceVersion = revision.toString();
  const metadata = initialEventsEnd ? {annotations: {'k8s.io/initial-events-end': 'true'}} : {};
  const value = Buffer.from(encodeJson(kind.types, kind.typeName, {metadata}));
  const shown = value.includes('"metadata":') ? value : Buffer.from('{"metadata":{}}');
  return new CachedObject({namespace: '', name: ''}, shown, revision, resourceVersion);
};

/** `{"kind":"EndpointsList","apiVersion":"v1",` */
export const listHeadOf = (kind: KindDefinition): string =>
  `{"kind":"${kind.listKind}","apiVersion":"${groupVersionOf(kind)}",`;
