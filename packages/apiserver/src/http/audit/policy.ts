// SPDX-License-Identifier: Apache-2.0
/** Which requests are written to the audit log, and how much of them. Ref: kubernetes v1.36 apiserver/pkg/audit/policy/checker.go. */
import type {Attributes} from '../../authz/authorizer.ts';
import type {UserInfo} from '../../identity/authenticator.ts';
import type {AuditLevel, AuditStage} from './event.ts';

type AuditGroupResources = {
  readonly group?: string;
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
};

export type AuditPolicyRule = {
  readonly level: AuditLevel;
  readonly users?: readonly string[];
  readonly userGroups?: readonly string[];
  readonly verbs?: readonly string[];
  readonly resources?: readonly AuditGroupResources[];
  /** '' is that of what has no namespace. */
  readonly namespaces?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
  readonly omitStages?: readonly AuditStage[];
  readonly omitManagedFields?: boolean;
};

/** Without faults (the reader of the file checks it). */
export type AuditPolicy = {
  readonly rules: readonly AuditPolicyRule[];
  readonly omitStages?: readonly AuditStage[];
  readonly omitManagedFields?: boolean;
};

/** What a request asks for; `user` is absent for one whose credential is wrong. */
export type AuditAttributes = Omit<Attributes, 'user'> & {readonly user?: UserInfo | undefined};

/** What the policy says about one request. */
export type AuditRule = {
  readonly level: AuditLevel;
  readonly omitStages: ReadonlySet<AuditStage>;
  readonly omitManagedFields: boolean;
};

type Matcher = {readonly matches: (attributes: AuditAttributes) => boolean; readonly rule: AuditRule};

const isEmpty = (list: readonly unknown[] | undefined): boolean => list === undefined || list.length === 0;
const admits = (list: readonly string[] | undefined, value: string): boolean =>
  list === undefined || list.length === 0 || list.includes(value);

const matchesResource = (
  {group = '', resources, resourceNames}: AuditGroupResources,
  asked: AuditAttributes,
): boolean => {
  if (group !== asked.group) return false;
  if (resources === undefined || resources.length === 0) return true;
  if (!admits(resourceNames, asked.name)) return false;
  const {resource, subresource} = asked;
  const whole = subresource === '' ? resource : `${resource}/${subresource}`;
  return resources.some(
    each =>
      each === '*' || each === whole || each === `${resource}/*` || (subresource !== '' && each === `*/${subresource}`),
  );
};

const matchesPath = (pattern: string, path: string): boolean =>
  pattern === '*' || pattern === path || (pattern.endsWith('*') && path.startsWith(pattern.replace(/\*+$/, '')));

const matcherOf =
  (rule: AuditPolicyRule) =>
  (asked: AuditAttributes): boolean => {
    const {users, userGroups, verbs, namespaces, resources, nonResourceURLs} = rule;
    const {user} = asked;
    if (!isEmpty(users) && (user === undefined || !admits(users, user.name))) return false;
    if (!isEmpty(userGroups) && user?.groups.some(group => userGroups?.includes(group)) !== true) return false;
    if (!admits(verbs, asked.verb)) return false;
    if (!isEmpty(namespaces) || !isEmpty(resources))
      return (
        asked.resourceRequest &&
        admits(namespaces, asked.namespace) &&
        (isEmpty(resources) || resources?.some(each => matchesResource(each, asked)) === true)
      );
    if (!isEmpty(nonResourceURLs))
      return !asked.resourceRequest && nonResourceURLs?.some(each => matchesPath(each, asked.path)) === true;
    return true;
  };

/** The first rule that matches decides; without one nothing is written. */
export const auditRules = (policy: AuditPolicy): ((attributes: AuditAttributes) => AuditRule) => {
  const {omitStages = [], omitManagedFields = false} = policy;
  const matchers: readonly Matcher[] = policy.rules.map(rule => ({
    matches: matcherOf(rule),
    rule: {
      level: rule.level,
      omitStages: new Set([...omitStages, ...(rule.omitStages ?? [])]),
      omitManagedFields: rule.omitManagedFields ?? omitManagedFields,
    },
  }));
  const none: AuditRule = {level: 'None', omitStages: new Set(omitStages), omitManagedFields};
  return attributes => matchers.find(({matches}) => matches(attributes))?.rule ?? none;
};
