// SPDX-License-Identifier: Apache-2.0
/** What is wrong with the words and variables of a configuration whatever the rules are: it is refused for them before anything starts. */
import {valueFaults} from '../settings/variables.ts';
import type {RuleSource} from '../sources.ts';
import {expressionOf, RuleMatcher} from './rule-match.ts';

const matchFaults = (path: string, word: string): string[] =>
  new RuleMatcher([word]).faults.map(fault => `${path} ${fault}`);

/** Of a list, one line each, beginning with the word. */
export const wordFaults = (words: readonly string[]): readonly string[] => new RuleMatcher(words).faults;

/** One line each, beginning with the path in the source and the value. */
export const sourceFaults = ({enable, disable, modify}: RuleSource): string[] => [
  ...disable.flatMap((word, at) => matchFaults(`disable[${at}]`, word)),
  ...enable.flatMap((word, at) => matchFaults(`enable[${at}]`, word)),
  ...modify.flatMap(({match, from}, at) => {
    const expression = expressionOf(from, 'g');
    return [
      ...matchFaults(`modify[${at}].match`, match),
      ...(typeof expression === 'string' ? [`modify[${at}].from ${from}: ${expression}`] : []),
    ];
  }),
];

/** One line each, beginning with the name. */
export const variableFaults = valueFaults;
