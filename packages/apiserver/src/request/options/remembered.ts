// SPDX-License-Identifier: Apache-2.0
/** Selectors are asked again and again with the same text: what was read last is kept, and is read once. */

/** Texts remembered; the one not asked for the longest makes room. */
const TEXTS_MAX = 256;
/** A longer text is read each time, so that what is kept stays small. */
const CHARACTERS_MAX = 256;

/** The same function, which must be pure and give what nobody changes. What it throws is not remembered. */
export const remembered = <T>(read: (text: string) => T): ((text: string) => T) => {
  const known = new Map<string, {readonly own: string; readonly value: T}>();
  return text => {
    if (text.length > CHARACTERS_MAX) return read(text);
    let kept = known.get(text);
    if (kept === undefined) {
      // A text that was cut out of a request's head keeps all of that in memory, with its token: a copy does not.
      const own = Buffer.from(text).toString();
      kept = {own, value: read(own)};
    }
    known.delete(kept.own);
    known.set(kept.own, kept);
    const [oldest] = known.keys();
    if (known.size > TEXTS_MAX && oldest !== undefined) known.delete(oldest);
    return kept.value;
  };
};
