// SPDX-License-Identifier: Apache-2.0
/** Variables in the head of a rule, `action protocol address port -> address port (…)`. */

export type Group = 'address' | 'port';
export type UsedVariable = {readonly name: string; readonly group: Group};

const VARIABLE = /\$([A-Za-z_][A-Za-z0-9_]*)/g;
export const variablesIn = (text: string): string[] => [...text.matchAll(VARIABLE)].map(([, name = '']) => name);

/** Words between blanks that are outside of brackets. */
const wordsOf = (head: string): string[] => {
  const words: string[] = [];
  let word = '';
  let depth = 0;
  for (const char of head) {
    if (char === '[') depth++;
    if (char === ']') depth--;
    if (/\s/.test(char) && depth <= 0) {
      if (word !== '') words.push(word);
      word = '';
    } else word += char;
  }
  return word === '' ? words : [...words, word];
};

/** Action, protocol, source address and port, direction, destination address and port. */
const GROUP_OF_WORD: readonly (Group | undefined)[] = [
  undefined,
  undefined,
  'address',
  'port',
  undefined,
  'address',
  'port',
];

/** Empty for a head that Suricata will refuse. */
export const usedVariables = (rule: string): UsedVariable[] => {
  const end = rule.indexOf('(');
  const head = end < 0 ? rule : rule.slice(0, end);
  if (!head.includes('$')) return [];
  const words = wordsOf(head);
  if (words.length !== GROUP_OF_WORD.length) return [];
  return words.flatMap((word, at) => {
    const group = GROUP_OF_WORD[at];
    return group === undefined ? [] : variablesIn(word).map(name => ({name, group}));
  });
};
