// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {warningTexts} from './warnings.ts';

const latin1 = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');

test.each([
  [undefined, []],
  ['', []],
  ['299 - "one"', ['one']],
  ['299 - "one, two", 299 - "three"', ['one, two', 'three']],
  ['299 host:80 "with a date" "Wed, 21 Oct 2015 07:28:00 GMT",299 - "next"', ['with a date', 'next']],
  [String.raw`299 - "unknown field \"a\\b\""`, [String.raw`unknown field "a\b"`]],
  [latin1('299 - "größer"'), ['größer']],
  ['199 - "another code", 299 - "ours"', ['ours']],
  ['299 - without quotes', []],
])('49-3 the texts of %j', (header, texts) => expect(warningTexts(header)).toEqual(texts));
