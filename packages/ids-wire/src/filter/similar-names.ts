// SPDX-License-Identifier: Apache-2.0
/** "Did you mean": names that a word with a slip may stand for. */

/** Letters that are off. */
const OFF_MAX = 3;

/** Insertions, deletions and replacements between two words; each row is one letter of `a`. */
const distance = (a: string, b: string): number => {
  let row = Array.from({length: b.length + 1}, (_, i) => i);
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1];
    for (let j = 1; j <= b.length; j += 1)
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + (letter === b[j - 1] ? 0 : 1)));
    row = next;
  }
  return row[b.length] ?? 0;
};

/** Infinite where less than half is right. */
const offBy = (word: string, name: string): number => {
  if (Math.abs(word.length - name.length) > OFF_MAX) return Number.POSITIVE_INFINITY;
  const off = distance(word, name);
  return off <= OFF_MAX && off * 2 < Math.max(word.length, name.length) ? off : Number.POSITIVE_INFINITY;
};

/** The nearest of `names` (snake_case), else those of which the end is nearest: `severty` for `alert_severity`. */
export const similarNames = (word: string, names: readonly string[]): readonly string[] => {
  const nearest = (offOf: (name: string) => number): readonly string[] => {
    const rated = names.map(name => ({name, off: offOf(name)})).filter(({off}) => Number.isFinite(off));
    const least = Math.min(...rated.map(({off}) => off));
    return rated.filter(({off}) => off === least).map(({name}) => name);
  };
  const whole = nearest(name => offBy(word, name));
  if (whole.length > 0) return whole;
  const ends = (name: string): string[] => [...name.matchAll(/[_.]/g)].map(({index}) => name.slice(index + 1));
  return nearest(name => Math.min(...ends(name).map(end => offBy(word, end))));
};
