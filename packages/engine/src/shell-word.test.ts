// SPDX-License-Identifier: Apache-2.0
import {execFileSync} from 'node:child_process';
import {expect, test} from 'vitest';
import {shellWord} from './shell-word.ts';

test.each([
  ['x/y', 'x/y'],
  ['', "''"],
  ["it's $(a)", `'it'\\''s $(a)'`],
  ['two\nlines\tand a tab', "'two\nlines\tand a tab'"],
])('%j is the word %j, which any POSIX shell reads as that text', (text, word) => {
  expect(shellWord(text)).toBe(word);
  expect(execFileSync('sh', ['-c', `printf %s ${word}`], {encoding: 'utf8'})).toBe(text);
});
