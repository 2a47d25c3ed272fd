// SPDX-License-Identifier: Apache-2.0
/** "Did you mean": for unknown commands, flags and URNs. */

const OFF_MAX = 3;

/** The nearest known word, or undefined when none is near: more than three letters off, or half of the longer word and more. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const best = known.map(k => ({k, off: distance(word, k)})).sort((x, y) => x.off - y.off)[0];
  if (best === undefined || best.off > OFF_MAX) return undefined;
  return best.off * 2 < Math.max(word.length, best.k.length) ? best.k : undefined;
}

/** `a, b or c`. */
export const oneOf = (words: readonly string[]): string => words.join(', ').replace(/, ([^,]*)$/, ' or $1');

/** The nearest one, else one of the same name. */
export const nearUrn = (text: string, urns: readonly string[]): string | undefined =>
  nearest(text, urns) ?? urns.find(urn => urn.endsWith(`::${text.split('::').at(-1)}`));

/** Insertions, deletions, replacements and swaps of neighbours between two words. Ref: optimal string alignment. */
function distance(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({length: b.length + 1}, (_, i) => i);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwap ? (before[j - 2] ?? 0) + 1 : replaced;
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, replaced, swapped));
    }
    [before, row] = [row, next];
  }
  return row[b.length] ?? 0;
}
