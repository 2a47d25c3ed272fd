// SPDX-License-Identifier: Apache-2.0
/** metav1.LabelSelector as kinds have it in their specs. Ref: kubernetes v1.36 apimachinery/pkg/apis/meta/v1/helpers.go. */
import {
  childPath,
  compileLabelSelector,
  type FieldError,
  forbidden,
  indexPath,
  invalid,
  type LabelRequirement,
  type LabelSelector,
  labelValueFaults,
  namedText,
  qualifiedNameFaults,
  required,
} from '@palisade/kube-wire';

/** As decoded. */
export type LabelSelectorObject = {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly {
    readonly key?: string;
    readonly operator?: string;
    readonly values?: readonly string[];
  }[];
};

const OPERATORS: Readonly<Record<string, LabelRequirement['operator']>> = {
  In: 'in',
  NotIn: 'notin',
  Exists: 'exists',
  DoesNotExist: '!',
};

/** Of a selector that is valid. Without requirements it matches all. */
export const toSelector = ({matchLabels = {}, matchExpressions = []}: LabelSelectorObject): LabelSelector =>
  compileLabelSelector([
    ...Object.entries(matchLabels).map(([key, value]) => ({key, operator: '=', values: [value]}) as const),
    ...matchExpressions.map(({key = '', operator = '', values = []}) => ({
      key,
      operator: OPERATORS[operator] ?? 'exists',
      values: [...values].sort(),
    })),
  ]);

/** `lenient`: values of requirements are not looked at, as where one that is stored breaks the rules. */
export const validateSelector = (selector: LabelSelectorObject, path: string, lenient: boolean): FieldError[] => {
  const errors: FieldError[] = [];
  const labels = childPath(path, 'matchLabels');
  for (const [key, value] of Object.entries(selector.matchLabels ?? {})) {
    for (const fault of qualifiedNameFaults(key)) errors.push(invalid(labels, key, fault, 'format=k8s-label-key'));
    for (const fault of labelValueFaults(value)) errors.push(invalid(labels, value, fault, 'format=k8s-label-value'));
  }
  for (const [index, expression] of (selector.matchExpressions ?? []).entries()) {
    const at = indexPath(childPath(path, 'matchExpressions'), index);
    errors.push(...validateRequirement(expression, at, {lenientValues: lenient, anyOperator: false}));
  }
  return errors;
};

/** Ref: kubernetes v1.36 apimachinery/pkg/apis/meta/v1/validation/validation.go ValidateLabelSelectorRequirement. */
export const validateRequirement = (
  {key = '', operator = '', values = []}: {key?: string; operator?: string; values?: readonly string[]},
  path: string,
  {lenientValues, anyOperator}: {readonly lenientValues: boolean; readonly anyOperator: boolean},
): FieldError[] => {
  const errors = validateOperator(operator, values, path, anyOperator);
  for (const fault of qualifiedNameFaults(key)) {
    errors.push(invalid(childPath(path, 'key'), key, fault, 'format=k8s-label-key'));
  }
  if (lenientValues) return errors;
  for (const [index, value] of values.entries()) {
    for (const fault of labelValueFaults(value)) {
      errors.push(invalid(indexPath(childPath(path, 'values'), index), value, fault));
    }
  }
  return errors;
};

export const validateOperator = (
  operator: string,
  values: readonly string[],
  path: string,
  anyOperator: boolean,
): FieldError[] => {
  const at = childPath(path, 'values');
  if (operator === 'In' || operator === 'NotIn') {
    return values.length > 0 ? [] : [required(at, "must be specified when `operator` is 'In' or 'NotIn'")];
  }
  if (operator === 'Exists' || operator === 'DoesNotExist') {
    const text = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
    return values.length === 0 ? [] : [forbidden(at, text)];
  }
  return anyOperator
    ? []
    : [invalid(childPath(path, 'operator'), namedText(operator), 'not a valid selector operator')];
};
