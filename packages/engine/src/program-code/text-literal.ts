// SPDX-License-Identifier: Apache-2.0
/** Characters in literals of a program. */

/** What is no letter, mark, number, punctuation or symbol, but for the space. */
const UNPRINTABLE = /(?! )[\p{C}\p{Z}]/gu;

/** More than one line, not counting a single line end at one of the ends. */
export function isLong(text: string): boolean {
  const ends = text.split('\n').length - 1;
  return ends > 1 || (ends === 1 && !text.startsWith('\n') && !text.endsWith('\n'));
}

/** Line ends stay as they are in a literal of several lines. */
export const escapeUnprintable = (text: string, escapePoint: (point: number) => string): string =>
  text.replace(UNPRINTABLE, one => {
    if (one !== '\n') return escapePoint(one.codePointAt(0) ?? 0);
    return isLong(text) ? one : '\\n';
  });

export const hex = (point: number, digits: number): string => point.toString(16).padStart(digits, '0');
