// SPDX-License-Identifier: Apache-2.0
/** How Go prints strings and bytes in messages. Ref: Go strconv.Quote, encoding/json quoteChar. */

const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
  '"': '\\"',
};
const PLAIN = /^[ !#-[\]-~]*$/;
const UNPRINTABLE = /[\p{C}\p{Z}"\\]/u;

/** `%q`: a double-quoted Go string literal. */
export function goQuote(text: string): string {
  if (PLAIN.test(text)) return `"${text}"`;
  let out = '"';
  for (const char of text) {
    const short = SHORT_ESCAPES[char];
    if (short !== undefined) out += short;
    else if (char === ' ' || !UNPRINTABLE.test(char)) out += char;
    else out += escapedRune(char.codePointAt(0) ?? 0);
  }
  return `${out}"`;
}

function escapedRune(code: number): string {
  if (code < 0x80) return `\\x${code.toString(16).padStart(2, '0')}`;
  if (code >= 0xd800 && code <= 0xdfff) return '\ufffd';
  if (code < 0x10000) return `\\u${code.toString(16).padStart(4, '0')}`;
  return `\\U${code.toString(16).padStart(8, '0')}`;
}

/** One byte between single quotes, as the JSON scanner names the character it did not expect. */
export function goQuoteByte(byte: number): string {
  if (byte === 0x27) return "'\\''";
  if (byte === 0x22) return `'"'`;
  return `'${goQuote(String.fromCharCode(byte)).slice(1, -1)}'`;
}
