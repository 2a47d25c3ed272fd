// SPDX-License-Identifier: Apache-2.0
/**
 * Between the form in which an object is stored and that of a kind that shows it in another version or group (`storedAs`). Both
 * forms pass through the encoder, so each is exactly what a client of its kind would see.
 */
import {encodeJson, type JsonObject} from '@palisade/kube-wire';
import {STEPS} from '../base/limits.ts';
import {groupVersionOf, type KubeObject} from '../base/object.ts';
import {CachedObject, decodeItem} from '../cache/cached-object.ts';
import {piecesInTurns} from '../cache/watch/in-turns.ts';
import type {Scheduler} from '../cache/watch/scheduler.ts';
import type {KindDefinition} from '../kind/kind.ts';
import {encodeStored} from './object-codec.ts';

/** Made when somebody asks, and kept only as long as somebody uses it: the stored bytes are the only copy that stays. */
const shown = new WeakMap<KindDefinition, WeakMap<CachedObject, WeakRef<CachedObject>>>();

/** Another content at the same place, with the same version. */
const withContent = (kind: KindDefinition, object: CachedObject, content: KubeObject): CachedObject =>
  new CachedObject(object, encodeStored(kind, content), object.revision, object.resourceVersion);

/** Without what the kind does not show of it. */
export const shownForm = (kind: KindDefinition, object: CachedObject): CachedObject => {
  const content = kind.shown?.(object);
  return content === undefined ? object : withContent(kind, object, content);
};

/** The stored object as the kind shows it: the same place, uid and version. */
export const inOwnForm = (kind: KindDefinition, object: CachedObject): CachedObject => {
  if (kind.storedAs === undefined) return object;
  let ofKind = shown.get(kind);
  if (ofKind === undefined) {
    ofKind = new WeakMap();
    shown.set(kind, ofKind);
  }
  const known = ofKind.get(object)?.deref();
  if (known !== undefined) return known;
  const stored = decodeItem(object);
  const made = withContent(kind, object, {metadata: stored.metadata, ...kind.storedAs.fromStored(stored)});
  ofKind.set(object, new WeakRef(made));
  return made;
};

/** As answers of the kind show a list, a bounded number in each turn. */
export const inOwnFormInTurns = async (
  kind: KindDefinition,
  slices: readonly (readonly CachedObject[])[],
  scheduler: Scheduler,
): Promise<readonly (readonly CachedObject[])[]> => {
  if (kind.storedAs === undefined && kind.shown === undefined) return slices;
  const converted: CachedObject[][] = [];
  for await (const piece of piecesInTurns(slices, STEPS.convertedObjectsMax, scheduler))
    converted.push(piece.map(object => shownForm(kind, inOwnForm(kind, object))));
  return converted;
};

/** What a request made of the shown form, as the stored kind has it. Shares the metadata with `draft`. */
export const toStoredForm = (kind: KindDefinition, draft: KubeObject): KubeObject => {
  if (kind.storedAs === undefined) return draft;
  const {kind: of, toStored} = kind.storedAs;
  const content = JSON.parse(encodeJson(of.types, of.typeName, toStored(draft) as JsonObject)) as JsonObject;
  return {...content, kind: of.kind, apiVersion: groupVersionOf(of), metadata: draft.metadata};
};
