// SPDX-License-Identifier: Apache-2.0
/** May this user do that? Decisions are made before anything is looked up, so a refusal tells nothing about what exists. */
import type {UserInfo} from '../identity/authenticator.ts';

export type Attributes = {
  readonly user: UserInfo;
  /** get, list, watch, create, update, patch, delete, deletecollection, impersonate, or an HTTP method in lower case. */
  readonly verb: string;
  readonly resourceRequest: boolean;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  /** The URL path; the only address of a non-resource request. */
  readonly path: string;
};

export type Decision = {readonly allowed: boolean; readonly reason?: string | undefined};

export type PolicyRule = {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
};

/** The role that a binding points to. */
export type RoleRef = {readonly apiGroup: string; readonly kind: string; readonly name: string};

/** What somebody may do, as far as it can be found out; rules only add up, so what is missing only takes away. */
export type ResolvedRules = {
  readonly rules: readonly PolicyRule[];
  /** Roles that bindings name and that are not there, each once. */
  readonly missing: readonly RoleRef[];
  /** The same in the words of a refused request. */
  readonly errors: readonly string[];
};

/** The rules behind the decisions, for who writes rules: nobody may hand out what they do not hold. */
export interface RuleResolver {
  /** In a namespace, or with '' of the whole cluster. */
  rulesFor(user: UserInfo, namespace: string): ResolvedRules;
  /** Of a role; `namespace` is that of the binding, '' for a ClusterRoleBinding. Undefined: there is no such role. */
  rulesOf(role: RoleRef, namespace: string): readonly PolicyRule[] | undefined;
  allows(attributes: Attributes): boolean;
}

export interface Authorizer {
  authorize(attributes: Attributes): Decision | Promise<Decision>;
  /** Absent where decisions do not come from rules: then nobody but system:masters may write roles. */
  readonly resolver?: RuleResolver | undefined;
}

/** system:masters may do everything; nobody else may do anything but ask for health and version. */
export const mastersOnly: Authorizer = {
  authorize: ({user, resourceRequest, verb, path}) => {
    if (user.groups.includes('system:masters')) return {allowed: true};
    return {allowed: !resourceRequest && (verb === 'get' || verb === 'head') && isPublicPath(path)};
  },
};

/** Open to anyone. Ref: kubernetes v1.36 bootstrap policy, system:public-info-viewer. */
const isPublicPath = (path: string): boolean => /^\/(healthz|livez|readyz|version)\/?$/.test(path);
