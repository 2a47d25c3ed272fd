// SPDX-License-Identifier: Apache-2.0
/**
 * The difference of two plain property maps as property paths.
 * Rules: `null` and absent are equal; an unknown on the new side is a change; lists are compared by index, unless their path is in
 * `sets`; a member that is a whole object on one side only is reported at its own path, not below.
 */
import {formatPropertyPath, type PropertyPath, parsePropertyPath, pathContains} from './property-path.ts';
import type {DiffKind, DiffResult, PropertyDiff} from './provider.ts';
import {isPropertyList, isPropertyMap, isUnknown, type PropertyMap, type PropertyValue} from './value.ts';

export type DiffRules = {
  /** Paths whose own change (not the change of something above them) forces a replacement. */
  readonly replaceOn?: readonly string[] | undefined;
  /** Paths of lists of scalars in which neither order nor repetition matters. */
  readonly sets?: readonly string[] | undefined;
};

export type PathDiff = {readonly path: PropertyPath; readonly kind: DiffKind};

/** Every difference, in the key order of the old value followed by what is new. */
export function diffProperties(before: PropertyMap, after: PropertyMap, rules: DiffRules = {}): PathDiff[] {
  const found: PathDiff[] = [];
  const context: Context = {
    replaceOn: (rules.replaceOn ?? []).map(parsePropertyPath),
    sets: (rules.sets ?? []).map(parsePropertyPath),
    found,
  };
  diffMaps(before, after, [], context);
  return found;
}

/** The answer of `Provider.diff` for these differences. */
export function toDiffResult(
  differences: readonly PathDiff[],
  options: {deleteBeforeReplace?: boolean; stables?: readonly string[]} = {},
): DiffResult {
  const detailedDiff: Record<string, PropertyDiff> = {};
  const replaces: string[] = [];
  const diffs = new Set<string>();
  for (const {path, kind} of differences) {
    const text = formatPropertyPath(path);
    detailedDiff[text] = {kind, inputDiff: true};
    if (kind.endsWith('-replace')) replaces.push(text);
    diffs.add(String(path[0]));
  }
  return {
    changes: differences.length === 0 ? 'none' : 'some',
    diffs: [...diffs],
    detailedDiff,
    replaces,
    deleteBeforeReplace: replaces.length > 0 && options.deleteBeforeReplace === true,
    stables: options.stables ?? [],
  };
}

type Context = {
  readonly replaceOn: readonly PropertyPath[];
  readonly sets: readonly PropertyPath[];
  readonly found: PathDiff[];
};

function diffMaps(before: PropertyMap, after: PropertyMap, path: PropertyPath, context: Context): void {
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const old = Object.hasOwn(before, key) ? before[key] : undefined;
    const next = Object.hasOwn(after, key) ? after[key] : undefined;
    diffValues(old ?? undefined, next ?? undefined, [...path, key], context);
  }
}

function diffValues(
  before: PropertyValue | undefined,
  after: PropertyValue | undefined,
  path: PropertyPath,
  context: Context,
): void {
  if (before === after && !isUnknown(after)) return;
  if (before === undefined) report('add', path, context);
  else if (after === undefined) report('delete', path, context);
  else if (isPropertyMap(before) && isPropertyMap(after)) diffMaps(before, after, path, context);
  else if (isPropertyList(before) && isPropertyList(after)) diffLists(before, after, path, context);
  else report('update', path, context);
}

function diffLists(
  before: readonly PropertyValue[],
  after: readonly PropertyValue[],
  path: PropertyPath,
  context: Context,
): void {
  if (context.sets.some(set => set.length === path.length && pathContains(set, path))) {
    diffSets(before, after, path, context);
    return;
  }
  for (let i = 0; i < Math.max(before.length, after.length); i += 1) {
    diffValues(before[i] ?? undefined, after[i] ?? undefined, [...path, i], context);
  }
}

/** New members at their new index, dropped ones at their old index; an index that is both is an update. */
function diffSets(
  before: readonly PropertyValue[],
  after: readonly PropertyValue[],
  path: PropertyPath,
  context: Context,
): void {
  const dropped = new Set<number>();
  before.forEach((member, i) => {
    if (!after.includes(member)) dropped.add(i);
  });
  after.forEach((member, i) => {
    if (before.includes(member)) return;
    if (dropped.delete(i) || isUnknown(member)) report('update', [...path, i], context);
    else report('add', [...path, i], context);
  });
  for (const i of dropped) report('delete', [...path, i], context);
}

function report(kind: 'add' | 'delete' | 'update', path: PropertyPath, context: Context): void {
  const replaces = context.replaceOn.some(pattern => pathContains(pattern, path));
  context.found.push({path, kind: replaces ? `${kind}-replace` : kind});
}
