// SPDX-License-Identifier: Apache-2.0
/** May this user do that? Decisions are made before anything is looked up, so a refusal tells nothing about what exists. */
import type {UserInfo} from '../authn/authenticator.ts';

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

export interface Authorizer {
  authorize(attributes: Attributes): Decision | Promise<Decision>;
  /** All rules that hold for the user in a namespace, for SelfSubjectRulesReview. */
  rulesFor?(
    user: UserInfo,
    namespace: string,
  ):
    | {readonly rules: readonly PolicyRule[]; readonly incomplete: boolean}
    | Promise<{readonly rules: readonly PolicyRule[]; readonly incomplete: boolean}>;
}

/** system:masters may do everything; nobody else may do anything but ask for health and version. */
export const mastersOnly: Authorizer = {
  authorize: ({user, resourceRequest, verb, path}) => {
    if (user.groups.includes('system:masters')) return {allowed: true};
    return {allowed: !resourceRequest && (verb === 'get' || verb === 'head') && isPublicPath(path)};
  },
};

/** Open to anyone. Ref: kubernetes v1.36 bootstrap policy, system:public-info-viewer. */
export const isPublicPath = (path: string): boolean => /^\/(healthz|livez|readyz|version)\/?$/.test(path);
