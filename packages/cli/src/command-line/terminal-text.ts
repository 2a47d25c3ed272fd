// SPDX-License-Identifier: Apache-2.0
/** What others wrote (names, annotations), on its way to a terminal. */
import {shellWord} from '@palisade/ids-wire';

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is meant
const CONTROLS = /[\0-\x1f\x7f-\x9f]/g;

const hexOf = (one: string, digits: number): string => one.charCodeAt(0).toString(16).padStart(digits, '0');

/**
 * The text without what would move the cursor, recolour or answer: control characters as text, but for line feeds and tabs.
 * Ref: kubernetes v1.36 cli-runtime/pkg/printers/terminal.go, which does so with escape and carriage return.
 */
export const terminalText = (text: string): string =>
  text.replace(CONTROLS, one => {
    if (one === '\n' || one === '\t') return one;
    if (one === '\x1b') return '^[';
    return one === '\r' ? '\\r' : `\\x${hexOf(one, 2)}`;
  });

/** Text of a cell of a table: one line, also where the text has several, and without tabs. */
export const terminalCell = (text: string): string =>
  terminalText(text).replaceAll('\n', '\\n').replaceAll('\t', '\\t');

/** JSON of which a terminal takes nothing for control: JSON itself leaves those beyond ASCII, and DEL, as they are. */
export const terminalJson = (value: unknown): string =>
  JSON.stringify(value).replace(CONTROLS, one => `\\u${hexOf(one, 4)}`);

/** A word of a command that is shown to be pasted into a shell; control characters as bash, zsh and ksh read them. */
export const terminalWord = (text: string): string =>
  text.search(CONTROLS) === -1
    ? shellWord(text)
    : `$'${text.replace(/['\\]/g, '\\$&').replace(CONTROLS, one => `\\u${hexOf(one, 4)}`)}'`;
