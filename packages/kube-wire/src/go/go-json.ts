// SPDX-License-Identifier: Apache-2.0
/** JSON text as Go's encoding/json writes it: `<`, `>`, `&` and the two line separators are escaped. */
export const goJson = (value: unknown): string => escapeForGo(JSON.stringify(value));

const ESCAPES: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
};

export const escapeForGo = (json: string): string =>
  /[<>&\u2028\u2029]/.test(json)
    ? json.replace(/[<>&\u2028\u2029]/g, character => ESCAPES[character] ?? character)
    : json;
