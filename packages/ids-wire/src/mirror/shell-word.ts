// SPDX-License-Identifier: Apache-2.0
/** A text as one word of a command line, for lines that a user pastes into a shell. */
export const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
