// SPDX-License-Identifier: Apache-2.0
/** What others wrote (names, annotations), on its way to a terminal. */

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is meant
const CONTROLS = /[\0-\x08\x0b-\x1f\x7f-\x9f]/g;

/**
 * The text without what would move the cursor, recolour or answer: control characters as text, but for line feeds and tabs.
 * Ref: kubernetes v1.36 cli-runtime/pkg/printers/terminal.go, which does so with escape and carriage return.
 */
export const terminalText = (text: string): string =>
  text.replace(CONTROLS, one => {
    if (one === '\x1b') return '^[';
    return one === '\r' ? '\\r' : `\\x${one.charCodeAt(0).toString(16).padStart(2, '0')}`;
  });

/** JSON of which a terminal takes nothing for control: JSON itself leaves those beyond ASCII, and DEL, as they are. */
export const terminalJson = (value: unknown): string =>
  JSON.stringify(value).replace(/[\x7f-\x9f]/g, one => `\\u00${one.charCodeAt(0).toString(16)}`);
