// SPDX-License-Identifier: Apache-2.0
/**
 * What a rule allows, and whether rules cover others. Pure.
 * Ref: kubernetes v1.36 pkg/apis/rbac/v1/evaluation_helpers.go, plugin/pkg/auth/authorizer/rbac/rbac.go RuleAllows,
 * component-helpers/auth/rbac/validation/policy_comparator.go, pkg/registry/rbac/validation/policy_compact.go.
 */
import {goQuote} from '@palisade/wire/kube';
import type {Attributes, PolicyRule} from './authorizer.ts';

const ALL = '*';
const NONE: readonly string[] = [];

const has = (list: readonly string[] | undefined, value: string): boolean => {
  if (list === undefined) return false;
  for (const item of list) if (item === ALL || item === value) return true;
  return false;
};

export const ruleAllows = (rule: PolicyRule, attributes: Attributes): boolean => {
  if (!has(rule.verbs, attributes.verb)) return false;
  if (!attributes.resourceRequest) return urlMatches(rule.nonResourceURLs, attributes.path);
  if (!has(rule.apiGroups, attributes.group) || !resourceMatches(rule.resources, attributes)) return false;
  const {resourceNames} = rule;
  return resourceNames === undefined || resourceNames.length === 0 || resourceNames.includes(attributes.name);
};

const resourceMatches = (
  resources: readonly string[] | undefined,
  {resource, subresource}: {readonly resource: string; readonly subresource: string},
): boolean => {
  if (resources === undefined) return false;
  for (const item of resources) {
    if (item === ALL) return true;
    if (subresource === '' ? item === resource : item === `${resource}/${subresource}` || item === `*/${subresource}`) {
      return true;
    }
  }
  return false;
};

const urlMatches = (urls: readonly string[] | undefined, path: string): boolean => {
  if (urls === undefined) return false;
  for (const url of urls) if (url === ALL || urlCovers(url, path)) return true;
  return false;
};

const urlCovers = (owner: string, path: string): boolean =>
  owner === path || (owner.endsWith(ALL) && path.startsWith(owner.replace(/\*+$/, '')));

/** What the lists of some rules multiply to, beyond which they are not judged one by one: a few KiB may stand for 10^8. */
export const RULE_PARTS_MAX = 50_000;
/** Looks at a value of a rule that is wanted, or at a part, for each rule that is held: some seconds of work. */
const LOOKS_MAX = 20_000_000;

/** Rules that are too many to be judged. */
export class RulePartsError extends Error {
  override readonly name = 'RulePartsError';
  constructor(what: string) {
    super(`${what}: use fewer values, or "*"`);
  }
}

/**
 * The parts of `wanted`, one verb, resource and name each, that no rule of `held` covers. Empty: all is covered. A rule that one of
 * `held` covers as a whole is not taken apart. Throws RulePartsError.
 */
export const uncovered = (held: readonly PolicyRule[], wanted: readonly PolicyRule[]): PolicyRule[] => {
  const owners = held.map(toHeld);
  const weight = owners.reduce((sum, {urls}) => sum + 1 + urls.length, 0);
  assertLooks(wanted.reduce((sum, rule) => sum + valuesOf(rule), 0) * weight);
  const open = wanted.filter(rule => !owners.some(owner => coversWhole(owner, rule)));
  const count = open.reduce((sum, rule) => sum + partsOf(rule), 0);
  if (count > RULE_PARTS_MAX)
    throw new RulePartsError(
      `the rules stand for ${count} combinations of verb, group, resource and name, of which at most ${RULE_PARTS_MAX} are judged`,
    );
  assertLooks(count * weight);
  return open.flatMap(breakDown).filter(part => !owners.some(owner => coversWhole(owner, part)));
};

const assertLooks = (looks: number): void => {
  if (looks > LOOKS_MAX)
    throw new RulePartsError('the rules, and those that the user holds, are too many to be compared one by one');
};

const valuesOf = ({
  verbs,
  apiGroups = NONE,
  resources = NONE,
  resourceNames = NONE,
  nonResourceURLs = NONE,
}: PolicyRule) => verbs.length + apiGroups.length + resources.length + resourceNames.length + nonResourceURLs.length;

/** How many parts `breakDown` makes. */
const partsOf = ({
  verbs,
  apiGroups = NONE,
  resources = NONE,
  resourceNames = NONE,
  nonResourceURLs = NONE,
}: PolicyRule) =>
  verbs.length * (apiGroups.length * resources.length * Math.max(1, resourceNames.length) + nonResourceURLs.length);

/** A rule to look things up in. */
type HeldRule = {
  readonly verbs: ReadonlySet<string>;
  readonly groups: ReadonlySet<string>;
  readonly resources: ReadonlySet<string>;
  readonly names: ReadonlySet<string>;
  readonly urls: readonly string[];
};

const toHeld = ({verbs, apiGroups, resources, resourceNames, nonResourceURLs = NONE}: PolicyRule): HeldRule => ({
  verbs: new Set(verbs),
  groups: new Set(apiGroups),
  resources: new Set(resources),
  names: new Set(resourceNames),
  urls: nonResourceURLs,
});

const inSet = (set: ReadonlySet<string>, value: string): boolean => set.has(ALL) || set.has(value);

/** Whether each part of `wanted` is covered by this rule alone. */
const coversWhole = (rule: HeldRule, wanted: PolicyRule): boolean => {
  const {verbs, apiGroups = NONE, resources = NONE, resourceNames = NONE, nonResourceURLs = NONE} = wanted;
  if (!verbs.every(verb => inSet(rule.verbs, verb))) return false;
  if (!nonResourceURLs.every(url => rule.urls.some(owner => urlCovers(owner, url)))) return false;
  if (apiGroups.length === 0 || resources.length === 0) return true;
  return (
    apiGroups.every(group => inSet(rule.groups, group)) &&
    resources.every(resource => coversResource(rule.resources, resource)) &&
    (rule.names.size === 0 || (resourceNames.length > 0 && resourceNames.every(name => rule.names.has(name))))
  );
};

const breakDown = (rule: PolicyRule): PolicyRule[] => {
  const parts: PolicyRule[] = [];
  for (const group of rule.apiGroups ?? NONE) {
    for (const resource of rule.resources ?? NONE) {
      for (const verb of rule.verbs) {
        const part = {verbs: [verb], apiGroups: [group], resources: [resource]};
        const names = rule.resourceNames ?? NONE;
        if (names.length === 0) parts.push(part);
        else for (const name of names) parts.push({...part, resourceNames: [name]});
      }
    }
  }
  for (const url of rule.nonResourceURLs ?? NONE) {
    for (const verb of rule.verbs) parts.push({verbs: [verb], nonResourceURLs: [url]});
  }
  return parts;
};

/** `combined` as it is written, also one that no request can ask for, such as `pods/`. */
const coversResource = (resources: ReadonlySet<string>, combined: string): boolean => {
  if (inSet(resources, combined)) return true;
  const slash = combined.indexOf('/');
  return slash >= 0 && resources.has(`*${combined.slice(slash)}`);
};

/** Joins parts that differ only by their verb. */
export const compactRules = (rules: readonly PolicyRule[]): PolicyRule[] => {
  const simple = new Map<string, {rule: PolicyRule; verbs: string[]}>();
  const compact: PolicyRule[] = [];
  for (const rule of rules) {
    const {apiGroups = NONE, resources = NONE, resourceNames = NONE, nonResourceURLs = NONE} = rule;
    const isSimple =
      apiGroups.length === 1 && resources.length === 1 && resourceNames.length <= 1 && nonResourceURLs.length === 0;
    if (!isSimple) {
      compact.push(rule);
      continue;
    }
    const key = JSON.stringify([apiGroups, resources, resourceNames]);
    const known = simple.get(key);
    if (known === undefined) simple.set(key, {rule, verbs: [...rule.verbs]});
    else known.verbs.push(...rule.verbs);
  }
  return [...compact, ...[...simple.values()].map(({rule, verbs}) => ({...rule, verbs}))];
};

/** `{APIGroups:[""], Resources:["pods"], Verbs:["get"]}` */
export const ruleText = (rule: PolicyRule): string => {
  const parts: (readonly [string, readonly string[] | undefined])[] = [
    ['APIGroups', rule.apiGroups],
    ['Resources', rule.resources],
    ['NonResourceURLs', rule.nonResourceURLs],
    ['ResourceNames', rule.resourceNames],
    ['Verbs', rule.verbs],
  ];
  const texts = parts.flatMap(([name, values = NONE]) =>
    values.length === 0 ? [] : [`${name}:${quotedList(values)}`],
  );
  return `{${texts.join(', ')}}`;
};

/** A list as Go's `%q` writes it: `["a" "b"]`. */
export const quotedList = (values: readonly string[]): string => `[${values.map(goQuote).join(' ')}]`;
