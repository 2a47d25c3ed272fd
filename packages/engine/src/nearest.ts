// SPDX-License-Identifier: Apache-2.0
/** "Did you mean": for unknown commands, flags and URNs. */

/** The nearest known word, or undefined when none is near: more than three letters off, or no letter in common. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const best = known.map(k => ({k, d: distance(word, k)})).sort((x, y) => x.d - y.d)[0];
  return best !== undefined && best.d <= 3 && best.d < best.k.length ? best.k : undefined;
}

/** Insertions, deletions and replacements between two words. */
function distance(a: string, b: string): number {
  let row = Array.from({length: b.length + 1}, (_, i) => i);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, replaced));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
