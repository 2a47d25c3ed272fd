// SPDX-License-Identifier: Apache-2.0
/**
 * What a change of the object does to its owners; the part that plain writes and applies share.
 * Ref: structured-merge-diff v6 merge/update.go; kubernetes v1.36 managedfields stripmeta.go, capmanagers.go.
 */
import type {Json, JsonObject} from '../schema.ts';
import {
  difference,
  EMPTY_SET,
  type FieldSet,
  fieldSetOf,
  intersection,
  recursiveDifference,
  union,
} from './fields/field-set.ts';
import type {PathElement} from './fields/path-element.ts';
import {type Manager, type Managers, managerId, secondsOf} from './managers.ts';
import type {Comparison} from './typed/compare.ts';
import {reconcileFields} from './typed/reconcile.ts';
import type {MapShape} from './typed/shape.ts';

const UNTRACKED_ROOT = ['apiVersion', 'kind'] as const;
const UNTRACKED_METADATA = [
  'name',
  'namespace',
  'creationTimestamp',
  'selfLink',
  'uid',
  'clusterName',
  'generation',
  'managedFields',
  'resourceVersion',
] as const;

/** Keys that no manager ever owns, for the comparison to skip. */
export const UNTRACKED = {root: new Set<string>(UNTRACKED_ROOT), metadata: new Set<string>(UNTRACKED_METADATA)};

const UNTRACKED_FIELDS: FieldSet = fieldSetOf(
  ...UNTRACKED_ROOT.map(name => [`f:${name}`]),
  ['f:metadata'],
  ...UNTRACKED_METADATA.map(name => ['f:metadata', `f:${name}`]),
);

export function stripUntracked(fields: FieldSet): FieldSet {
  return difference(fields, UNTRACKED_FIELDS);
}

/** Whether somebody owns what nobody can come to own by a write: only entries that were sent say so. */
export function ownUntracked(managers: Iterable<Manager>): boolean {
  for (const {fields} of managers) if (intersection(fields, UNTRACKED_FIELDS).size > 0) return true;
  return false;
}

/** The same of entries as they are stored. */
export function entriesSayUntracked(entries: readonly Json[]): boolean {
  return entries.some(entry => {
    const fields = (entry as JsonObject | null)?.['fieldsV1'] as JsonObject | undefined;
    const metadata = fields?.['f:metadata'] as JsonObject | undefined;
    const owns = (level: JsonObject | undefined, names: readonly string[]) =>
      names.some(name => level?.[`f:${name}`] !== undefined);
    return owns(fields, UNTRACKED_ROOT) || owns(metadata, UNTRACKED_METADATA);
  });
}

/** Fields that a strategy resets on this (sub)resource belong to nobody there. */
export function withoutReset(change: Comparison, reset: FieldSet | undefined): Comparison {
  if (reset === undefined || reset.size === 0) return change;
  return {
    added: recursiveDifference(change.added, reset),
    modified: recursiveDifference(change.modified, reset),
    removed: recursiveDifference(change.removed, reset),
  };
}

/** Entries written in another version of the API are dropped; those under another schema are brought to this one. */
export function reconcileManagers(managers: Managers, apiVersion: string, shape: MapShape): Managers {
  const out: Managers = new Map();
  for (const [id, manager] of managers) {
    if (manager.apiVersion !== apiVersion) continue;
    const fields = reconcileFields(manager.fields, shape);
    out.set(id, fields === manager.fields ? manager : {...manager, fields});
  }
  return out;
}

export type Conflict = {readonly manager: Manager; readonly fields: FieldSet};

/** The owners whose fields the change writes. */
export function findConflicts(managers: Managers, writer: string, change: Comparison): Conflict[] {
  const written = union(change.modified, change.added);
  if (written.size === 0) return [];
  const conflicts: Conflict[] = [];
  for (const [id, manager] of managers) {
    if (id === writer) continue;
    const fields = intersection(manager.fields, written);
    if (fields.size > 0) conflicts.push({manager, fields});
  }
  return conflicts;
}

/**
 * Takes from all owners but `writer` what the change wrote or removed. Their times stay: a field that another takes
 * over does not move it (E-217). Owners of nothing go.
 */
export function dropLostFields(managers: Managers, writer: string, change: Comparison): void {
  const written = union(change.modified, change.added);
  for (const [id, manager] of managers) {
    const kept = id === writer ? manager.fields : difference(difference(manager.fields, written), change.removed);
    if (kept.size === 0) managers.delete(id);
    else if (kept !== manager.fields) managers.set(id, {...manager, fields: kept});
  }
}

/** More Update entries than this are folded into one. */
const UPDATE_MANAGERS_MAX = 10;
const ANCIENT_CHANGES = 'ancient-changes';

/** Folds the oldest Update entries of each version into `ancient-changes` until there are few enough. */
export function capUpdateManagers(managers: Managers): void {
  const updaters = [...managers].filter(([, manager]) => manager.operation === 'Update');
  let count = updaters.length;
  if (count <= UPDATE_MANAGERS_MAX) return;
  updaters.sort(([aId, a], [bId, b]) => secondsOf(a.time) - secondsOf(b.time) || (aId < bId ? -1 : 1));
  const firstOf = new Map<string, string>();
  for (const [id, manager] of updaters) {
    if (count <= UPDATE_MANAGERS_MAX) return;
    const first = firstOf.get(manager.apiVersion);
    if (first === undefined) {
      firstOf.set(manager.apiVersion, id);
      continue;
    }
    const bucketKey = {
      name: ANCIENT_CHANGES,
      operation: 'Update',
      apiVersion: manager.apiVersion,
      subresource: '',
    } as const;
    const bucketId = managerId(bucketKey);
    const bucket = managers.get(bucketId) ?? managers.get(first);
    if (!managers.has(bucketId)) managers.delete(first);
    const fields = union(manager.fields, bucket?.fields ?? EMPTY_SET);
    managers.delete(id);
    managers.set(bucketId, {...bucketKey, time: manager.time, fields});
    count--;
  }
}

/** Path of a top-level field, for callers that name reset fields. */
export function fieldPath(...names: readonly string[]): PathElement[] {
  return names.map(name => `f:${name}`);
}
