// SPDX-License-Identifier: Apache-2.0
/**
 * DER, element by element from its front, as strictly as Go reads it. Each function advances when it finds what it is asked for,
 * and returns undefined when it does not. Ref: ITU-T X.690; golang.org/x/crypto/cryptobyte asn1.go.
 */

export type Der = {readonly bytes: Buffer; at: number};

/** `whole` has the header too. */
export type Element = {readonly tag: number; readonly content: Buffer; readonly whole: Buffer};

export const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  objectId: 0x06,
  utf8String: 0x0c,
  numericString: 0x12,
  printableString: 0x13,
  t61String: 0x14,
  ia5String: 0x16,
  utcTime: 0x17,
  generalizedTime: 0x18,
  bmpString: 0x1e,
  sequence: 0x30,
  set: 0x31,
} as const;
/** Context-specific, as `[n]`; constructed. */
export const contextTag = (n: number, constructed: boolean): number => (constructed ? 0xa0 : 0x80) | n;

const HIGH_TAG = 0x1f;
const LONG_FORM = 0x80;
const LENGTH_BYTES_MAX = 4;

export const derOf = (bytes: Buffer): Der => ({bytes, at: 0});
export const isDone = ({bytes, at}: Der): boolean => at >= bytes.length;
export const nextTag = ({bytes, at}: Der): number | undefined => bytes[at];

/** Where the content begins and how long it claims to be, which may be more than there is. Does not advance. */
export const headerAt = ({bytes, at}: Der): {readonly from: number; readonly length: number} | undefined => {
  const [tag, first] = [bytes[at], bytes[at + 1]];
  if (tag === undefined || first === undefined || (tag & HIGH_TAG) === HIGH_TAG) return undefined;
  let from = at + 2;
  let length = first;
  if (first >= LONG_FORM) {
    const count = first - LONG_FORM;
    if (count === 0 || count > LENGTH_BYTES_MAX || bytes.length < from + count) return undefined;
    length = bytes.readUIntBE(from, count);
    if (length < LONG_FORM || bytes[from] === 0) return undefined; // not the shortest form
    from += count;
  }
  return {from, length};
};

export const readElement = (der: Der): Element | undefined => {
  const {bytes, at} = der;
  const header = headerAt(der);
  if (header === undefined) return undefined;
  const {from, length} = header;
  const end = from + length;
  if (end > bytes.length) return undefined;
  der.at = end;
  return {tag: bytes[at] as number, content: bytes.subarray(from, end), whole: bytes.subarray(at, end)};
};

export const readTagged = (der: Der, tag: number): Element | undefined =>
  nextTag(der) === tag ? readElement(der) : undefined;

export const readContent = (der: Der, tag: number): Buffer | undefined => readTagged(der, tag)?.content;

/** The bytes of an integer in the shortest form. */
export const readInteger = (der: Der): Buffer | undefined => {
  const bytes = readContent(der, TAG.integer);
  if (bytes === undefined || bytes.length === 0) return undefined;
  const [first = 0, second] = bytes;
  if (second === undefined) return bytes;
  const isPadded = (first === 0 && second < 0x80) || (first === 0xff && second >= 0x80);
  return isPadded ? undefined : bytes;
};

export const isNegative = (integer: Buffer): boolean => (integer[0] ?? 0) >= 0x80;

const ARC_BYTES_MAX = 5;
const ARC_MAX = 2 ** 31 - 1;

/** In dots. */
export const readObjectId = (der: Der): string | undefined => {
  const bytes = readContent(der, TAG.objectId);
  if (bytes === undefined || bytes.length === 0) return undefined;
  const arcs: number[] = [];
  let arc = 0;
  let count = 0;
  for (const byte of bytes) {
    if ((count === 0 && byte === 0x80) || ++count > ARC_BYTES_MAX) return undefined;
    arc = arc * 0x80 + (byte & 0x7f);
    if (arc > ARC_MAX) return undefined;
    if (byte >= 0x80) continue;
    arcs.push(arc);
    arc = 0;
    count = 0;
  }
  if (count > 0) return undefined;
  const [first = 0, ...rest] = arcs;
  const top = Math.min(Math.floor(first / 40), 2);
  return [top, first - top * 40, ...rest].join('.');
};

/** The bytes of a bit string, which may end in unused bits. */
export const readBitString = (der: Der): Buffer | undefined => {
  const bytes = readContent(der, TAG.bitString);
  const unused = bytes?.[0];
  if (bytes === undefined || unused === undefined || unused > 7) return undefined;
  const last = bytes.length > 1 ? (bytes.at(-1) as number) : 0;
  if (bytes.length === 1 ? unused !== 0 : (last & ((1 << unused) - 1)) !== 0) return undefined;
  return bytes.subarray(1);
};

/** The same bits, with the unused ones in front. */
export const readRightAligned = (der: Der): Buffer | undefined => {
  const {at} = der;
  const bytes = readBitString(der);
  if (bytes === undefined) return undefined;
  const unused = readContent({bytes: der.bytes, at}, TAG.bitString)?.[0] ?? 0;
  if (unused === 0) return bytes;
  return Buffer.from(
    bytes.map((byte, i) => (byte >> unused) | ((i === 0 ? 0 : (bytes[i - 1] as number)) << (8 - unused))),
  );
};

/** The shortest big-endian form; one byte for 0. */
export const bytesOf = (number: bigint | number): Buffer => {
  const hex = number.toString(16);
  return Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex');
};

const encoded = (tag: number, ...parts: readonly Buffer[]): Buffer => {
  const content = Buffer.concat(parts);
  const length = bytesOf(content.length);
  const head = content.length < LONG_FORM ? [tag, content.length] : [tag, LONG_FORM + length.length, ...length];
  return Buffer.concat([Buffer.from(head), content]);
};

/** SubjectPublicKeyInfo of a key in whole bytes; `algorithm` is what its sequence contains. */
export const publicKeyInfo = (algorithm: Buffer, key: Buffer): Buffer =>
  encoded(TAG.sequence, encoded(TAG.sequence, algorithm), encoded(TAG.bitString, Buffer.of(0), key));
