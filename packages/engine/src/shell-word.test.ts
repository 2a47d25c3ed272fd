// SPDX-License-Identifier: Apache-2.0
import {execFileSync} from 'node:child_process';
import {shellWord} from '@palisade/ids-wire';
import {expect, test} from 'vitest';
import {shellWords} from './shell-word.ts';

test.each([
  ['x/y', 'x/y'],
  ['', "''"],
  ["it's $(a)", `'it'\\''s $(a)'`],
  ['two\nlines\tand a tab', "'two\nlines\tand a tab'"],
])('%j is the word %j, which any POSIX shell reads as that text', (text, word) => {
  expect(shellWord(text)).toBe(word);
  expect(execFileSync('sh', ['-c', `printf %s ${word}`], {encoding: 'utf8'})).toBe(text);
});

test.each([
  ['--max-old-space-size=512  --no-warnings', ['--max-old-space-size=512', '--no-warnings']],
  [`--import 'a b.js' "c\\"d" e\\ f ""`, ['--import', 'a b.js', 'c"d', 'e f', '']],
  [' ', []],
  [`it's`, undefined],
  ['"', undefined],
])('F-19 %j is the words %j', (line, words) => expect(shellWords(line)).toEqual(words));
