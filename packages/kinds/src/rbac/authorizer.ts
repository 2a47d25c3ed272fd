// SPDX-License-Identifier: Apache-2.0
/**
 * Decisions from Roles, ClusterRoles and their bindings. system:masters may do everything; whatever no rule allows is denied.
 * Until it is fed (its controller's start) it allows nobody else anything.
 * Ref: kubernetes v1.36 plugin/pkg/auth/authorizer/rbac/rbac.go, pkg/registry/rbac/validation/rule.go.
 */
import {
  type Attributes,
  type Authorizer,
  type Controller,
  type ControllerFactory,
  type ControllerHost,
  type Decision,
  decodeItem,
  MASTERS_GROUP,
  type ResolvedRules,
  type RoleRef,
  type RuleResolver,
  ruleAllows,
  type UserInfo,
} from '@palisade/apiserver';
import {goQuote} from '@palisade/kube-wire';
import {servedKind} from '../served-kind.ts';
import {type IndexedBinding, RoleIndex} from './role-index.ts';
import {describeSubject, keysOf, subjectKey} from './subject.ts';
import {type Binding, RBAC_GROUP, type Role} from './types.ts';

const ALLOWED: Decision = {allowed: true};
const DENIED: Decision = {allowed: false};

export type RbacAuthorizer = Authorizer & {
  readonly resolver: RuleResolver;
  /** Keeps the authorizer in step with what is stored; one of the API's controllers. */
  readonly controller: ControllerFactory;
};

export const createRbacAuthorizer = (): RbacAuthorizer => {
  const index = new RoleIndex();
  const authorize = (attributes: Attributes): Decision => decide(index, attributes);
  return {
    authorize,
    resolver: {
      rulesFor: (user, namespace) => resolve(index, user, namespace),
      rulesOf: (role, namespace) => index.rulesOf(role, namespace),
      allows: attributes => authorize(attributes).allowed,
    },
    controller: host => new IndexFeed(host, index),
  };
};

const decide = (index: RoleIndex, attributes: Attributes): Decision => {
  const {user, namespace} = attributes;
  if (user.groups.includes(MASTERS_GROUP)) return ALLOWED;
  let missing: RoleRef[] | undefined;
  for (const binding of index.bindingsOf(user, namespace)) {
    const rules = index.rulesOf(binding.role, binding.namespace);
    if (rules === undefined) {
      missing ??= [];
      missing.push(binding.role);
      continue;
    }
    for (const rule of rules) {
      if (ruleAllows(rule, attributes)) return new AllowedByBinding(binding, user);
    }
  }
  if (missing === undefined) return DENIED;
  const errors = missing.map(missingText);
  return {allowed: false, reason: `RBAC: ${aggregate(errors)}`};
};

/** The reason is written only for who reads it. */
class AllowedByBinding implements Decision {
  readonly allowed = true;
  readonly #binding: IndexedBinding;
  readonly #user: UserInfo;

  constructor(binding: IndexedBinding, user: UserInfo) {
    this.#binding = binding;
    this.#user = user;
  }

  get reason(): string {
    const {namespace, name, role, subjects} = this.#binding;
    const keys = keysOf(this.#user);
    const subject = subjects.find(each => keys.includes(subjectKey(each, namespace) ?? '')) ?? {};
    const what = namespace === '' ? 'ClusterRoleBinding' : 'RoleBinding';
    const where = namespace === '' ? name : `${name}/${namespace}`;
    return `RBAC: allowed by ${what} ${goQuote(where)} of ${role.kind} ${goQuote(role.name)} to ${describeSubject(subject, namespace)}`;
  }
}

const byName = (a: IndexedBinding, b: IndexedBinding): number =>
  a.namespace === b.namespace ? (a.name < b.name ? -1 : 1) : a.namespace < b.namespace ? -1 : 1;

const resolve = (index: RoleIndex, user: UserInfo, namespace: string): ResolvedRules => {
  const bindings = [...new Set(index.bindingsOf(user, namespace))].sort(byName);
  const missing = new Map<string, RoleRef>();
  const rules = bindings.flatMap(({role, namespace: at}) => {
    const found = index.rulesOf(role, at);
    if (found === undefined) missing.set(missingText(role), role);
    return found ?? [];
  });
  return {rules, missing: [...missing.values()], errors: [...missing.keys()]};
};

/** As a lister says it, with the singular where the API has the plural. */
const missingText = ({kind, name}: RoleRef): string => `${kind.toLowerCase()}.${RBAC_GROUP} ${goQuote(name)} not found`;

const aggregate = (errors: readonly string[]): string => {
  const distinct = [...new Set(errors)];
  return distinct.length === 1 ? (distinct[0] ?? '') : `[${distinct.join(', ')}]`;
};

/** Feeds the index from the caches of the four kinds. */
class IndexFeed implements Controller {
  readonly #host: ControllerHost;
  readonly #index: RoleIndex;
  readonly #unsubscribe: (() => void)[] = [];

  constructor(host: ControllerHost, index: RoleIndex) {
    this.#host = host;
    this.#index = index;
  }

  start(): void {
    const index = this.#index;
    for (const resource of ['clusterroles', 'roles']) {
      this.#follow(
        resource,
        (namespace, name, object) => index.putRole(namespace, name, object as Role),
        (namespace, name) => index.deleteRole(namespace, name),
      );
    }
    for (const resource of ['clusterrolebindings', 'rolebindings']) {
      this.#follow(
        resource,
        (namespace, name, object) => index.putBinding(namespace, name, object as Binding),
        (namespace, name) => index.deleteBinding(namespace, name),
      );
    }
  }

  stop(): void {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
  }

  #follow(
    resource: string,
    put: (namespace: string, name: string, object: object) => void,
    remove: (namespace: string, name: string) => void,
  ): void {
    const kind = servedKind(this.#host, 'the RBAC authorizer', RBAC_GROUP, resource);
    const cache = this.#host.services.cache.resource(kind);
    this.#unsubscribe.push(
      cache.onEvent(({type, object}) => {
        if (type === 'DELETED') remove(object.namespace, object.name);
        else put(object.namespace, object.name, decodeItem(object));
      }),
    );
    for (const slice of cache.objects.slices('')) {
      for (const object of slice) put(object.namespace, object.name, decodeItem(object));
    }
  }
}
