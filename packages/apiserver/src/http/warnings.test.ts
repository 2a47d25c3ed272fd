// SPDX-License-Identifier: Apache-2.0
import {describe, expect, it} from 'vitest';
import {Warnings} from './warnings.ts';

const headersOf = (texts: readonly string[]): string[] => {
  const warnings = new Warnings();
  for (const text of texts) warnings.add(text);
  return warnings.toHeaders();
};
const textsOf = (headers: readonly string[]): string[] => headers.map(header => header.slice('299 - "'.length, -1));
const numbered = (count: number, length: number): string[] =>
  Array.from({length: count}, (_, i) => String(i).padEnd(length, 'x'));

describe('warning headers', () => {
  it('are told once each, in order, quoted', () => {
    expect(headersOf(['b', 'a "q" \\', 'b'])).toEqual(['299 - "b"', '299 - "a \\"q\\" \\\\"']);
  });

  it('are not made of texts with control characters', () => {
    expect(headersOf(['a\nb', '\u0085', 'c'])).toEqual(['299 - "c"']);
  });

  it('stay whole up to 4096 characters of text', () => {
    const texts = numbered(8, 512);
    expect(textsOf(headersOf(texts))).toEqual(texts);
  });

  it('are cut to 256 characters each beyond that, not counting bytes', () => {
    expect(textsOf(headersOf(['short', '\u{1F600}'.repeat(4_097)]))).toEqual([
      'short',
      Buffer.from('\u{1F600}'.repeat(256)).toString('latin1'),
    ]);
  });

  it('end with the one that fills the 4096 characters with texts that are cut', () => {
    const texts = numbered(40, 1_000);
    expect(textsOf(headersOf(texts))).toEqual(texts.slice(0, 16).map(text => text.slice(0, 256)));
  });

  it('end with the one that was over the limit when none is long', () => {
    const texts = numbered(80, 97);
    expect(textsOf(headersOf(texts))).toEqual(texts.slice(0, 43));
  });
});
