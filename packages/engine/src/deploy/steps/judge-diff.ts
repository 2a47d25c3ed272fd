// SPDX-License-Identifier: Apache-2.0
/** From a provider's Diff and the program's options to what has to happen to a resource. */
import {
  type DiffKind,
  type DiffResult,
  formatPropertyPath,
  isPropertyList,
  isPropertyMap,
  isSecret,
  isUnknown,
  type PropertyDiff,
  type PropertyMap,
  type PropertyPath,
  type PropertyValue,
  parsePropertyPath,
  pathContains,
} from '@palisade/provider';

/** Special path of `replaceOnChanges` that stands for a failed initialization. */
const INIT_ERROR_KEY = '#initerror';

export type Judgement = {
  readonly action: 'same' | 'update' | 'replace';
  readonly replaceReasons: readonly string[];
  readonly diffReasons: readonly string[];
  readonly detailedDiff: DiffResult['detailedDiff'] | undefined;
  readonly deleteBeforeReplace: boolean;
};

export const SAME: Judgement = {
  action: 'same',
  replaceReasons: [],
  diffReasons: [],
  detailedDiff: undefined,
  deleteBeforeReplace: false,
};

export const replaceBecause = (reason: string): Judgement => ({
  ...SAME,
  action: 'replace',
  replaceReasons: [reason],
  diffReasons: [reason],
});

/**
 * `replaceOnChanges` paths turn a change at or below them (or, for a change that is reported as a whole, of something that holds
 * them) into a replacement. Ref: Pulumi applyReplaceOnChanges.
 */
export function judgeDiff(diff: DiffResult, replaceOnChanges: readonly string[], hasInitErrors: boolean): Judgement {
  if (diff.changes === 'none' && !hasInitErrors) return SAME;
  const patterns = replaceOnChanges.map(parsePropertyPath);
  const reasons = new Set(diff.replaces);
  const detailed: Record<string, PropertyDiff> = {};
  for (const [path, change] of Object.entries(diff.detailedDiff)) {
    const forced = patterns.some(pattern => touches(pattern, parsePropertyPath(path)));
    detailed[path] = forced ? {...change, kind: toReplace(change.kind)} : change;
    if (forced) reasons.add(topLevel(path));
  }
  for (const key of diff.diffs)
    if (Object.keys(detailed).length === 0 && patterns.some(pattern => pathContains(pattern, [key]))) reasons.add(key);
  if (hasInitErrors && patterns.some(pattern => pathContains(pattern, [INIT_ERROR_KEY]))) reasons.add(INIT_ERROR_KEY);
  return {
    action: reasons.size > 0 ? 'replace' : diff.changes === 'some' || hasInitErrors ? 'update' : 'same',
    replaceReasons: [...reasons],
    diffReasons: diff.diffs,
    detailedDiff: detailed,
    deleteBeforeReplace: diff.deleteBeforeReplace,
  };
}

const topLevel = (path: string): string => formatPropertyPath(parsePropertyPath(path).slice(0, 1));

const touches = (pattern: PropertyPath, path: PropertyPath): boolean => pathContains(pattern, path);

const toReplace = (kind: DiffKind): DiffKind =>
  kind === 'add' ? 'add-replace' : kind === 'delete' ? 'delete-replace' : kind === 'update' ? 'update-replace' : kind;

/** A refresh shows what came from outside: additions of the next `up` are deletions there, and the other way round. */
export function invertDiff(detailed: DiffResult['detailedDiff']): DiffResult['detailedDiff'] {
  const swap: Readonly<Record<DiffKind, DiffKind>> = {
    add: 'delete',
    'add-replace': 'delete-replace',
    delete: 'add',
    'delete-replace': 'add-replace',
    update: 'update',
    'update-replace': 'update-replace',
  };
  return Object.fromEntries(
    Object.entries(detailed).map(([path, change]) => [path, {...change, kind: swap[change.kind]}]),
  );
}

/** Equal including secrecy; an unknown equals nothing. */
export function sameValue(a: PropertyValue | undefined, b: PropertyValue | undefined): boolean {
  if (isUnknown(a) || isUnknown(b)) return false;
  if (isSecret(a) || isSecret(b)) return isSecret(a) && isSecret(b) && sameValue(a.value, b.value);
  if (isPropertyList(a))
    return isPropertyList(b) && a.length === b.length && a.every((member, i) => sameValue(member, b[i]));
  if (isPropertyMap(a)) return isPropertyMap(b) && sameProperties(a, b);
  return a === b;
}

export function sameProperties(a: PropertyMap, b: PropertyMap): boolean {
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...keys].every(key => sameValue(a[key], b[key]));
}

/** Top-level keys that differ, for components: they have no provider to ask. */
export const changedKeys = (a: PropertyMap, b: PropertyMap): string[] =>
  [...new Set([...Object.keys(a), ...Object.keys(b)])]
    .filter(key => !sameValue(a[key], b[key]))
    .map(key => formatPropertyPath([key]));
