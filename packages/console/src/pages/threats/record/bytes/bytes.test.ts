// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {fromBase64, hexDump, hexRow, markedBytes, plainText, type Run, textRows} from './bytes.ts';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const joined = (runs: readonly Run[]): string => runs.map(({text}) => text).join('');

test('49-3 a hex dump has offset, bytes and text, and marks what matched across its gaps', () => {
  const bytes = bytesOf('GET /<b>\r\n\0');
  const row = hexRow(bytes, markedBytes(bytes.length, [{start: 4, end: 9}]), 0, 16);
  expect(row.offset).toBe('00000000');
  expect(joined(row.hex)).toBe('47 45 54 20 2f 3c 62 3e  0d 0a 00');
  expect(row.hex.filter(({isMarked}) => isMarked).map(({text}) => text)).toEqual(['2f 3c 62 3e  0d']);
  expect(row.ascii.map(({text, isMarked, isOdd}) => [text, isMarked, isOdd])).toEqual([
    ['GET ', false, false],
    ['/<b>', true, false],
    ['·', true, true],
    ['··', false, true],
  ]);
  expect(hexDump(bytesOf('0123456789abcdefX'))).toBe(
    '00000000  30 31 32 33 34 35 36 37  38 39 61 62 63 64 65 66  |0123456789abcdef|\n00000010  58                                                |X|',
  );
});

test('49-3 text shows each byte once, breaks at line feeds and at the width, and shows what cannot be printed', () => {
  const bytes = Uint8Array.from([...bytesOf('ab\r\n'), 0, 0xff, 0x7f, ...bytesOf('x'.repeat(9))]);
  const rows = textRows(bytes, markedBytes(bytes.length, []), 8);
  expect(rows.map(({offset, runs}) => [offset, joined(runs)])).toEqual([
    ['00000000', 'ab\\r\\n'],
    ['00000004', '\\x00\\xff'],
    ['00000006', '\\x7fxxxx'],
    ['0000000b', 'xxxxx'],
  ]);
});

test('49-3 no byte of a payload is lost in rows', () => {
  fc.assert(
    fc.property(fc.uint8Array({maxLength: 200}), fc.constantFrom(8, 16), (bytes, width) => {
      const marked = markedBytes(bytes.length, []);
      const rows = Array.from({length: Math.ceil(bytes.length / width)}, (_, at) => hexRow(bytes, marked, at, width));
      const hex = rows.map(({hex: runs}) => joined(runs).replaceAll(' ', '')).join('');
      expect(hex).toBe([...bytes].map(byte => byte.toString(16).padStart(2, '0')).join(''));
    }),
    {numRuns: 100},
  );
});

test('49-3 base64 of the server becomes bytes; nonsense becomes nothing', () => {
  expect(fromBase64('AP8=')).toEqual(Uint8Array.from([0, 255]));
  expect(fromBase64('***')).toBeUndefined();
  expect(plainText(bytesOf('ä'))).toBe('ä');
});
