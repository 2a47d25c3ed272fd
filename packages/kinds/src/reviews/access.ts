// SPDX-License-Identifier: Apache-2.0
/** What an access review asks, and its answer. Ref: kubernetes v1.36 pkg/registry/authorization/util/helpers.go. */
import type {Attributes, StrategyContext, UserInfo} from '@palisade/apiserver';
import {parseFieldSelector, parseLabelSelector} from '@palisade/kube-wire';
import type {AccessSpec, ResourceAttributes, SelectorAttributes, SelectorRequirement} from './types.ts';

type About = Pick<ResourceAttributes, 'group' | 'resource'>;

/**
 * kubectl sends `endpoints.ids.googleapis.com` as a resource without a group where discovery has no such group. No resource has a dot
 * in its name, so it can mean nothing else. Ref: kubernetes v1.36 kubectl/pkg/cmd/auth/cani.go resourceFor.
 */
const withGroup = (about: ResourceAttributes): About => {
  const {group = '', resource = ''} = about;
  const dot = resource.indexOf('.');
  return group !== '' || dot < 0 ? about : {group: resource.slice(dot + 1), resource: resource.slice(0, dot)};
};

const attributesFrom = (
  {resourceAttributes: resource, nonResourceAttributes: other}: AccessSpec,
  {compat}: Asking,
  user: UserInfo,
): Attributes => {
  const sent = resource ?? {};
  const about = compat.findGroupInResource ? {...sent, ...withGroup(sent)} : sent;
  return {
    user,
    verb: (resource === undefined ? other?.verb : resource.verb) ?? '',
    resourceRequest: resource !== undefined,
    group: about.group ?? '',
    version: (about.version ?? '') === '' && resource !== undefined ? '*' : (about.version ?? ''),
    resource: about.resource ?? '',
    subresource: about.subresource ?? '',
    namespace: about.namespace ?? '',
    name: about.name ?? '',
    path: resource === undefined ? (other?.path ?? '') : '',
  };
};

export const userFrom = ({user = '', groups = [], uid = '', extra = {}}: AccessSpec): UserInfo => ({
  name: user,
  uid,
  groups,
  extra,
});

type Asking = Pick<StrategyContext, 'authorizer' | 'compat'>;

/** The `status` of an access review. */
export const judgeAccess = async (
  asking: Asking,
  spec: AccessSpec,
  user: UserInfo,
): Promise<Record<string, unknown>> => {
  const {allowed, reason = ''} = await asking.authorizer.authorize(attributesFrom(spec, asking, user));
  const evaluationError = selectorErrors(spec.resourceAttributes);
  return {
    allowed,
    ...(reason !== '' && {reason}),
    ...(evaluationError !== '' && {evaluationError}),
  };
};

/** Rules know no selectors; what of them cannot be read is said. */
const selectorErrors = (resource: ResourceAttributes | undefined): string => {
  if (resource === undefined) return '';
  const faults = [
    ['fieldSelector', faultOf(resource.fieldSelector, parseFieldSelector, fieldRequirementFits)],
    ['labelSelector', faultOf(resource.labelSelector, parseLabelSelector, labelRequirementFits)],
  ] as const;
  return faults
    .flatMap(([name, fault]) =>
      fault === undefined ? [] : [`spec.resourceAttributes.${name} ${fault} due to parse error`],
    )
    .join('; ');
};

const faultOf = (
  selector: SelectorAttributes | undefined,
  parse: (text: string) => unknown,
  fits: (requirement: SelectorRequirement) => boolean,
): 'ignored' | 'partially ignored' | undefined => {
  if (selector === undefined) return undefined;
  const {rawSelector = '', requirements = []} = selector;
  if (requirements.length > 0) {
    const good = requirements.filter(fits).length;
    if (good === requirements.length) return undefined;
    return good > 0 ? 'partially ignored' : 'ignored';
  }
  try {
    parse(rawSelector);
    return undefined;
  } catch {
    return 'ignored';
  }
};

const labelRequirementFits = ({operator = ''}: SelectorRequirement): boolean =>
  ['In', 'NotIn', 'Exists', 'DoesNotExist'].includes(operator);

const fieldRequirementFits = ({operator = '', values = []}: SelectorRequirement): boolean =>
  (operator === 'In' || operator === 'NotIn') && values.length === 1;
