// SPDX-License-Identifier: Apache-2.0
/** `text` without the `char` (one code unit) at its ends. Linear, whatever a client sends: `/ +$/` is quadratic over a run inside. */
export const trimOf = (char: string, text: string): string => {
  let [from, to] = [0, text.length];
  while (from < to && text[from] === char) from++;
  while (to > from && text[to - 1] === char) to--;
  return text.slice(from, to);
};
