// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {terminalText} from './terminal-text.ts';

test.each([
  ['plain, with ümlaut and 漢\tand\nlines', 'plain, with ümlaut and 漢\tand\nlines'],
  ['\x1b[2Jgone\x07', '^[[2Jgone\\x07'],
  ['over\rwritten', 'over\\rwritten'],
  ['\x9b31mred\x7f\0', '\\x9b31mred\\x7f\\x00'],
])('%j is shown as %j', (text, shown) => {
  expect(terminalText(text)).toBe(shown);
});
