// SPDX-License-Identifier: Apache-2.0
/**
 * Kinds that are asked and answered, never stored: may I, may they, what may I, who am I.
 * Ref: kubernetes v1.36 pkg/registry/{authorization,authentication}.
 */
import {
  badRequest,
  invalidObject,
  type KindDefinition,
  type KubeObject,
  type PolicyRule,
  type ReviewHandler,
  type Strategy,
  toKubeTime,
} from '@palisade/apiserver';
import {type FieldError, kubeTypes} from '@palisade/kube-wire';
import {plainTable} from '../rbac/table.ts';
import type {AccountTokens} from '../service-accounts/index.ts';
import {judgeAccess, userFrom} from './access.ts';
import {tokenReview, userStatus} from './token-review.ts';
import type {AccessReview, RulesReview} from './types.ts';
import {validateLocalAccess, validateSelfAccess, validateSubjectAccess} from './validate.ts';

const AUTHORIZATION = 'authorization.k8s.io';
const AUTHENTICATION = 'authentication.k8s.io';

const strategy: Strategy = {
  validateName: () => [],
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: false,
  table: plainTable,
};

const defineReview = (group: string, kind: string, namespaced: boolean, review: ReviewHandler): KindDefinition => {
  const resource = `${kind.toLowerCase()}s`;
  const shortGroup = group.slice(0, group.indexOf('.'));
  return {
    group,
    version: 'v1',
    kind,
    listKind: `${kind}List`,
    resource,
    singular: kind.toLowerCase(),
    namespaced,
    verbs: ['create'],
    typeName: `io.k8s.api.${shortGroup}.v1.${kind}`,
    types: kubeTypes,
    registryPath: resource,
    internalName: `${shortGroup}.${kind}`,
    strategy,
    review,
  };
};

/** Throws StatusError 422; the reference leaves the kind out here. */
const refuse = (faults: readonly FieldError[]): void => {
  if (faults.length > 0) throw invalidObject({group: AUTHORIZATION, kind: ''}, '', faults);
};

const selfAccess: ReviewHandler = async (draft, {authorizer, user}) => {
  const review = draft as AccessReview;
  refuse(validateSelfAccess(review));
  return {...review, status: await judgeAccess(authorizer, review.spec ?? {}, user)};
};

const subjectAccess: ReviewHandler = async (draft, {authorizer}) => {
  const review = draft as AccessReview;
  refuse(validateSubjectAccess(review));
  const {spec = {}} = review;
  return {...review, status: await judgeAccess(authorizer, spec, userFrom(spec))};
};

const localAccess: ReviewHandler = async (draft, {authorizer}) => {
  const review = draft as AccessReview;
  refuse(validateLocalAccess(review));
  if ((review.metadata.namespace ?? '') === '') throw badRequest('namespace is required on this type: ');
  const {spec = {}} = review;
  return {...review, status: await judgeAccess(authorizer, spec, userFrom(spec))};
};

const resourceRule = ({verbs, apiGroups, resources, resourceNames}: PolicyRule): object => ({
  verbs,
  ...(apiGroups !== undefined && {apiGroups}),
  ...(resources !== undefined && {resources}),
  ...(resourceNames !== undefined && {resourceNames}),
});

const selfRules: ReviewHandler = (draft, {authorizer, user}) => {
  const namespace = (draft as RulesReview).spec?.namespace ?? '';
  if (namespace === '') throw badRequest('no namespace on request');
  const {rules, errors} = authorizer.resolver?.rulesFor(user, namespace) ?? {rules: [], errors: []};
  const ofResources = rules.filter(({resources = []}) => resources.length > 0);
  const ofPaths = rules.filter(({nonResourceURLs = []}) => nonResourceURLs.length > 0);
  return {
    metadata: {},
    spec: {},
    status: {
      resourceRules: ofResources.map(resourceRule),
      nonResourceRules: ofPaths.map(({verbs, nonResourceURLs}) => ({verbs, nonResourceURLs})),
      incomplete: authorizer.resolver === undefined,
      ...(errors.length > 0 && {evaluationError: errors.length === 1 ? errors[0] : `[${errors.join(', ')}]`}),
    },
  };
};

const self: ReviewHandler = (_draft, {user, nowMs}): KubeObject => ({
  metadata: {creationTimestamp: toKubeTime(nowMs)},
  status: {
    userInfo: userStatus(user),
  },
});

/** Without `tokens` nobody can ask about tokens. */
export const reviewKinds = (tokens: AccountTokens | undefined): readonly KindDefinition[] => [
  defineReview(AUTHENTICATION, 'SelfSubjectReview', false, self),
  ...(tokens === undefined ? [] : [defineReview(AUTHENTICATION, 'TokenReview', false, tokenReview(tokens))]),
  defineReview(AUTHORIZATION, 'LocalSubjectAccessReview', true, localAccess),
  defineReview(AUTHORIZATION, 'SelfSubjectAccessReview', false, selfAccess),
  defineReview(AUTHORIZATION, 'SelfSubjectRulesReview', false, selfRules),
  defineReview(AUTHORIZATION, 'SubjectAccessReview', false, subjectAccess),
];
