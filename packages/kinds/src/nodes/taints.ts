// SPDX-License-Identifier: Apache-2.0
/** Ref: kubernetes v1.36 pkg/apis/core/validation validateNodeTaints, validateTaintEffect; plugin/pkg/admission/nodetaint. */
import {
  childPath,
  type FieldError,
  goJson,
  indexPath,
  invalid,
  labelValueFaults,
  namedText,
  notSupported,
  PrintedValue,
  qualifiedNameFaults,
  required,
} from '@palisade/kube-wire';
import type {Taint} from './types.ts';

const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];
const NOT_READY: Taint = {key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule'};

/** A new node has this taint until somebody says that it is ready, as upstream's admission does. */
export const withNotReady = (taints: readonly Taint[] = []): Taint[] =>
  taints.some(({key, effect}) => key === NOT_READY.key && effect === NOT_READY.effect)
    ? [...taints]
    : [...taints, {...NOT_READY}];

export const validateTaints = (taints: readonly Taint[] | undefined, path: string): FieldError[] => {
  const seen = new Set<string>();
  return (taints ?? []).flatMap((taint, index) => {
    const at = indexPath(path, index);
    const {key = '', value = '', effect = ''} = taint;
    const errors = qualifiedNameFaults(key).map(fault => invalid(childPath(at, 'key'), key, fault));
    const valueFaults = labelValueFaults(value);
    if (valueFaults.length > 0) errors.push(invalid(childPath(at, 'value'), value, valueFaults.join(';')));
    errors.push(...validateEffect(effect, childPath(at, 'effect')));
    const pair = JSON.stringify([effect, key]);
    if (seen.has(pair)) errors.push(repeated(taint, at));
    seen.add(pair);
    return errors;
  });
};

const validateEffect = (effect: string, path: string): FieldError[] => {
  if (effect === '') return [required(path)];
  return EFFECTS.includes(effect) ? [] : [notSupported(path, namedText(effect), EFFECTS)];
};

const repeated = ({key = '', value = '', effect = '', timeAdded = null}: Taint, path: string): FieldError => ({
  path,
  type: 'FieldValueDuplicate',
  badValue: new PrintedValue(goJson({Key: key, Value: value, Effect: effect, TimeAdded: timeAdded})),
  detail: 'taints must be unique by key and effect pair',
});
