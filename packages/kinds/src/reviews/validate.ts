// SPDX-License-Identifier: Apache-2.0
/** Ref: kubernetes v1.36 pkg/apis/authorization/validation/validation.go. */
import {
  childPath,
  encodeJson,
  type FieldError,
  indexPath,
  invalid,
  type JsonObject,
  kubeTypes,
  PrintedValue,
  required,
} from '@palisade/kube-wire';
import {validateOperator, validateRequirement} from '../label-selector.ts';
import type {AccessReview, AccessSpec, ResourceAttributes, SelectorAttributes} from './types.ts';

const NULL = new PrintedValue('null');

/** Exactly one of the two; printed as internal structs, which have no JSON names. */
const validateTarget = ({resourceAttributes, nonResourceAttributes}: AccessSpec): FieldError[] => {
  if (resourceAttributes !== undefined && nonResourceAttributes !== undefined) {
    const {path = '', verb = ''} = nonResourceAttributes;
    const printed = {Path: path, Verb: verb};
    return [
      invalid('spec.nonResourceAttributes', printed, 'cannot be specified in combination with resourceAttributes'),
    ];
  }
  if (resourceAttributes !== undefined || nonResourceAttributes !== undefined) return [];
  const text = 'exactly one of nonResourceAttributes or resourceAttributes must be specified';
  return [invalid('spec.resourceAttributes', NULL, text)];
};

const validateSelectors = (resource: ResourceAttributes | undefined): FieldError[] => {
  if (resource === undefined) return [];
  const path = 'spec.resourceAttributes';
  return [
    ...validateSelector(resource.fieldSelector, childPath(path, 'fieldSelector'), 'field'),
    ...validateSelector(resource.labelSelector, childPath(path, 'labelSelector'), 'label'),
  ];
};

const validateSelector = (
  selector: SelectorAttributes | undefined,
  path: string,
  of: 'field' | 'label',
): FieldError[] => {
  if (selector === undefined) return [];
  const {rawSelector = '', requirements = []} = selector;
  const errors: FieldError[] = [];
  if (rawSelector !== '' && requirements.length > 0) {
    const text = 'may not specified at the same time as requirements';
    errors.push(invalid(childPath(path, 'rawSelector'), rawSelector, text));
  }
  if (rawSelector === '' && requirements.length === 0) {
    const text = `when ${path} is specified, requirements or rawSelector is required`;
    errors.push(required(childPath(path, 'requirements'), text));
  }
  for (const [index, requirement] of requirements.entries()) {
    const at = indexPath(childPath(path, 'requirements'), index);
    if (of === 'label') {
      errors.push(...validateRequirement(requirement, at, {lenientValues: false, anyOperator: true}));
      continue;
    }
    const {key = '', operator = '', values = []} = requirement;
    if (key === '') errors.push(required(childPath(at, 'key'), 'must be specified'));
    errors.push(...validateOperator(operator, values, at, true));
  }
  return errors;
};

const validateSubject = ({user = '', groups = []}: AccessSpec): FieldError[] =>
  user === '' && groups.length === 0
    ? [invalid('spec.user', '', 'at least one of user or group must be specified')]
    : [];

/** Nothing of the metadata may be set; who owns which field does not count. */
const validateMetadata = ({metadata}: AccessReview, namespaced: boolean): FieldError[] => {
  const {managedFields: _, namespace, ...rest} = metadata;
  const other = Object.values(rest).some(value => value !== undefined && value !== null && value !== '');
  if (!other && (namespaced || (namespace ?? '') === '')) return [];
  const text = namespaced ? 'must be empty except for namespace' : 'must be empty';
  const printed = encodeJson(
    kubeTypes,
    'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta',
    metadata as unknown as JsonObject,
  );
  return [invalid('metadata', new PrintedValue(printed), text)];
};

export const validateSelfAccess = (review: AccessReview): FieldError[] => {
  const {spec = {}} = review;
  return [...validateTarget(spec), ...validateSelectors(spec.resourceAttributes), ...validateMetadata(review, false)];
};

export const validateSubjectAccess = (review: AccessReview): FieldError[] => {
  const {spec = {}} = review;
  return [
    ...validateTarget(spec),
    ...validateSubject(spec),
    ...validateSelectors(spec.resourceAttributes),
    ...validateMetadata(review, false),
  ];
};

export const validateLocalAccess = (review: AccessReview): FieldError[] => {
  const {spec = {}, metadata} = review;
  const {resourceAttributes: resource, nonResourceAttributes: path} = spec;
  const errors = [
    ...validateTarget(spec),
    ...validateSubject(spec),
    ...validateSelectors(resource),
    ...validateMetadata(review, true),
  ];
  if (resource !== undefined && (resource.namespace ?? '') !== (metadata.namespace ?? '')) {
    const at = 'spec.resourceAttributes.namespace';
    errors.push(invalid(at, resource.namespace ?? '', 'must match metadata.namespace'));
  }
  if (path !== undefined) {
    const printed = {Path: path.path ?? '', Verb: path.verb ?? ''};
    errors.push(invalid('spec.nonResourceAttributes', printed, 'disallowed on this kind of request'));
  }
  return errors;
};
