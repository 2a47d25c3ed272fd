// SPDX-License-Identifier: Apache-2.0
/**
 * Server-side apply: lays an applied configuration over the live object, as far as its owners allow.
 * The phases: check the configuration; give an untracked object an owner (`before-first-apply`); merge; prune what
 * the applier gave up; compare with the live object; refuse or take over what others own; note what the applier owns.
 * Ref: kubernetes v1.36 apimachinery pkg/util/managedfields/internal/{structuredmerge,skipnonapplied}.go.
 */
import {cannotUnmarshal, DecodeError} from '../codec/decode-error.ts';
import {convertUnstructured} from '../codec/unstructured.ts';
import {kubeTypes} from '../gen/kube-types.ts';
import {badRequest, caughtFault, type PatchFault, unclassified} from '../patch/fault.ts';
import {goJsonKind} from '../patch/go-text.ts';
import {equalJson, isJsonArray, isJsonObject} from '../patch/json-value.ts';
import type {Json, JsonObject} from '../schema.ts';
import {conflictRefusal} from './conflict.ts';
import {EMPTY_SET, equalSets, recursiveDifference} from './fields/field-set.ts';
import {conflictsBeyondLastApplied, KUBECTL_MANAGER, withLastApplied} from './last-applied.ts';
import {
  entriesOf,
  type ManagedObject,
  trackUpdate,
  unsetObject,
  type WriteContext,
  withEntries,
} from './manage-update.ts';
import {
  decodeManagers,
  encodeManagers,
  ManagedFieldsError,
  type Manager,
  type Managers,
  managerId,
} from './managers.ts';
import {
  dropLostFields,
  findConflicts,
  ownUntracked,
  reconcileManagers,
  stripUntracked,
  UNTRACKED,
  withoutReset,
} from './ownership.ts';
import {prune} from './prune.ts';
import {compareObjects} from './typed/compare.ts';
import {conversionFault} from './typed/convert.ts';
import {extractFields} from './typed/extract.ts';
import {mergeObjects, withEmbeddedStructs} from './typed/merge.ts';
import {hasNamelessItem} from './typed/nameless.ts';
import {type MapShape, shapeOf} from './typed/shape.ts';
import {validateTyped} from './typed/validate.ts';

export type ApplyContext = WriteContext & {
  /** Kind of the request's resource. */
  readonly kind: string;
  /** The stored object in stored form; undefined when the apply creates. */
  readonly live: JsonObject | undefined;
  /** The configuration as decoded from YAML, nothing dropped or defaulted. */
  readonly applied: Json;
  readonly force: boolean;
};

export type ApplyResult =
  | ({
      readonly ok: true;
      /** False: the object is the live one; only its owners may differ. */
      readonly changed: boolean;
    } & ManagedObject)
  | {readonly ok: false; readonly fault: PatchFault};

/**
 * The merged object, untyped: it still has to be decoded (nulls and empties dropped, unknown values refused), defaulted
 * and validated; then `keepTimesIfUnchanged`.
 */
export function manageApply(context: ApplyContext): ApplyResult {
  const result = caughtFault(() => apply(context));
  return result.ok ? {ok: true, ...result.value} : result;
}

const BEFORE_FIRST_APPLY = 'before-first-apply';

function apply(context: ApplyContext): ManagedObject & {changed: boolean} {
  const shape = shapeOf(context.types, context.typeName);
  const sent = ofRequestedKind(context);
  const managers = decodeLive(context.live);
  const live = context.live ?? {apiVersion: context.apiVersion, kind: context.kind, metadata: {}};
  const tracked = managers.size > 0 ? managers : beforeFirstApply(context, live, shape);
  const applied = checkedConfiguration(sent, shape);
  assertTyped(live, shape, 'failed to create typed live object');
  const current = reconcileManagers(tracked, context.apiVersion, shape);
  const self: Omit<Manager, 'fields' | 'time'> = {
    name: context.manager,
    operation: 'Apply',
    apiVersion: context.apiVersion,
    subresource: context.subresource ?? '',
  };
  const id = managerId(self);
  const last = current.get(id);
  const configured = extractFields(applied, shape);
  const fields = context.resetFields === undefined ? configured : recursiveDifference(configured, context.resetFields);
  current.set(id, {...self, time: last?.time, fields});
  const before = withEmbeddedStructs(live, shape);
  const next = mergeAndPrune(before, applied, current, last, shape);
  takeOwnership(context, before, next, current, id, shape);
  const changed = !equalJson(before, next);
  if (changed) assertConvertible(applied, shape);
  settleOwn(context, current, id, last, changed);
  const base = changed ? next : live;
  const synced = context.manager === KUBECTL_MANAGER ? withLastApplied(base, applied) : base;
  return {...withEntries(synced, encodeManagers(current)), changed: changed || synced !== base};
}

function decodeLive(live: JsonObject | undefined): Managers {
  try {
    return decodeManagers(entriesOf(live));
  } catch (error) {
    if (error instanceof ManagedFieldsError) throw unclassified(`failed to decode managed fields: ${error.message}`);
    throw error;
  }
}

function ofRequestedKind(context: ApplyContext): JsonObject {
  const applied = context.applied ?? {};
  if (!isJsonObject(applied)) throw badRequest(notAnObject(applied));
  const kind = kindText(applied);
  if (kind !== kindText({apiVersion: context.apiVersion, kind: context.kind})) {
    throw badRequest(`invalid object type: ${kind}`);
  }
  return applied;
}

/** No managedFields, everything known to the schema. */
function checkedConfiguration(applied: JsonObject, shape: MapShape): JsonObject {
  const metadata = applied['metadata'];
  const managedFields = isJsonObject(metadata) ? metadata['managedFields'] : undefined;
  if (isJsonArray(managedFields) && managedFields.every(isEntry)) {
    throw badRequest('metadata.managedFields must be nil');
  }
  const fault = validateTyped(applied, shape);
  if (fault !== undefined)
    throw unclassified(`failed to create typed patch object (${objectLabel(applied)}): ${fault}`);
  return applied;
}

const ENTRY = 'io.k8s.apimachinery.pkg.apis.meta.v1.ManagedFieldsEntry';

/** What is no entry does not count as one, and is judged by the schema like everything else. */
const isEntry = (value: Json): boolean => {
  try {
    return isJsonObject(value) && convertUnstructured(kubeTypes, ENTRY, value) !== undefined;
  } catch (error) {
    if (error instanceof DecodeError) return false;
    throw error;
  }
};

const notAnObject = (value: Json): string =>
  `error decoding YAML: error unmarshaling JSON: while decoding JSON: ${cannotUnmarshal(goJsonKind(value), 'value of type map[string]interface {}')}`;

/** `group/version, Kind=kind`, nothing for a version that cannot be read. */
function kindText(object: JsonObject): string {
  const apiVersion = typeof object['apiVersion'] === 'string' ? object['apiVersion'] : '';
  const kind = typeof object['kind'] === 'string' ? object['kind'] : '';
  const parts = apiVersion.split('/');
  if (parts.length > 2) return '/, Kind=';
  const [group = '', version = ''] = parts.length === 2 ? parts : ['', apiVersion];
  return `${group}/${version}, Kind=${kind}`;
}

/** How upstream names an object in its own errors: `namespace/name; group/version, Kind=kind`. */
function objectLabel(object: JsonObject): string {
  const metadata = isJsonObject(object['metadata']) ? object['metadata'] : {};
  const text = (key: string) => (typeof metadata[key] === 'string' ? metadata[key] : '');
  return `${text('namespace')}/${text('name')}; ${kindText(object)}`;
}

/** Everything that the untracked live object holds belongs to one Update entry. */
function beforeFirstApply(context: ApplyContext, live: JsonObject, shape: MapShape): Managers {
  if (context.live === undefined) return new Map();
  const nothing = unsetObject(context.types, context.typeName);
  assertTyped(
    live,
    shape,
    'failed to create manager for existing fields: failed to convert new object',
    ' to smd typed',
  );
  const change = withoutReset(compareObjects(nothing, live, shape, {skip: UNTRACKED}), context.resetFields);
  return trackUpdate({...context, manager: BEFORE_FIRST_APPLY}, new Map(), change);
}

/** A plain write may have stored what the schema does not allow in a list. */
function assertTyped(live: JsonObject, shape: MapShape, failure: string, into = ''): void {
  if (!hasNamelessItem(live, shape)) return;
  throw unclassified(`${failure} (${objectLabel(live)})${into}: ${validateTyped(live, shape, 'allowed')}`);
}

function mergeAndPrune(
  live: JsonObject,
  applied: JsonObject,
  managers: Managers,
  last: Manager | undefined,
  shape: MapShape,
): JsonObject {
  return prune(mergeObjects(live, applied, shape), managers, last?.fields ?? EMPTY_SET, shape);
}

/** Refuses what others own, or takes it from them. */
function takeOwnership(
  context: ApplyContext,
  live: JsonObject,
  next: JsonObject,
  managers: Managers,
  id: string,
  shape: MapShape,
): void {
  const others = [...managers].flatMap(([owner, manager]) => (owner === id ? [] : [manager]));
  const [before, after, skip] = ownUntracked(others)
    ? [withEntries(live, undefined).object, withEntries(next, undefined).object, undefined]
    : [live, next, UNTRACKED];
  const change = withoutReset(compareObjects(before, after, shape, {skip, literal: true}), context.resetFields);
  if (!context.force) {
    const conflicts = findConflicts(managers, id, change);
    const left =
      conflicts.length > 0 && context.manager === KUBECTL_MANAGER
        ? conflictsBeyondLastApplied(conflicts, live, context.apiVersion, shape)
        : conflicts;
    if (left.length > 0) throw conflictRefusal(left);
  }
  dropLostFields(managers, id, change);
}

function assertConvertible(applied: JsonObject, shape: MapShape): void {
  const fault = conversionFault(applied, shape);
  if (fault === undefined) return;
  throw unclassified(
    `failed to convert new object (${objectLabel(applied)}) to proper version: unable to convert unstructured object to ${kindText(applied)}: ${fault}`,
  );
}

/** What the applier owns from now on, and since when. */
function settleOwn(context: ApplyContext, managers: Managers, id: string, last: Manager | undefined, changed: boolean) {
  const own = managers.get(id);
  if (own === undefined) return;
  const fields = stripUntracked(own.fields);
  if (fields.size === 0) {
    managers.delete(id);
    return;
  }
  const gained = context.specTimes && (last === undefined || !equalSets(last.fields, fields));
  managers.set(id, {...own, fields, time: changed || gained ? context.now : last?.time});
}
