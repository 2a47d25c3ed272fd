// SPDX-License-Identifier: Apache-2.0
/** Bytes in JSON: padded base64 of the standard alphabet. Ref: RFC 4648 section 4, Go encoding/base64 decodeQuantum. */

/** `offset` is that of the first byte that cannot stand there. */
export class Base64Error extends Error {
  override readonly name = 'Base64Error';
  constructor(offset: number) {
    super(`illegal base64 data at input byte ${offset}`);
  }
}

const [CR, LF, PAD] = [0x0d, 0x0a, 0x3d];
const isBreak = (byte: number | undefined): boolean => byte === LF || byte === CR;
const DIGITS = new Set(Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'));

/** Whether the text is what an encoder writes: no line breaks, no stray bits. */
export const isCanonicalBase64 = (text: string): boolean => Buffer.from(text, 'base64').toString('base64') === text;

/** The text as an encoder writes it; line breaks are passed over. Throws Base64Error. */
export function normalizeBase64(text: string): string {
  if (isCanonicalBase64(text)) return text;
  assertBase64(Buffer.from(text));
  return Buffer.from(text, 'base64').toString('base64');
}

function assertBase64(bytes: Buffer): void {
  let digits = 0; // of the group of four that is being read
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    if (isBreak(byte)) continue;
    if (byte === PAD) {
      assertPadding(bytes, at, digits);
      return;
    }
    if (!DIGITS.has(byte)) throw new Base64Error(at);
    digits = (digits + 1) % 4;
  }
  if (digits > 0) throw new Base64Error(bytes.length - digits);
}

/** The first `=` stands at `first`, behind `digits` of its group; nothing but what it needs may follow. */
function assertPadding(bytes: Buffer, first: number, digits: number): void {
  if (digits < 2) throw new Base64Error(first);
  let at = skipBreaks(bytes, first + 1);
  if (digits === 2) {
    if (at === bytes.length) throw new Base64Error(at);
    if (bytes[at] !== PAD) throw new Base64Error(at - 1);
    at = skipBreaks(bytes, at + 1);
  }
  if (at < bytes.length) throw new Base64Error(at);
}

function skipBreaks(bytes: Buffer, from: number): number {
  let at = from;
  while (isBreak(bytes[at])) at++;
  return at;
}
