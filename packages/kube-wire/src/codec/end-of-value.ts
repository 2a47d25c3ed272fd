// SPDX-License-Identifier: Apache-2.0
const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;

/** Of what has no end of its own. */
const isEnd = (next: number | undefined): boolean => next === COMMA || next === 0x7d || next === 0x5d;

/** End (exclusive) of the JSON value that starts at `from`. The bytes are our own encoding: no white space outside strings. */
export const endOfValue = (bytes: Buffer, from: number): number => {
  let depth = 0;
  for (let i = from; i < bytes.length; i++) {
    const c = bytes[i];
    if (c === QUOTE) {
      i++;
      while (i < bytes.length && bytes[i] !== QUOTE) i += bytes[i] === BACKSLASH ? 2 : 1;
    } else if (c === 0x7b || c === 0x5b) depth++;
    else if (c === 0x7d || c === 0x5d) depth--;
    if (depth === 0 && (c === QUOTE || c === 0x7d || c === 0x5d)) return i + 1;
    if (depth === 0 && isEnd(bytes[i + 1])) return i + 1;
  }
  return bytes.length;
};
