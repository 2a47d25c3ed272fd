// SPDX-License-Identifier: Apache-2.0
/**
 * One pass over JSON text that JSON.parse has accepted: the number of object keys in it, or -1 when it holds something
 * that JSON.parse treats otherwise than Go (fractions and exponents, which Go refuses for integers; lone surrogates;
 * bytes that were no UTF-8). If the parsed value has as many keys, no key was given twice.
 */
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;

export function countKeys(text: string): number {
  if (text.includes('\ufffd')) return -1;
  let keys = 0;
  const length = text.length;
  for (let at = 0; at < length; at++) {
    const char = text.charCodeAt(at);
    if (char === QUOTE) {
      at = endOfString(text, at + 1);
      if (at < 0) return -1;
    } else if (char === COLON) keys++;
    else if (char === 0x2e || char === 0x45) return -1;
    else if (char === 0x65 && isDigit(text.charCodeAt(at - 1))) return -1;
  }
  return keys;
}

/** Index of the closing quote; -1 when the string has an escaped surrogate. */
function endOfString(text: string, from: number): number {
  for (let at = from; ; at++) {
    const char = text.charCodeAt(at);
    if (char === QUOTE) return at;
    if (char === BACKSLASH) {
      at++;
      if (text.charCodeAt(at) === 0x75 && (text.charCodeAt(at + 1) | 0x20) === 0x64) return -1;
    }
  }
}

function isDigit(char: number): boolean {
  return char >= 0x30 && char <= 0x39;
}
