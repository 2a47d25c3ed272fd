// SPDX-License-Identifier: Apache-2.0
/**
 * Plain writes (create, put, the three patches): who owns the fields of the object that is about to be stored.
 * A write that changes nothing leaves entries and times as they are. An object that nobody tracks stays untracked
 * until it is first applied.
 * Ref: kubernetes v1.36 apimachinery pkg/util/managedfields/internal/{fieldmanager,skipnonapplied,managedfieldsupdater}.go.
 */
import {decodeValue} from '../codec/decode.ts';
import {equalJson, isJsonArray, isJsonObject} from '../patch/json-value.ts';
import type {Json, JsonObject, TypeTable} from '../schema.ts';
import {type FieldSet, intersection, union} from './fields/field-set.ts';
import {
  decodeManagers,
  encodeManagers,
  isReset,
  isVersion,
  ManagedFieldsError,
  type Manager,
  type Managers,
  managerId,
} from './managers.ts';
import {
  capUpdateManagers,
  dropLostFields,
  entriesSayUntracked,
  ownUntracked,
  reconcileManagers,
  stripUntracked,
  UNTRACKED,
  withoutReset,
} from './ownership.ts';
import {type Comparison, compareObjects} from './typed/compare.ts';
import {hasNamelessItem} from './typed/nameless.ts';
import {type MapShape, shapeOf} from './typed/shape.ts';

/** What plain writes and applies both need to know. */
export type WriteContext = {
  readonly types: TypeTable;
  /** Name of the kind's struct in the table, for example `io.k8s.api.core.v1.Endpoints`. */
  readonly typeName: string;
  /** `group/version` of the request, `v1` for the core group. */
  readonly apiVersion: string;
  /** Manager name of the request: `fieldManager`, else from the user agent; empty counts as `unknown`. */
  readonly manager: string;
  /** RFC 3339, UTC, whole seconds: `2026-01-02T03:04:05Z`. */
  readonly now: string;
  /** Empty for the main resource. */
  readonly subresource?: string | undefined;
  /** Fields (with all below) that the strategy of this (sub)resource resets, so nobody owns them through it. */
  readonly resetFields?: FieldSet | undefined;
  /**
   * Times as the specification has them (E-216): also an apply that only adds co-ownership, and a plain write that
   * only removes fields of its own, move the time of the entry. False: as kube-apiserver does.
   */
  readonly specTimes: boolean;
};

export type UpdateContext = WriteContext & {
  /** The stored object; undefined on create. Objects are in stored form: no empty keys, defaults filled in. */
  readonly live: JsonObject | undefined;
  /** The object that is about to be stored. `metadata.managedFields` in it is ignored if `sentManagedFields` is given. */
  readonly next: JsonObject;
  /** `metadata.managedFields` as the request left it, before empty keys were dropped (`[]` is a reset). */
  readonly sentManagedFields?: Json | undefined;
  /**
   * As kube-apiserver does: who sends an empty list within an item of a list, which is not stored, comes to own that list. Else a
   * write of what is stored changes nothing (E-048).
   */
  readonly empties?: boolean | undefined;
};

export type ManagedObject = {
  /** `next` with its new `metadata.managedFields`; what did not change is shared, not copied. */
  readonly object: JsonObject;
  readonly managedFields: readonly JsonObject[] | undefined;
};

const UNKNOWN_MANAGER = 'unknown';
const EMPTY_OBJECT: JsonObject = Object.freeze({});
const NO_ENTRIES: readonly JsonObject[] | undefined = undefined;

/**
 * Never fails: what is malformed in the sent entries counts as not sent; versions that are none end the tracking, and so do items of
 * a list that have nothing to be named by, before or after the write.
 */
export function manageUpdate(context: UpdateContext): ManagedObject {
  const {live, next} = context;
  const shape = shapeOf(context.types, context.typeName);
  if (hasNamelessItem(next, shape) || hasNamelessItem(live, shape)) return withEntries(next, NO_ENTRIES);
  return managed(context, shape);
}

function managed(context: UpdateContext, shape: MapShape): ManagedObject {
  const {live, next} = context;
  const liveEntries = entriesOf(live);
  const change = changeOf(context, shape);
  const sent = context.sentManagedFields === undefined ? entriesOf(next) : context.sentManagedFields;
  const keepsEntries = sent === undefined || sent === null || equalJson(sent, liveEntries);
  if (keepsEntries && isSame(change) && isPlain(liveEntries, context.apiVersion)) {
    return withEntries(next, liveEntries as readonly JsonObject[] | undefined);
  }
  const managers = currentManagers(context, sent, liveEntries);
  if (managers.size === 0 && live !== undefined && hasUid(live)) return withEntries(next, NO_ENTRIES);
  if (![...managers.values()].every(({apiVersion}) => isVersion(apiVersion))) return withEntries(next, NO_ENTRIES);
  const owners = reconcileManagers(managers, context.apiVersion, shape);
  const lost = live !== undefined && ownUntracked(owners.values()) ? compareAll(live, context, shape) : change;
  return withEntries(next, encodeManagers(trackUpdate(context, owners, lost)));
}

/** A first version writes its name too, which nobody owns: sent entries that claim it lose it. */
function changeOf(context: UpdateContext, shape: MapShape): Comparison {
  const {live, next, types, typeName, empties} = context;
  if (live === undefined) return compareAll(unsetObject(types, typeName), context, shape);
  return withoutReset(compareObjects(live, next, shape, {skip: UNTRACKED, empties}), context.resetFields);
}

/** Also what nobody owns. The entries are taken off the next version first, as upstream does. */
function compareAll(before: JsonObject, {next, resetFields, empties}: UpdateContext, shape: MapShape): Comparison {
  return withoutReset(compareObjects(before, withEntries(next, NO_ENTRIES).object, shape, {empties}), resetFields);
}

const unset = new WeakMap<TypeTable, Map<string, JsonObject>>();

/** What the first version of an object is compared with: nothing is set, but what Go always writes is there as null. */
export function unsetObject(types: TypeTable, typeName: string): JsonObject {
  const known = unset.get(types) ?? new Map<string, JsonObject>();
  unset.set(types, known);
  const object = known.get(typeName) ?? decodeValue(types, typeName, {}, {defaults: false}).object;
  known.set(typeName, object);
  return object;
}

function isSame(change: Comparison): boolean {
  return change.added.size === 0 && change.modified.size === 0 && change.removed.size === 0;
}

/** Entries that only a change of what they own can change. Those in another version of the API go with any write in this one. */
function isPlain(entries: Json | undefined, apiVersion: string): boolean {
  if (entries === undefined) return true;
  if (!isJsonArray(entries) || entriesSayUntracked(entries)) return false;
  return entries.every(entry => isJsonObject(entry) && entry['apiVersion'] === apiVersion);
}

/** The owners before the write: those that were sent if they make sense, else those of the live object. */
function currentManagers(context: UpdateContext, sent: Json | undefined, live: Json | undefined): Managers {
  if (!context.subresource) {
    if (isReset(sent)) return new Map();
    const managers = decodeOrEmpty(sent);
    if (managers.size > 0) return managers;
  }
  return decodeOrEmpty(live);
}

function decodeOrEmpty(entries: Json | undefined): Managers {
  try {
    return decodeManagers(entries);
  } catch (error) {
    if (error instanceof ManagedFieldsError) return new Map();
    throw error;
  }
}

/** Gives `change` to the writer and takes it from the others. */
export function trackUpdate(context: WriteContext, managers: Managers, change: Comparison): Managers {
  const self = updateManager(context);
  const id = managerId(self);
  const previous = managers.get(id);
  const removedOwn = previous !== undefined && intersection(previous.fields, change.removed).size > 0;
  dropLostFields(managers, '', change);
  const taken = stripUntracked(union(change.modified, change.added));
  const own = managers.get(id);
  if (taken.size > 0) {
    managers.set(id, {...self, fields: own === undefined ? taken : union(own.fields, taken)});
  } else if (removedOwn && context.specTimes && own !== undefined) {
    managers.set(id, {...own, time: context.now});
  }
  capUpdateManagers(managers);
  return managers;
}

function updateManager(context: WriteContext): Omit<Manager, 'fields'> {
  return {
    name: context.manager || UNKNOWN_MANAGER,
    operation: 'Update',
    apiVersion: context.apiVersion,
    subresource: context.subresource ?? '',
    time: context.now,
  };
}

export function entriesOf(object: JsonObject | undefined): Json | undefined {
  const metadata = object?.['metadata'];
  return isJsonObject(metadata) ? metadata['managedFields'] : undefined;
}

function hasUid(object: JsonObject): boolean {
  const metadata = object['metadata'];
  return isJsonObject(metadata) && typeof metadata['uid'] === 'string' && metadata['uid'] !== '';
}

/** The object with exactly these entries; a shallow copy of root and metadata, and none if nothing changes. */
export function withEntries(object: JsonObject, managedFields: readonly JsonObject[] | undefined): ManagedObject {
  const metadata = object['metadata'];
  const before = isJsonObject(metadata) ? metadata : EMPTY_OBJECT;
  if (before['managedFields'] === managedFields) return {object, managedFields};
  const after: {[key: string]: Json} = {...before};
  if (managedFields === undefined) delete after['managedFields'];
  else after['managedFields'] = managedFields;
  return {object: {...object, metadata: after}, managedFields};
}
