// SPDX-License-Identifier: Apache-2.0
/** Two changes of one object put together: those of the user and those of another client. */

/** A field that both changed, each in a different way. undefined: that side removed it. */
export type BothChanged = {readonly field: string; readonly mine: unknown; readonly theirs: unknown};

export type Merged = {
  readonly object: unknown;
  /** The user's values are kept. */
  readonly both: readonly BothChanged[];
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

/** What an item of a list is known by: an address by its ip, a port by its name. */
const KEYS: Readonly<Record<string, string>> = {addresses: 'ip', notReadyAddresses: 'ip', ports: 'name'};

type Items = ReadonlyMap<string, unknown>;

/** Items by what they are known by; undefined where two are the same, or one is not a mapping. */
function itemsOf(list: unknown, field: string): Items | undefined {
  if (list === undefined) return new Map();
  if (!Array.isArray(list) || !list.every(isMapping)) return undefined;
  const key = KEYS[field];
  const items = new Map(list.map((item, at) => [String(key === undefined ? at : (item[key] ?? '')), item]));
  return items.size === list.length ? items : undefined;
}

/** Whether a side has an item of the base at another place. */
const isReordered = ([base = [], ...sides]: readonly (readonly unknown[])[]): boolean =>
  sides.some(side => base.some((item, at) => !isSame(item, side[at]) && side.some(other => isSame(item, other))));

/** The lists of a set as items to merge. Subsets have no key: by place, while nobody added, removed or moved one. */
function listsOf(sides: readonly unknown[], path: string): readonly Items[] | undefined {
  const field = path.slice(path.lastIndexOf('.') + 1);
  if (!(field in KEYS) && path !== 'subsets') return undefined;
  const lists = sides.map(side => itemsOf(side, field));
  if (!lists.every(items => items !== undefined)) return undefined;
  if (path !== 'subsets') return lists;
  const isMoved = new Set(lists.map(({size}) => size)).size > 1 || isReordered(lists.map(items => [...items.values()]));
  return isMoved ? undefined : lists;
}

const SUBSET = /^subsets\[\d+\]$/;

/** By ip: its address, and in which list of the subset it is. */
const placesOf = (subset: unknown): ReadonlyMap<string, {readonly list: string; readonly address: unknown}> =>
  new Map(
    ['addresses', 'notReadyAddresses'].flatMap(list => {
      const addresses = isMapping(subset) ? subset[list] : undefined;
      if (!Array.isArray(addresses)) return [];
      return addresses.filter(isMapping).map(address => [String(address['ip']), {list, address}] as const);
    }),
  );

/** Whether an address that both changed is ready for one and not ready for another: its two lists are not merged each alone. */
function isReadinessDisputed(subsets: readonly unknown[]): boolean {
  const places = subsets.map(placesOf);
  return [...new Set(places.flatMap(of => [...of.keys()]))].some(ip => {
    const [was, mine, theirs] = places.map(of => of.get(ip));
    const isChangedByBoth = !isSame(was, mine) && !isSame(was, theirs) && !isSame(mine, theirs);
    return isChangedByBoth && new Set([was, mine, theirs].flatMap(place => place?.list ?? [])).size > 1;
  });
}

/**
 * Mappings name by name, lists of subsets item by item; other lists and values as a whole, as the server's atomic fields.
 * undefined: the field does not exist.
 */
export function mergeChanges(base: unknown, mine: unknown, theirs: unknown, path = ''): Merged {
  if (isSame(mine, theirs) || isSame(base, mine)) return {object: theirs, both: []};
  if (isSame(base, theirs)) return {object: mine, both: []};
  if (Array.isArray(mine) && Array.isArray(theirs)) return mergeLists(base, mine, theirs, path);
  const isDisputed = SUBSET.test(path) && isReadinessDisputed([base, mine, theirs]);
  if (isDisputed || !isMapping(mine) || !isMapping(theirs)) return {object: mine, both: [{field: path, mine, theirs}]};
  const old = isMapping(base) ? base : {};
  const both: BothChanged[] = [];
  const object: [string, unknown][] = [];
  for (const name of new Set([...Object.keys(theirs), ...Object.keys(mine)])) {
    const merged = mergeChanges(old[name], mine[name], theirs[name], path === '' ? name : `${path}.${name}`);
    both.push(...merged.both);
    if (merged.object !== undefined) object.push([name, merged.object]);
  }
  return {object: Object.fromEntries(object), both};
}

function mergeLists(base: unknown, mine: unknown, theirs: unknown, path: string): Merged {
  const [old, own, other] = listsOf([base, mine, theirs], path) ?? [];
  if (old === undefined || own === undefined || other === undefined)
    return {object: mine, both: [{field: path, mine, theirs}]};
  const both: BothChanged[] = [];
  const object: unknown[] = [];
  for (const key of new Set([...other.keys(), ...own.keys()])) {
    const merged = mergeChanges(old.get(key), own.get(key), other.get(key), `${path}[${object.length}]`);
    both.push(...merged.both);
    if (merged.object !== undefined) object.push(merged.object);
  }
  return {object, both};
}
