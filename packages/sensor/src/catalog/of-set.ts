// SPDX-License-Identifier: Apache-2.0
/** What became of each rule of the files that a rule set was compiled from. */
import type {RuleList, RuleReport} from '../rule-report.ts';
import {splitRules} from '../rules/parse-rule.ts';
import type {GivenRule, RuleLine} from '../rules/rule-files.ts';
import {commentedRules, idOf} from '../rules/selection/commented.ts';
import type {LoadedFile} from '../rules/source/rule-file.ts';
import type {CatalogRule} from './catalog.ts';

const placeOf = ({file, line}: RuleLine): string => `${line} ${file}`;
const reasonsOf = ({listed}: RuleList): ReadonlyMap<string, string> =>
  new Map(listed.map(fault => [placeOf(fault), fault.reason]));

const UNLISTED = 'refused; the report lists the first refused rules alone';
const COMMENTED = 'commented out in its file';
const LISTED = 'turned off by a disable list';

/** `active`: threat ids of the rules that are active. */
export const givenInCatalog = (
  rules: readonly GivenRule[],
  {refused, skipped}: RuleReport,
  active: Pick<ReadonlyMap<string, unknown>, 'has'>,
): CatalogRule[] => {
  const [refusedFor, skippedFor] = [reasonsOf(refused), reasonsOf(skipped)];
  const allListed = refused.count === refused.listed.length && skipped.count === skipped.listed.length;
  return rules.map(rule => {
    const {file, line, text} = rule;
    const whyRefused = refusedFor.get(placeOf(rule));
    const whySkipped = skippedFor.get(placeOf(rule));
    const whole = {file, line, text};
    if (whyRefused !== undefined) return {...whole, state: 'REFUSED', reason: whyRefused};
    if (whySkipped !== undefined) return {...whole, state: 'SKIPPED', reason: whySkipped};
    const isActive = allListed || active.has(idOf(text) ?? '');
    return {...whole, ...(isActive ? {state: 'ACTIVE', reason: ''} : {state: 'REFUSED', reason: UNLISTED})};
  });
};

/** Rules of the files that are not among the given ones: by a comment, or by a list of the user. */
export const disabledInCatalog = (files: readonly LoadedFile[], rules: readonly GivenRule[]): CatalogRule[] => {
  const given = new Set(rules.map(({fileIndex, line}) => `${fileIndex} ${line}`));
  return files.flatMap(({source: file, text: whole}, fileIndex) => {
    const off = (reason: string, found: readonly {readonly line: number; readonly text: string}[]): CatalogRule[] =>
      found.flatMap(({line, text}) =>
        given.has(`${fileIndex} ${line}`) ? [] : [{file, line, state: 'DISABLED', reason, text}],
      );
    return [...off(LISTED, splitRules(whole)), ...off(COMMENTED, commentedRules(whole))];
  });
};
