// SPDX-License-Identifier: Apache-2.0
/** Rules that others need: a rule that tests a flowbit finds nothing when the rules that set it are off. Ref: suricata-update, FlowbitResolver. */
import {parseOptions} from '../parse-rule.ts';

const SETTERS = new Set(['set', 'setx', 'unset', 'toggle']);
const TESTERS = new Set(['isset', 'isnotset']);

type Bits = {readonly sets: readonly string[]; readonly tests: readonly string[]};

export const bitsOf = (rule: string): Bits => {
  const sets: string[] = [];
  const tests: string[] = [];
  if (!/flowbits\s*:/i.test(rule)) return {sets, tests};
  for (const {name, value = ''} of parseOptions(rule)) {
    if (name !== 'flowbits') continue;
    const [verb = '', names = ''] = value.split(',', 2).map(part => part.trim());
    const bits = names.split(/[|&]/).map(bit => bit.trim());
    if (SETTERS.has(verb)) sets.push(...bits);
    else if (TESTERS.has(verb)) tests.push(...bits);
  }
  return {sets, tests};
};

/** Those of `off` that set a bit which a rule of `on`, or another of them, tests. */
export const neededForBits = <T extends {readonly text: string}>(on: readonly T[], off: readonly T[]): Set<T> => {
  const needed = new Set<T>();
  const candidates = off.map(rule => ({rule, bits: bitsOf(rule.text)})).filter(({bits}) => bits.sets.length > 0);
  const wanted = new Set(candidates.length === 0 ? [] : on.flatMap(({text}) => bitsOf(text).tests));
  for (let before = -1; before !== needed.size; ) {
    before = needed.size;
    for (const {rule, bits} of candidates) {
      if (needed.has(rule) || !bits.sets.some(bit => wanted.has(bit))) continue;
      needed.add(rule);
      for (const bit of bits.tests) wanted.add(bit);
    }
  }
  return needed;
};

/** The same rule, without alerts of its own. */
export const withoutAlerts = (rule: string): string =>
  /[(;]\s*(?:noalert\s*;|flowbits\s*:\s*noalert\s*;)/i.test(rule) ? rule : rule.replace(/\)\s*$/, ' noalert;)');
