// SPDX-License-Identifier: Apache-2.0
/**
 * What a rule allows, and whether rules cover others. Pure.
 * Ref: kubernetes v1.36 pkg/apis/rbac/v1/evaluation_helpers.go, plugin/pkg/auth/authorizer/rbac/rbac.go RuleAllows,
 * component-helpers/auth/rbac/validation/policy_comparator.go, pkg/registry/rbac/validation/policy_compact.go.
 */
import {goQuote} from '@palisade/kube-wire';
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
  owner === path || (owner.endsWith(ALL) && path.startsWith(withoutStars(owner)));

const STAR = ALL.charCodeAt(0);

/** In one pass, as Go's TrimRight: a regular expression would start again at each star. */
const withoutStars = (url: string): string => {
  let end = url.length;
  while (end > 0 && url.charCodeAt(end - 1) === STAR) end--;
  return url.slice(0, end);
};

/** What the lists of some rules multiply to, beyond which they are not judged one by one: a few KiB may stand for 10^8. */
export const RULE_PARTS_MAX = 50_000;
/** Looks at a value of a rule that is wanted, or at a part, in a rule that is held: a second or two of work. */
const RULE_LOOKS_MAX = 5_000_000;
/** So many characters of a value are one look. */
const LOOK_LENGTH = 64;

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
  const comparison = new Comparison();
  const owners = held.map(toHeld);
  const isOpen = (rule: PolicyRule): boolean => !owners.some(owner => comparison.coversWhole(owner, rule));
  const open = wanted.filter(isOpen);
  const count = open.reduce((sum, rule) => sum + partsOf(rule), 0);
  if (count > RULE_PARTS_MAX)
    throw new RulePartsError(
      `the rules expand to ${count} combinations of verb, group, resource and name, limit is ${RULE_PARTS_MAX}`,
    );
  return open.flatMap(breakDown).filter(isOpen);
};

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

/** Counts what it looks at, and throws RulePartsError when that is too much. */
class Comparison {
  #left = RULE_LOOKS_MAX;
  /** The name of that sub-resource of any resource, made once for each: the look-up of a new text reads all of it. */
  readonly #ofAny = new Map<string, string>();

  /** Whether each part of `wanted` is covered by this rule alone. */
  coversWhole(rule: HeldRule, wanted: PolicyRule): boolean {
    const {verbs, apiGroups = NONE, resources = NONE, resourceNames = NONE, nonResourceURLs = NONE} = wanted;
    this.#look(''); // at the rule
    if (!verbs.every(verb => this.#isIn(rule.verbs, verb))) return false;
    if (!nonResourceURLs.every(url => rule.urls.some(owner => this.#coversUrl(owner, url)))) return false;
    if (apiGroups.length === 0 || resources.length === 0) return true;
    return (
      apiGroups.every(group => this.#isIn(rule.groups, group)) &&
      resources.every(resource => this.#coversResource(rule.resources, resource)) &&
      (rule.names.size === 0 || (resourceNames.length > 0 && resourceNames.every(name => this.#has(rule.names, name))))
    );
  }

  #look(value: string): void {
    this.#left -= 1 + Math.trunc(value.length / LOOK_LENGTH);
    if (this.#left < 0) throw new RulePartsError('too many rules to compare with the rules that the user holds');
  }

  #has(set: ReadonlySet<string>, value: string): boolean {
    this.#look(value);
    return set.has(value);
  }

  #isIn(set: ReadonlySet<string>, value: string): boolean {
    this.#look(value);
    return set.has(ALL) || set.has(value);
  }

  /** `combined` as it is written, also one that no request can ask for, such as `pods/`. */
  #coversResource(resources: ReadonlySet<string>, combined: string): boolean {
    if (this.#isIn(resources, combined)) return true;
    const slash = combined.indexOf('/');
    if (slash < 0) return false;
    let ofAny = this.#ofAny.get(combined);
    if (ofAny === undefined) {
      ofAny = `*${combined.slice(slash)}`;
      this.#ofAny.set(combined, ofAny);
    }
    return this.#has(resources, ofAny);
  }

  #coversUrl(owner: string, url: string): boolean {
    this.#look(owner);
    this.#look(url);
    return urlCovers(owner, url);
  }
}

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
