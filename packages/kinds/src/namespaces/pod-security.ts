// SPDX-License-Identifier: Apache-2.0
/**
 * The labels of a Namespace that say how pods in it are confined. Nothing here acts on them, but what makes no sense is refused
 * as the reference's admission plugin PodSecurity refuses it.
 * Ref: kubernetes v1.36 pod-security-admission/api/helpers.go PolicyToEvaluate, admission/admission.go ValidateNamespace.
 */
import {type FieldError, invalid, keyPath} from '@palisade/kube-wire';

type Labels = Readonly<Record<string, string>>;
type Rule = {readonly pattern: RegExp; readonly why: string};

const LEVEL: Rule = {
  pattern: /^(privileged|baseline|restricted)$/,
  why: 'must be one of privileged, baseline, restricted',
};
const VERSION: Rule = {pattern: /^(latest|v1\.(0|[1-9][0-9]{0,17}))$/, why: 'must be "latest" or "v1.x"'};

const RULES: Readonly<Record<string, Rule>> = Object.fromEntries(
  ['enforce', 'audit', 'warn'].flatMap(mode => [
    [`pod-security.kubernetes.io/${mode}`, LEVEL],
    [`pod-security.kubernetes.io/${mode}-version`, VERSION],
  ]),
);

const faultsOf = (labels: Labels): FieldError[] =>
  Object.entries(RULES).flatMap(([label, {pattern, why}]) => {
    const value = labels[label];
    return value === undefined || pattern.test(value) ? [] : [invalid(keyPath('metadata.labels', label), value, why)];
  });

const textOf = (faults: readonly FieldError[]): string => JSON.stringify(faults);

/** Faults that were there before and are the same now do not stop an update. */
export const podSecurityFaults = (labels: Labels = {}, before: Labels | undefined = {}): readonly FieldError[] => {
  const faults = faultsOf(labels);
  return faults.length > 0 && textOf(faults) === textOf(faultsOf(before)) ? [] : faults;
};
