// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {managerOf} from '../request/options/write-options.ts';
import {headerText} from './header-text.ts';

test.each([
  ['plain', 'plain'],
  ['\xc3\xa9', 'é'],
  ['a\xe2\x80b', 'a\ufffd\ufffdb'],
  ['\xf0\x9f\x98', '\ufffd\ufffd\ufffd'],
])('E-213 the header text %j is %j, as it is for a manager', (sent, text) => {
  expect(headerText(sent)).toBe(text);
  expect(managerOf({fieldManager: ''}, `${sent}/1.0`)).toBe(text);
});
