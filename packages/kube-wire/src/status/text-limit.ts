// SPDX-License-Identifier: Apache-2.0
/** Characters of faults in one error: each fault may quote a whole object, and there may be one for each character of it. */
const TEXT_LENGTH_MAX = 1024 * 1024;

/** The first items whose texts fit the limit together, at least one. Takes no item of a generator beyond the limit. */
export function withinTextLimit<T>(items: Iterable<T>, lengthOf: (item: T) => number): T[] {
  const taken: T[] = [];
  let length = 0;
  for (const item of items) {
    length += lengthOf(item);
    if (length > TEXT_LENGTH_MAX && taken.length > 0) break;
    taken.push(item);
  }
  return taken;
}
