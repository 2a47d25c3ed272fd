// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {terminalJson, terminalText} from './terminal-text.ts';

test.each([
  ['plain, with ümlaut and 漢\tand\nlines', 'plain, with ümlaut and 漢\tand\nlines'],
  ['\x1b[2Jgone\x07', '^[[2Jgone\\x07'],
  ['over\rwritten', 'over\\rwritten'],
  ['\x9b31mred\x7f\0', '\\x9b31mred\\x7f\\x00'],
])('%j is shown as %j', (text, shown) => {
  expect(terminalText(text)).toBe(shown);
});

test('JSON holds no control character, and means the same', () => {
  const value = {a: '\x1b\x9b31m\x7f', b: 'ümlaut'};
  expect(terminalJson(value)).toBe('{"a":"\\u001b\\u009b31m\\u007f","b":"ümlaut"}');
  expect(JSON.parse(terminalJson(value))).toEqual(value);
});
