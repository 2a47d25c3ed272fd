// SPDX-License-Identifier: Apache-2.0
/** Two changes of one object put together: those of the user and those of another client. */

export type Merged = {
  readonly object: unknown;
  /** Fields that both changed, each in a different way; the user's value is kept. */
  readonly both: readonly string[];
};

export const isMapping = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Deep equality of JSON; the order of names does not count. */
export function isSame(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((item, at) => isSame(item, b[at]));
  if (!isMapping(a) || !isMapping(b)) return a === b;
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...names].every(name => name in a && name in b && isSame(a[name], b[name]));
}

/** Mappings name by name; lists and values as a whole, as the server's atomic fields. undefined: the field does not exist. */
export function mergeChanges(base: unknown, mine: unknown, theirs: unknown, path = ''): Merged {
  if (isSame(mine, theirs) || isSame(base, mine)) return {object: theirs, both: []};
  if (isSame(base, theirs)) return {object: mine, both: []};
  if (!isMapping(mine) || !isMapping(theirs)) return {object: mine, both: [path]};
  const old = isMapping(base) ? base : {};
  const both: string[] = [];
  const object: [string, unknown][] = [];
  for (const name of new Set([...Object.keys(theirs), ...Object.keys(mine)])) {
    const merged = mergeChanges(old[name], mine[name], theirs[name], path === '' ? name : `${path}.${name}`);
    both.push(...merged.both);
    if (merged.object !== undefined) object.push([name, merged.object]);
  }
  return {object: Object.fromEntries(object), both};
}
