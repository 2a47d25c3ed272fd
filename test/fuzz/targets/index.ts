// SPDX-License-Identifier: Apache-2.0
/** Every decoder of input that others write. */
import type {Target} from '../frame/target.ts';
import {answerTargets} from './answers.ts';
import {connectionTargets} from './connections.ts';
import {engineTargets} from './engine.ts';
import {fileTargets} from './files.ts';
import {httpTargets} from './http.ts';
import {idsTargets} from './ids.ts';
import {kubeBodyTargets} from './kube-bodies.ts';
import {kubePatchTargets} from './kube-patches.ts';
import {kubeTextTargets} from './kube-texts.ts';
import {kubeVerbTargets} from './kube-verbs.ts';
import {ownFileTargets} from './own-files.ts';
import {ownValueTargets} from './own-values.ts';
import {pkiTargets} from './pki.ts';
import {proberTargets} from './prober.ts';
import {ruleTargets} from './rules.ts';
import {sensorTargets} from './sensor.ts';
import {sensorFileTargets} from './sensor-files.ts';
import {signInTargets} from './sign-in.ts';

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
  ...pkiTargets,
  ...signInTargets,
  ...answerTargets,
  ...proberTargets,
  ...sensorFileTargets,
  ...ownValueTargets,
  ...connectionTargets,
];
