// SPDX-License-Identifier: Apache-2.0
/** Which rules an endpoint inspects with: rule sets by name, what binds them to places, and variables of some endpoints. */
import {createHash} from 'node:crypto';
import type {RuleSetSpec} from '../rules/sources.ts';

/** Binds a rule set to a location or to endpoints: exactly one of the two. */
export type RuleBinding = {
  /** Name of a rule set. */
  readonly set: string;
  /** An id, such as `local`. */
  readonly location?: string | undefined;
  /** A full name, in which `-` stands for any project, location or id, and `*` for any part of one. */
  readonly endpoint?: string | undefined;
};

/** `match`: as `endpoint` of a binding. Variables of the more specific of two that match count. */
export type EndpointVars = {readonly match: string; readonly vars: Readonly<Record<string, string>>};

export type RulePlan = {
  /** At least one; the first is the default, of all endpoints that no binding names. */
  readonly ruleSets: readonly RuleSetSpec[];
  /** The most specific counts: an endpoint before a location, a name with fewer wildcards before one with more, then the first. */
  readonly bindings: readonly RuleBinding[];
  readonly endpointVars: readonly EndpointVars[];
};

/** The rules of one endpoint. `id`: the name of the set, and a mark of the variables that are not those of all. */
export type RuleChoice = {
  readonly id: string;
  readonly set: RuleSetSpec;
  readonly vars: Readonly<Record<string, string>>;
};

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;
const ENDPOINT = /^projects\/[^/]+\/locations\/[^/]+\/endpoints\/[^/]+$/;
const FORM = 'projects/PROJECT/locations/LOCATION/endpoints/ENDPOINT';

const isDuplicate = (name: string, at: number, names: readonly string[]): boolean => names.indexOf(name) < at;

/** One line each, field and way out; empty: the plan is right. */
export const rulePlanFaults = ({ruleSets, bindings, endpointVars}: RulePlan): string[] => {
  const names = ruleSets.map(({name}) => name);
  const endpointFault = (field: string, text: string): string[] =>
    ENDPOINT.test(text) ? [] : [`${field} "${text}": must be a full name, ${FORM}; "-" and "*" are wildcards`];
  const bindingFaults = ({set, location, endpoint}: RuleBinding, at: number): string[] => {
    const field = `bindings[${at}]`;
    const places = (location === undefined ? 0 : 1) + (endpoint === undefined ? 0 : 1);
    return [
      ...(names.includes(set)
        ? []
        : [`${field}.set "${set}": no rule set has this name; the names are ${names.join(', ')}`]),
      ...(places === 1 ? [] : [`${field}: give location or endpoint, and not both`]),
      ...(endpoint === undefined ? [] : endpointFault(`${field}.endpoint`, endpoint)),
    ];
  };
  return [
    ...(names.length === 0 ? ['ruleSets: at least one rule set is required'] : []),
    ...names.flatMap((name, at) => [
      ...(NAME.test(name)
        ? []
        : [`ruleSets[${at}].name "${name}": must be letters, digits, ".", "_" and "-", at most 63`]),
      ...(isDuplicate(name, at, names) ? [`ruleSets[${at}].name "${name}": is used twice; give each set its own`] : []),
    ]),
    ...bindings.flatMap(bindingFaults),
    ...endpointVars.flatMap(({match}, at) => endpointFault(`endpointVars[${at}].match`, match)),
  ];
};

/** Throws Error for a plan with faults: it was to be checked before. */
export const checkedPlan = (plan: RulePlan): RulePlan => {
  const faults = rulePlanFaults(plan);
  if (faults.length > 0) throw new Error(faults.join('; '));
  return plan;
};

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

/** Undefined: it does not match. Otherwise how specific it is: characters that are no wildcards. */
const matches = (pattern: string, endpoint: string): number | undefined => {
  const parts = pattern.split('/').map(part => (part === '-' ? '*' : part));
  const expression = parts.map(part => part.split('*').map(escaped).join('[^/]*')).join('/');
  return new RegExp(`^${expression}$`).test(endpoint) ? parts.join('').replaceAll('*', '').length : undefined;
};

const locationOf = (endpoint: string): string => endpoint.split('/')[3] ?? '';

/** Any endpoint is more specific than a location. */
const LOCATION_WEIGHT = -1;

const weightOf = (binding: RuleBinding, endpoint: string): number | undefined => {
  if (binding.endpoint !== undefined) return matches(binding.endpoint, endpoint);
  return binding.location === locationOf(endpoint) ? LOCATION_WEIGHT : undefined;
};

const markOf = (vars: Readonly<Record<string, string>>): string => {
  const sorted = Object.entries(vars).sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(sorted)).digest('hex').slice(0, 8);
};

/** `projects/p/locations/l/endpoints/e` → its rules. The plan has no faults. */
export const chooseRules = ({ruleSets, bindings, endpointVars}: RulePlan, endpoint: string): RuleChoice => {
  let best: {readonly set: string; readonly weight: number} | undefined;
  for (const binding of bindings) {
    const weight = weightOf(binding, endpoint);
    if (weight !== undefined && (best === undefined || weight > best.weight)) best = {set: binding.set, weight};
  }
  const set = ruleSets.find(({name}) => name === best?.set) ?? ruleSets[0];
  if (set === undefined) throw new Error('a rule plan has at least one rule set');
  const found = endpointVars
    .map(({match, vars}) => ({vars, weight: matches(match, endpoint)}))
    .filter(({weight}) => weight !== undefined)
    .sort((a, b) => (a.weight ?? 0) - (b.weight ?? 0));
  const vars = Object.assign({}, ...found.map(each => each.vars)) as Record<string, string>;
  return {id: Object.keys(vars).length === 0 ? set.name : `${set.name}~${markOf(vars)}`, set, vars};
};
