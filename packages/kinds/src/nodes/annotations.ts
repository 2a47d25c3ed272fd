// SPDX-License-Identifier: Apache-2.0
/**
 * Two annotations of old that hold JSON, which upstream still checks.
 * Ref: kubernetes v1.36 pkg/apis/core/validation ValidateNodeSpecificAnnotations, validatePreferAvoidPodsEntry.
 */
import {childPath, type FieldError, indexPath, invalid, required} from '@palisade/kube-wire';
import {type GoShape, GoValueError, goValue} from './go-value.ts';
import {validateTaints} from './taints.ts';
import type {Taint} from './types.ts';

const TAINTS = 'scheduler.alpha.kubernetes.io/taints';
const AVOID_PODS = 'scheduler.alpha.kubernetes.io/preferAvoidPods';
const PATH = 'metadata.annotations';

const TAINT_LIST: GoShape = {
  go: '[]core.Taint',
  item: {
    go: 'core.Taint',
    fields: {
      Key: {go: 'string'},
      Value: {go: 'string'},
      Effect: {go: 'core.TaintEffect'},
      TimeAdded: {go: 'v1.Time'},
    },
  },
};
const OWNER: GoShape = {
  go: 'v1.OwnerReference',
  fields: {
    apiVersion: {go: 'string'},
    kind: {go: 'string'},
    name: {go: 'string'},
    uid: {go: 'types.UID'},
    controller: {go: 'bool'},
    blockOwnerDeletion: {go: 'bool'},
  },
};
const AVOIDED: GoShape = {
  go: 'v1.AvoidPods',
  fields: {
    preferAvoidPods: {
      go: '[]v1.PreferAvoidPodsEntry',
      item: {
        go: 'v1.PreferAvoidPodsEntry',
        fields: {
          podSignature: {go: 'v1.PodSignature', fields: {podController: OWNER}},
          evictionTime: {go: 'v1.Time'},
          reason: {go: 'string'},
          message: {go: 'string'},
        },
      },
    },
  },
};

type SentTaint = {Key?: string; Value?: string; Effect?: string; TimeAdded?: string};
type Avoided = {preferAvoidPods?: {podSignature?: {podController?: {controller?: boolean}}}[]};

export const validateAnnotations = (annotations: Readonly<Record<string, string>> = {}): FieldError[] => [
  ...read<SentTaint[]>(annotations, TAINTS, TAINT_LIST, PATH, sent =>
    validateTaints(sent.map(toTaint), childPath(PATH, TAINTS)),
  ),
  ...read<Avoided>(annotations, AVOID_PODS, AVOIDED, childPath(PATH, 'AvoidPods'), ({preferAvoidPods = []}) =>
    preferAvoidPods.flatMap(({podSignature}, index) =>
      validateAvoided(podSignature?.podController, indexPath(childPath(PATH, AVOID_PODS), index)),
    ),
  ),
];

const toTaint = ({Key, Value, Effect, TimeAdded}: SentTaint): Taint => ({
  ...(Key !== undefined && {key: Key}),
  ...(Value !== undefined && {value: Value}),
  ...(Effect !== undefined && {effect: Effect}),
  ...(TimeAdded !== undefined && {timeAdded: TimeAdded}),
});

const read = <T>(
  annotations: Readonly<Record<string, string>>,
  name: string,
  shape: GoShape,
  path: string,
  validate: (value: T) => FieldError[],
): FieldError[] => {
  const text = annotations[name] ?? '';
  if (text === '') return [];
  try {
    const value = goValue(text, shape);
    return value === undefined ? [] : validate(value as T);
  } catch (error) {
    if (!(error instanceof GoValueError)) throw error;
    return [invalid(path, name, error.message)];
  }
};

/** Where `controller` is left out, upstream's check fails itself; it is refused here. */
const validateAvoided = (owner: {controller?: boolean} | undefined, path: string): FieldError[] => {
  const signature = childPath(path, 'PodSignature');
  if (owner === undefined) return [required(signature)];
  if (owner.controller === true) return [];
  return [invalid(childPath(signature, 'PodController.Controller'), false, 'must point to a controller')];
};
