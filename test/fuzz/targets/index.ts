// SPDX-License-Identifier: Apache-2.0
/** Every decoder of input that others write. */
import type {Target} from '../frame/target.ts';
import {engineTargets} from './engine.ts';
import {fileTargets} from './files.ts';
import {httpTargets} from './http.ts';
import {idsTargets} from './ids.ts';
import {kubeBodyTargets} from './kube-bodies.ts';
import {kubePatchTargets} from './kube-patches.ts';
import {kubeTextTargets} from './kube-texts.ts';
import {kubeVerbTargets} from './kube-verbs.ts';
import {ownFileTargets} from './own-files.ts';
import {ruleTargets} from './rules.ts';
import {sensorTargets} from './sensor.ts';

export const targets: readonly Target[] = [
  ...kubeBodyTargets,
  ...kubePatchTargets,
  ...kubeTextTargets,
  ...kubeVerbTargets,
  ...httpTargets,
  ...idsTargets,
  ...sensorTargets,
  ...ruleTargets,
  ...fileTargets,
  ...ownFileTargets,
  ...engineTargets,
];
