// SPDX-License-Identifier: Apache-2.0
/**
 * Nobody hands out rights that they do not hold themselves, unless a rule says that they may (`escalate` on roles, `bind` on
 * bindings). Ref: kubernetes v1.36 pkg/registry/rbac/{escalation_check,helpers}.go, {role,clusterrole,…}/policybased/storage.go.
 */
import {isDeepStrictEqual} from 'node:util';
import {
  type Attributes,
  badRequest,
  compactRules,
  forbidden,
  type KubeObject,
  MASTERS_GROUP,
  NAMESPACE_REQUIRED,
  nameParameterFault,
  notFound,
  type PolicyRule,
  plainInternal,
  quotedList,
  type RoleRef,
  RulePartsError,
  ruleText,
  type StrategyContext,
  uncovered,
} from '@palisade/apiserver';
import {goQuote, withinTextLimit} from '@palisade/kube-wire';
import {type Binding, type ClusterRole, RBAC_GROUP, type Role, roleRefOf, rulesOf} from './types.ts';

type RoleResource = 'roles' | 'clusterroles';
type BindingResource = 'rolebindings' | 'clusterrolebindings';

const FULL_AUTHORITY: readonly PolicyRule[] = [
  {verbs: ['*'], apiGroups: ['*'], resources: ['*']},
  {verbs: ['*'], nonResourceURLs: ['*']},
];

const isMaster = ({user}: StrategyContext): boolean => user.groups.includes(MASTERS_GROUP);

const attributesFor = (
  {user}: StrategyContext,
  verb: string,
  at: {readonly group: string; readonly resource: string; readonly namespace: string; readonly name: string},
): Attributes => ({user, verb, resourceRequest: true, version: '*', subresource: '', path: '', ...at});

/** Throws StatusError 403. `current` is absent on create. */
export const guardRole = (
  resource: RoleResource,
  draft: Role,
  current: Role | undefined,
  context: StrategyContext,
): void => {
  if (isMaster(context)) return;
  const {namespace = '', name = ''} = draft.metadata;
  // A POST asks for the collection, whatever the name.
  const asked = {group: RBAC_GROUP, resource, namespace, name: context.name};
  if (context.authorizer.resolver?.allows(attributesFor(context, 'escalate', asked)) === true) return;
  if (current !== undefined && changesOnlyLifecycle(draft, current)) return;
  const of = {group: RBAC_GROUP, resource};
  const missing = missingRights(resource, rulesOf(draft), namespace, context);
  if (missing !== undefined) throw forbidden(of, name, missing);
  if (!aggregates(draft) && !(current !== undefined && aggregates(current))) return;
  if (missingRights(resource, FULL_AUTHORITY, namespace, context) !== undefined) {
    throw forbidden(of, name, 'must have cluster-admin privileges to use the aggregationRule');
  }
};

const aggregates = (role: ClusterRole): boolean => (role.aggregationRule?.clusterRoleSelectors ?? []).length > 0;

/** Throws StatusError 403; 404 if the role does not exist, 400 if its name is invalid. */
export const guardBinding = (
  resource: BindingResource,
  draft: Binding,
  current: Binding | undefined,
  context: StrategyContext,
): void => {
  if (isMaster(context)) return;
  if (current !== undefined && changesOnlyLifecycle(draft, current)) return;
  const {namespace = '', name = ''} = draft.metadata;
  const role = roleRefOf(draft);
  const {resolver} = context.authorizer;
  const roles = role.kind === 'ClusterRole' ? 'clusterroles' : role.kind === 'Role' ? 'roles' : undefined;
  if (roles === undefined) throw plainInternal(`unsupported role reference kind: ${goQuote(role.kind)}`);
  const asked = {group: role.apiGroup, resource: roles, namespace, name: role.name};
  if (resolver?.allows(attributesFor(context, 'bind', asked)) === true) return;
  const rules = resolver?.rulesOf(role, namespace);
  if (rules === undefined) throw noSuchRole(resource, role, namespace);
  const missing = missingRights(resource, rules, namespace, context);
  if (missing !== undefined) throw forbidden({group: RBAC_GROUP, resource}, name, missing);
};

/** Upstream reads the role from its storage, which looks at namespace and name first; then it names the resource of the binding. */
const noSuchRole = (resource: BindingResource, {kind, name}: RoleRef, namespace: string): Error => {
  const fault = kind === 'Role' && namespace === '' ? NAMESPACE_REQUIRED : nameParameterFault(name);
  return fault === undefined ? notFound({group: RBAC_GROUP, resource}, name) : badRequest(fault);
};

/** What the user does not hold, in words; undefined when nothing is missing. */
const missingRights = (
  resource: RoleResource | BindingResource,
  wanted: readonly PolicyRule[],
  namespace: string,
  {user, authorizer}: StrategyContext,
): string | undefined => {
  const held = authorizer.resolver?.rulesFor(user, namespace) ?? {rules: [], missing: []};
  const missing = missingOf(held.rules, wanted);
  if (typeof missing === 'string') return missing;
  if (missing.length === 0) return undefined;
  const listed = withinTextLimit(missing, rule => ruleText(rule).length);
  const texts = [...new Set(compactRules(listed).map(ruleText))].sort();
  if (listed.length < missing.length)
    texts.push(`and ${missing.length - listed.length} more combinations of verb, group, resource and name`);
  const head = `user ${goQuote(user.name)} (groups=${quotedList(user.groups)}) is attempting to grant RBAC permissions not currently held:`;
  const faults = [...new Set(held.missing.map(role => missingText(resource, role)))];
  const unresolved = faults.length === 0 ? '' : `; resolution errors: [${aggregate(faults)}]`;
  return `${head}\n${texts.join('\n')}${unresolved}`;
};

/** In words where they cannot be judged. */
const missingOf = (held: readonly PolicyRule[], wanted: readonly PolicyRule[]): readonly PolicyRule[] | string => {
  try {
    return uncovered(held, wanted);
  } catch (error) {
    if (error instanceof RulePartsError) return error.message;
    throw error;
  }
};

/** As the API says it: here upstream reads the roles from their storage, which names the resource of the request. */
const missingText = (resource: RoleResource | BindingResource, {name}: RoleRef): string =>
  `${resource}.${RBAC_GROUP} ${goQuote(name)} not found`;

const aggregate = (errors: readonly string[]): string =>
  errors.length === 1 ? (errors[0] ?? '') : `[${errors.join(', ')}]`;

/** Owners and finalizers: what the garbage collector has to change before an object can go. */
const changesOnlyLifecycle = (draft: KubeObject, current: KubeObject): boolean =>
  isDeepStrictEqual(withoutLifecycle(draft), withoutLifecycle(current));

/** No rules are no rules, null or empty. */
const withoutLifecycle = ({metadata, ...rest}: KubeObject): object => {
  const {ownerReferences: _o, finalizers: _f, selfLink: _s, managedFields: _m, resourceVersion: _r, ...kept} = metadata;
  return {...rest, rules: rulesOf({metadata, ...rest}), metadata: kept};
};
