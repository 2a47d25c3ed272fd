// SPDX-License-Identifier: Apache-2.0
/** The state of the rules page, as in its address, and the requests that it makes. */

import {RULE_STATES, type RuleMessage, type RuleState} from '@palisade/ids-wire';
import {oneOf, type SearchShape, text, texts} from '../../routing/search.ts';
import {SEVERITIES} from '../../ui/base/badge.tsx';
import {countText, numberText} from '../../ui/data/number-text.ts';
import type {Tone} from '../../ui/index.ts';

export type RulesSearch = {
  /** AIP-160. */
  readonly q: string;
  /** Id of a rule set; '': all. */
  readonly set: string;
  readonly state: '' | RuleState;
  /** This one and above. */
  readonly severity: '' | (typeof SEVERITIES)[number];
  /** `severity`, `-severity`. */
  readonly sort: string;
  /** Name of the rule in the side panel. */
  readonly rule: string;
  /** Names of the selected rules. */
  readonly mark: readonly string[];
  /** See Scope: the rights in it count. */
  readonly project: string;
};

export const RULES_SEARCH: SearchShape<RulesSearch> = {
  q: text(),
  set: text(),
  state: oneOf(['', ...RULE_STATES], ''),
  severity: oneOf(['', ...SEVERITIES], ''),
  sort: text(),
  rule: text(),
  mark: texts(),
  project: text(),
};

export const STATE_WORD: Readonly<Record<RuleState, string>> = {
  ACTIVE: 'Loaded',
  DISABLED: 'Disabled',
  REFUSED: 'Refused',
  SKIPPED: 'Skipped',
};
export const STATE_TONE: Readonly<Record<RuleState, Tone>> = {
  ACTIVE: 'ok',
  DISABLED: 'neutral',
  REFUSED: 'bad',
  SKIPPED: 'warn',
};

/** One filter of all that narrows the list. `q`: a valid one. */
export function filterOf({q, state, severity}: Pick<RulesSearch, 'q' | 'state' | 'severity'>): string {
  const parts = [
    ...(q.trim() === '' ? [] : [`(${q})`]),
    ...(state === '' ? [] : [`state=${state}`]),
    ...(severity === '' ? [] : [`severity>=${severity}`]),
  ];
  return parts.join(' AND ');
}

const ORDER: Readonly<Record<string, string>> = {
  severity: 'severity',
  id: 'gid, sid',
  message: 'msg',
  class: 'classtype',
  file: 'file, line',
};
/** `-severity` → `severity desc`; nothing for a column that does not exist. */
export function orderOf(sort: string): string | undefined {
  const isDown = sort.startsWith('-');
  const fields = ORDER[isDown ? sort.slice(1) : sort];
  if (fields === undefined || !isDown) return fields;
  return fields
    .split(', ')
    .map(field => `${field} desc`)
    .join(', ');
}

/** `projects/P/locations/L/ruleSets/SET/rules/ID` → the name of the set and the id; undefined for other texts. */
export function splitRuleName(name: string): {readonly set: string; readonly id: string} | undefined {
  const [, set, id] = /^(projects\/[^/]+\/locations\/[^/]+\/ruleSets\/[^/]+)\/rules\/(\d+:\d+)$/.exec(name) ?? [];
  return set === undefined || id === undefined ? undefined : {set, id};
}

/** Only web addresses become links. */
export const isWebAddress = (address: string): boolean =>
  URL.canParse(address) && ['http:', 'https:'].includes(new URL(address).protocol);

export type SwitchAction = 'enable' | 'disable' | 'reset';
export const ACTION_WORD: Readonly<Record<SwitchAction, string>> = {
  enable: 'Enable',
  disable: 'Disable',
  reset: 'Reset',
};

const ACTION_DID: Readonly<Record<SwitchAction, string>> = {enable: 'enabled', disable: 'disabled', reset: 'reset'};

/** What an action does to so many rules. */
export function meaningText(action: SwitchAction, count: number): string {
  const [these, they, raise, are] =
    count === 1 ? ['this rule', 'it', 'The rule raises', 'is'] : ['these rules', 'they', 'The rules raise', 'are'];
  switch (action) {
    case 'enable':
      return `Suricata loads the rule set again with ${these}.`;
    case 'disable':
      return `Suricata loads the rule set again without ${these}. ${raise} no alerts until ${they} ${are} enabled.`;
    case 'reset':
      return `The rule files and the configuration decide again whether ${these} ${are} loaded.`;
  }
}

/** Why an action makes no sense for these rules; undefined: it does. */
export function whyNot(action: SwitchAction, rules: readonly RuleMessage[]): string | undefined {
  if (rules.length === 0) return 'Select rules first';
  if (new Set(rules.map(({ruleSet}) => ruleSet)).size > 1) return 'Select rules of one rule set';
  if (rules.some(({ruleId}) => ruleId === '')) return 'A rule without a sid cannot be switched';
  const one = rules.length === 1;
  switch (action) {
    case 'enable': {
      const bad = rules.find(({state}) => state === 'REFUSED' || state === 'SKIPPED');
      if (bad !== undefined) return `Rule ${bad.ruleId} is ${STATE_WORD[bad.state].toLowerCase()}: ${bad.reason}`;
      return rules.every(({state}) => state === 'ACTIVE') ? `${one ? 'It is' : 'All are'} loaded already` : undefined;
    }
    case 'disable':
      return rules.every(({state}) => state === 'DISABLED')
        ? `${one ? 'It is' : 'All are'} disabled already`
        : undefined;
    case 'reset':
      return rules.every(({switched}) => switched === undefined)
        ? `Nobody has switched ${one ? 'it' : 'them'}; the files and the configuration decide`
        : undefined;
  }
}

/** A question before the switch, and what was done afterwards. */
export function switchTitle(action: SwitchAction, count: number, set: string, isDone: boolean): string {
  const what = `${rulesText(count)} of the rule set ${set}`;
  return isDone ? `${what} ${ACTION_DID[action]}` : `${ACTION_WORD[action]} ${what}?`;
}

/** `56 rules`; `1 of 56 rules` while a search or a filter leaves some out; `500+ of 50,000 rules` while more pages follow. */
export function foundText(
  given: number,
  found: {readonly rules: number; readonly hasMore: boolean} | undefined,
): string {
  if (found === undefined) return rulesText(given);
  return `${numberText(found.rules)}${found.hasMore ? '+' : ''} of ${rulesText(given)}`;
}

export const rulesText = (count: number): string => countText(count, 'rule');
