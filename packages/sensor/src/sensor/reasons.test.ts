// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {SensorError} from '../sensor-error.ts';
import {refusalReason} from './reasons.ts';

test('43-2 a set that its settings refuse leaves the rules and the settings of the previous one, and says so', () => {
  expect(refusalReason(new SensorError('rule-settings', '--var A: x'))).toBe(
    'the newest rule set was refused, the previous rules and settings (variables, includes, thresholds) stay active: --var A: x',
  );
  expect(refusalReason(new SensorError('rule-error', 'no'))).toBe(
    'the newest rule set was refused, the previous one stays active: no',
  );
});
