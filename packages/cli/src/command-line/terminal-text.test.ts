// SPDX-License-Identifier: Apache-2.0
import {execFileSync} from 'node:child_process';
import {expect, test} from 'vitest';
import {terminalCell, terminalJson, terminalText, terminalWord} from './terminal-text.ts';

test.each([
  ['plain, with ümlaut and 漢\tand\nlines', 'plain, with ümlaut and 漢\tand\nlines'],
  ['\x1b[2Jgone\x07', '^[[2Jgone\\x07'],
  ['over\rwritten', 'over\\rwritten'],
  ['\x9b31mred\x7f\0', '\\x9b31mred\\x7f\\x00'],
])('%j is shown as %j', (text, shown) => {
  expect(terminalText(text)).toBe(shown);
});

test('a cell stays in its line and its column', () => {
  expect(terminalCell('a\nb\tc\x1b[2J')).toBe('a\\nb\\tc^[[2J');
});

test('JSON holds no control character, and means the same', () => {
  const value = {a: '\x1b\x9b31m\x7f', b: 'ümlaut'};
  expect(terminalJson(value)).toBe('{"a":"\\u001b\\u009b31m\\u007f","b":"ümlaut"}');
  expect(JSON.parse(terminalJson(value))).toEqual(value);
});

test.each([
  ['endpoints/web', 'endpoints/web'],
  ["a;b $(c) it's", `'a;b $(c) it'\\''s'`],
  ["roles/\x1b[2J\n\x9b'\\ü", String.raw`$'roles/\u001b[2J\u000a\u009b\'\\ü'`],
])('%j is the word %s, which bash reads as that text', (text, word) => {
  expect(terminalWord(text)).toBe(word);
  const env = {...process.env, LC_ALL: 'C.UTF-8'};
  expect(execFileSync('bash', ['-c', `printf %s ${word}`], {encoding: 'utf8', env})).toBe(text);
});
