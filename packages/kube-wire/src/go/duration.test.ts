// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {goDurationFault} from './duration.ts';

test.each(['0', '-0', '1s', '1.5h', '.5m', '2h45m', '-300ms', '1us', '1µs', '2562047h'])('%s is a duration', text => {
  expect(goDurationFault(text)).toBeUndefined();
});

test.each([
  ['x', 'invalid duration "x"'],
  ['', 'invalid duration ""'],
  ['-', 'invalid duration "-"'],
  ['.s', 'invalid duration ".s"'],
  ['5', 'missing unit in duration "5"'],
  ['1s5', 'missing unit in duration "1s5"'],
  ['1d', 'unknown unit "d" in duration "1d"'],
  ['1 s', 'unknown unit " s" in duration "1 s"'],
  ['1é', 'unknown unit "\\xc3\\xa9" in duration "1\\xc3\\xa9"'],
  ['2562048h', 'invalid duration "2562048h"'],
])('%s is none', (text, fault) => {
  expect(goDurationFault(text)).toBe(`time: ${fault}`);
});
