// SPDX-License-Identifier: Apache-2.0
import {locationOf} from '../../../scope/scope.ts';

/** `projects/P/locations/L/ruleSets/SET` of an endpoint. */
export const ruleSetOf = (endpoint: string, ruleSet: string): string => `${locationOf(endpoint)}/ruleSets/${ruleSet}`;

/** The filter of the API (AIP-160): what was typed, and a state; undefined for all. */
export function ruleFilter(typed: string, state: string): string | undefined {
  const parts = [typed.trim() === '' ? '' : `(${typed.trim()})`, state === '' ? '' : `state=${state}`];
  const filter = parts.filter(part => part !== '').join(' AND ');
  return filter === '' ? undefined : filter;
}

/** Of the rules with these ids. Texts that are no `gid:sid` are left out; undefined: none is left. */
export function ruleIdsFilter(ids: readonly string[]): string | undefined {
  const rules = ids.map(fullThreatId).filter(id => id !== undefined);
  return rules.length === 0 ? undefined : rules.map(id => `ruleId="${id}"`).join(' OR ');
}

/** `2019401` is `1:2019401`; undefined for other texts. */
export function fullThreatId(text: string): string | undefined {
  const [, gid = '1', sid] = /^\s*(?:(\d+):)?(\d+)\s*$/.exec(text) ?? [];
  return sid === undefined ? undefined : `${gid}:${sid}`;
}
