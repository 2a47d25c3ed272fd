// SPDX-License-Identifier: Apache-2.0
/** Ref: kubernetes v1.36 pkg/apis/coordination/validation/validation.go. */
import {
  childPath,
  type FieldError,
  forbidden,
  invalid,
  namedText,
  notSupported,
  qualifiedNameFaults,
} from '@palisade/kube-wire';
import type {LeaseSpec} from './types.ts';

const STRATEGIES = ['OldestEmulationVersion'];
const at = (field: string): string => childPath('spec', field);

export const validateLeaseSpec = ({
  leaseDurationSeconds,
  leaseTransitions,
  strategy,
  preferredHolder,
}: LeaseSpec): FieldError[] => {
  const errors: FieldError[] = [];
  if (leaseDurationSeconds !== undefined && leaseDurationSeconds <= 0)
    errors.push(invalid(at('leaseDurationSeconds'), leaseDurationSeconds, 'must be greater than 0'));
  if (leaseTransitions !== undefined && leaseTransitions < 0)
    errors.push(invalid(at('leaseTransitions'), leaseTransitions, 'must be greater than or equal to 0'));
  if (strategy !== undefined) errors.push(...validateStrategy(strategy));
  if ((preferredHolder ?? '') !== '' && (strategy ?? '') === '')
    errors.push(forbidden(at('preferredHolder'), 'may only be specified if `strategy` is defined'));
  return errors;
};

/** The reference names the field twice. */
const validateStrategy = (strategy: string): FieldError[] => {
  const path = childPath(at('strategy'), 'strategy');
  if (strategy.includes('/'))
    return qualifiedNameFaults(strategy).map(text => invalid(path, namedText(strategy), text));
  return STRATEGIES.includes(strategy) ? [] : [notSupported(path, namedText(strategy), STRATEGIES)];
};
