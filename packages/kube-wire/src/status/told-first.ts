// SPDX-License-Identifier: Apache-2.0
/** Characters that a refusal tells: each fault may quote a whole object, and there may be one for each character of it. */
const TOLD_MAX = 1024 * 1024;

/** The first of the items whose texts hold together, one in any case. Of items that are made one by one the others are not made. */
export function toldFirst<T>(items: Iterable<T>, lengthOf: (item: T) => number): T[] {
  const told: T[] = [];
  let length = 0;
  for (const item of items) {
    length += lengthOf(item);
    if (length > TOLD_MAX && told.length > 0) break;
    told.push(item);
  }
  return told;
}
