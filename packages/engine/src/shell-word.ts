// SPDX-License-Identifier: Apache-2.0
const WORD_PART = /'([^']*)'|"((?:[^"\\]|\\[\s\S])*)"|\\([\s\S])|([^\s'"\\]+)|(\s+)/y;

/** The words of a line as a shell reads them, without its variables; undefined when a quote is not closed. */
export function shellWords(line: string): readonly string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  WORD_PART.lastIndex = 0;
  while (WORD_PART.lastIndex < line.length) {
    const match = WORD_PART.exec(line);
    if (match === null) return undefined;
    const [, single, double, escaped, plain, space] = match;
    if (space === undefined) word = (word ?? '') + (single ?? double?.replace(/\\(["\\])/g, '$1') ?? escaped ?? plain);
    else if (word !== undefined) {
      words.push(word);
      word = undefined;
    }
  }
  return word === undefined ? words : [...words, word];
}
