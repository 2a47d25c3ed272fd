// SPDX-License-Identifier: Apache-2.0
import {type Classtype, classtypeNamed} from '../../suricata/classifications.ts';
import {nameOfRule} from '../refused-rules.ts';
import type {GivenRule} from '../rule-files.ts';

const CLASSTYPE = /[(;]\s*classtype\s*:\s*([^;\s]+)\s*;/i;

/** Suricata takes rules whose classtype nobody has defined, without a priority: a line for each. `more`: besides ours. */
export const unknownClasstypes = (rules: readonly GivenRule[], more: readonly Classtype[]): string[] => {
  const known = new Set(more.map(({name}) => name));
  const found = new Map<string, {readonly first: GivenRule; count: number}>();
  for (const rule of rules) {
    const name = CLASSTYPE.exec(rule.text)?.[1];
    if (name === undefined || known.has(name) || classtypeNamed(name) !== undefined) continue;
    const there = found.get(name);
    if (there === undefined) found.set(name, {first: rule, count: 1});
    else there.count++;
  }
  return [...found].map(([name, {first, count}]) => {
    const others = count === 1 ? '' : ` and ${count - 1} more`;
    const mend = 'add it to classification.config next to the rules, or use a known one';
    return `unknown classtype ${name}, ${nameOfRule(first)}${others}: the severity is LOW unless the rule gives another; ${mend}`;
  });
};
