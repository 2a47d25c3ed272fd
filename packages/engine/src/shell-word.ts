// SPDX-License-Identifier: Apache-2.0
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is meant
const CONTROLS = /[\0-\x1f\x7f-\x9f]/;

/** A text as one word of a command line, for lines that a user pastes into a shell. */
export const shellWord = (text: string): string => {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text;
  return CONTROLS.test(text) ? escapedWord(text) : `'${text.replaceAll("'", `'\\''`)}'`;
};

/** As bash, zsh and ksh read control characters, which no terminal gets this way. */
const escapedWord = (text: string): string => {
  const escaped = Array.from(text, one => {
    if (one === "'" || one === '\\') return `\\${one}`;
    return CONTROLS.test(one) ? `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}` : one;
  });
  return `$'${escaped.join('')}'`;
};
