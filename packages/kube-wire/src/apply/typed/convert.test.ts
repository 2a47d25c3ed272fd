// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {kubeTypes} from '../../gen/kube-types.ts';
import {conversionFault} from './convert.ts';
import {shapeOf} from './shape.ts';

test('45-1 of two values that cannot be converted the first one of the struct is reported, in whatever order they were sent', () => {
  const shape = shapeOf(kubeTypes, 'io.k8s.api.core.v1.Event');
  const fault = conversionFault({series: {lastObservedTime: 'noon'}, firstTimestamp: 7}, shape);
  expect(fault).toBe('json: cannot unmarshal number into Go value of type string');
});
