// SPDX-License-Identifier: Apache-2.0
/** The order that lists have: by `namespace/`, then by name. `a-b/x` comes before `a/x`, since `-` sorts before `/`. */

export type Key = {readonly namespace: string; readonly name: string};

/** What a namespace is compared by. */
export const namespaceOrder = (namespace: string): string => `${namespace}/`;

const isBefore = (a: Key, b: Key): boolean =>
  a.namespace === b.namespace ? a.name < b.name : namespaceOrder(a.namespace) < namespaceOrder(b.namespace);

/** How many items at the start of `sorted` lie before the place looked for. What is behind the last one is found at once. */
export const countBefore = <T>(sorted: readonly T[], liesBefore: (item: T) => boolean): number => {
  let low = 0;
  let high = sorted.length;
  const last = sorted[high - 1];
  if (last === undefined || liesBefore(last)) return high;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const item = sorted[middle];
    if (item !== undefined && liesBefore(item)) low = middle + 1;
    else high = middle;
  }
  return low;
};

/** Where an object with this key stands in `sorted`, or would stand. */
export const positionOf = (sorted: readonly Key[], key: Key): number =>
  countBefore(sorted, item => isBefore(item, key));

/** Those of one namespace, of objects in key order; the array itself when it has no others. */
export const inNamespace = <T extends Key>(sorted: readonly T[], namespace: string): readonly T[] => {
  if (sorted[0]?.namespace === namespace && sorted.at(-1)?.namespace === namespace) return sorted;
  const order = namespaceOrder(namespace);
  const from = countBefore(sorted, item => namespaceOrder(item.namespace) < order);
  const end = countBefore(sorted, item => namespaceOrder(item.namespace) <= order);
  return sorted.slice(from, end);
};
