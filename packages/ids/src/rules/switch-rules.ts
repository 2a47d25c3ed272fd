// SPDX-License-Identifier: Apache-2.0
/** Rules that users turn on and off while the server runs. They act on the endpoints of all projects, as the rule sets do. */
import {type FieldViolation, formatTimestamp, type RuleSetUpdateMessage, WILDCARD} from '@palisade/ids-wire';
import type {Caller} from '../auth.ts';
import {SWITCHED_RULES_MAX} from '../limits.ts';
import {type Body, isObject, NO_OBJECT, unknownFields} from '../request-body.ts';
import {invalidArgument} from '../rpc-error.ts';
import type {HostRule} from '../sensor-host.ts';
import {sensorCode, sensorFailure} from '../to-rpc-status.ts';
import {ruleIdOf, ruleSetNameOf} from './rule-names.ts';
import {anyRuleSet, type RuleDeps} from './rules.ts';

const LISTS = ['enable', 'disable', 'reset'] as const;
type Lists = Readonly<Record<(typeof LISTS)[number], readonly string[]>>;
/** `violations`: what is wrong with the body; thrown once the right is judged. */
export type Switches = {readonly given: Body; readonly lists: Lists; readonly violations: readonly FieldViolation[]};

const faultOf = (list: string, id: string, rule: HostRule | undefined): string | undefined => {
  if (rule === undefined) return list === 'reset' ? undefined : `the rule set has no rule ${id}`;
  if (list !== 'enable' || (rule.state !== 'REFUSED' && rule.state !== 'SKIPPED')) return undefined;
  return `rule ${id} is ${rule.state} and cannot be enabled: ${rule.reason}`;
};

/** `{"enable"?, "disable"?, "reset"?}`: lists of `gid:sid`, or `sid` where the gid is 1. */
export const parseSwitches = (given: unknown): Switches => {
  if (!isObject(given)) return {given: {}, lists: {enable: [], disable: [], reset: []}, violations: [NO_OBJECT]};
  const violations = unknownFields(given, LISTS);
  const placeOf = new Map<string, string>();
  const read = (list: (typeof LISTS)[number]): readonly string[] => {
    const {[list]: words = []} = given;
    if (!Array.isArray(words)) {
      violations.push({field: list, description: 'must be a list of rule ids'});
      return [];
    }
    return words.flatMap((word: unknown, at) => {
      const field = `${list}[${at}]`;
      const id = typeof word === 'string' ? ruleIdOf(word) : undefined;
      if (id === undefined) {
        violations.push({field, description: `${JSON.stringify(word)} must be GID:SID or SID, such as 1:2019401`});
        return [];
      }
      const other = placeOf.get(id);
      if (other !== undefined) violations.push({field, description: `rule ${id} is also ${other}; name it once`});
      placeOf.set(id, field);
      return [id];
    });
  };
  const lists = {enable: read('enable'), disable: read('disable'), reset: read('reset')};
  const count = LISTS.reduce((sum, list) => sum + lists[list].length, 0);
  if (violations.length === 0 && (count === 0 || count > SWITCHED_RULES_MAX))
    violations.push({
      field: 'body',
      description: `names ${count} rules in enable, disable and reset; give 1 to ${SWITCHED_RULES_MAX}`,
    });
  return {given, lists, violations};
};

/**
 * Resolves when every Suricata of the set has the rules. Throws INVALID_ARGUMENT, PERMISSION_DENIED, NOT_FOUND; FAILED_PRECONDITION for a
 * set that is refused with the change. Then nothing changed.
 */
export const switchRules = async (
  deps: RuleDeps,
  caller: Caller,
  text: string,
  {lists, violations: faults}: Switches,
): Promise<{readonly ruleSets: readonly RuleSetUpdateMessage[]}> => {
  const name = ruleSetNameOf(text);
  const {set} = name;
  await caller.demand('ids.rules.update', {project: WILDCARD, resource: text, id: set});
  if (set === WILDCARD) throw invalidArgument([{field: 'name', description: '"-" cannot stand for one rule set'}]);
  if (faults.length > 0) throw invalidArgument(faults);
  const ruleSetId = anyRuleSet(deps, name)?.ruleSetId ?? set;
  const rules = new Map<string, HostRule>();
  for (const rule of (await deps.host.rulesOfSet(ruleSetId)) ?? [])
    if (!rules.has(rule.ruleId)) rules.set(rule.ruleId, rule); // the active one of several comes first
  const violations = LISTS.flatMap(list =>
    lists[list].flatMap((id, at) => {
      const description = faultOf(list, id, rules.get(id));
      return description === undefined ? [] : [{field: `${list}[${at}]`, description}];
    }),
  );
  if (violations.length > 0) throw invalidArgument(violations);
  const [user, time] = [caller.actingName, formatTimestamp(deps.service.clock.now())];
  try {
    return {ruleSets: await deps.host.switchRules(ruleSetId, {...lists, user, time})};
  } catch (error) {
    throw sensorCode(error) === undefined ? error : sensorFailure(error);
  }
};
