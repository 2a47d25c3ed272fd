// SPDX-License-Identifier: Apache-2.0
import type {SensorHost} from '@palisade/ids';
import {createSensorHost, type SuricataSensorHost} from '@palisade/sensor';
import {expect, expectTypeOf, test} from 'vitest';

test('the sensor host fits the port that the control plane declares', () => {
  expectTypeOf<SuricataSensorHost>().toExtend<SensorHost>(); // the type check is the proof
  expect(createSensorHost).toBeTypeOf('function');
});
