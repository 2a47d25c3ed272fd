// SPDX-License-Identifier: Apache-2.0
/**
 * Edits the text of a filter: its outermost terms, which AND or a blank joins. Terms that are not touched stay as they were typed.
 * Ref: AIP-160; OR binds tighter than AND, so `a OR b` is one term.
 */

/** `path=value`. */
export type Term = {readonly path: string; readonly value: string};

/** Values that need no quotes: neither blanks, comparators and quotes, nor a wildcard or a leading minus. */
const PLAIN = /^[\w][\w.:/-]*$/;
const WORDS = new Set(['AND', 'OR', 'NOT']);

export function quoted(value: string): string {
  if (PLAIN.test(value) && !WORDS.has(value)) return value;
  return `"${value.replace(/["\\*]/g, '\\$&')}"`;
}
export const termText = ({path, value}: Term): string => `${path}=${quoted(value)}`;

/** Parts between blanks, outside of quotes and parentheses. */
function words(text: string): string[] {
  const found: string[] = [];
  let [word, depth, quote] = ['', 0, ''];
  for (let at = 0; at < text.length; at++) {
    const char = text[at] ?? '';
    if (quote !== '') {
      word += char;
      if (char === '\\') word += text[++at] ?? '';
      else if (char === quote) quote = '';
      continue;
    }
    if (char === '"' || char === "'") quote = char;
    if (char === '(') depth++;
    if (char === ')') depth--;
    if (/\s/.test(char) && depth <= 0) {
      if (word !== '') found.push(word);
      word = '';
    } else word += char;
  }
  return word === '' ? found : [...found, word];
}

const BEGINS_WITH_COMPARATOR = /^[=<>!:]/;
const ENDS_WITH_COMPARATOR = /[=<>:]$/;

/** `a=1 AND NOT b = "x y" OR c` → `a=1`, `NOT b = "x y" OR c`. */
export function topTerms(text: string): string[] {
  const terms: string[] = [];
  let joins = false;
  for (const word of words(text)) {
    if (word === 'AND') {
      joins = false;
      continue;
    }
    const last = terms.at(-1);
    const continues = joins || word === 'OR' || BEGINS_WITH_COMPARATOR.test(word);
    if (continues && last !== undefined) terms[terms.length - 1] = `${last} ${word}`;
    else terms.push(word);
    joins = word === 'OR' || word === 'NOT' || (ENDS_WITH_COMPARATOR.test(word) && !word.endsWith('"'));
  }
  return terms;
}

const joined = (terms: readonly string[]): string => terms.join(' AND ');
const without = (text: string, ...gone: readonly string[]): string[] =>
  topTerms(text).filter(term => !gone.includes(term));

/** Each is followed by its opposite's removal; a term that is there already is not repeated. */
export function include(text: string, term: Term): string {
  const wanted = termText(term);
  return joined([...without(text, wanted, `NOT ${wanted}`, `-${wanted}`), wanted]);
}
export function exclude(text: string, term: Term): string {
  const wanted = termText(term);
  return joined([...without(text, wanted, `NOT ${wanted}`, `-${wanted}`), `NOT ${wanted}`]);
}
/** All other terms go. */
export const only = (term: Term): string => termText(term);

/** Whether the filter has a term, written as here. */
export const hasTerm = (text: string, term: string): boolean => topTerms(text).includes(term);
/** Adds the term, or takes it away. `instead`: terms that make way for it. */
export function toggleTerm(text: string, term: string, instead: readonly string[] = []): string {
  const rest = without(text, term, ...instead);
  return joined(hasTerm(text, term) ? rest : [...rest, term]);
}
