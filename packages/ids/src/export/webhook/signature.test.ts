// SPDX-License-Identifier: Apache-2.0
/** The keys of a secretFile. */
import {expect, test} from 'vitest';
import {keysIn} from './signature.ts';

const KEY = Buffer.alloc(32, 250);
const BASE64 = KEY.toString('base64'); // with + and padding

test('44-5 blanks and ends of lines are no part of a key', () => {
  const text = 'a key of text that is long enough';
  expect(keysIn(`whsec_${BASE64} \t\r\n\n${text}  \n`)).toEqual([KEY, Buffer.from(text)]);
});

test.each([
  ['a character of another alphabet', BASE64.replace('+', '-')],
  ['no padding', BASE64.replace('=', '')],
  ['a blank within', `${BASE64.slice(0, 8)} ${BASE64.slice(8)}`],
  ['a second prefix', `whsec_${BASE64}`],
])('44-5 base64 that is not whole is refused with its line, not cut: %s', (_, text) => {
  expect(keysIn(`\nwhsec_${text}\n`)).toMatch(/^line 2 has no base64 .*; write one such as whsec_/);
});

test('44-5 a key that is too short is refused with its line', () => {
  expect(keysIn('\nwhsec_AAAA\n')).toMatch(/^line 2 has a key of 3 bytes; use 24 bytes or more, such as/);
  expect(keysIn(' \n')).toMatch(/^is empty; write a key of 24 bytes/);
});
