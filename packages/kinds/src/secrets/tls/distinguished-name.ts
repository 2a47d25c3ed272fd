// SPDX-License-Identifier: Apache-2.0
/** Ref: Go 1.26 crypto/x509/parser.go parseName, parseASN1String. */
import {type Der, derOf, type Element, isDone, readContent, readElement, readObjectId, TAG} from './der.ts';

const INVALID = 'invalid RDNSequence';

/** What is wrong with the contents of a name, without `x509:`. */
export const distinguishedNameFault = (content: Buffer): string | undefined => {
  const name = derOf(content);
  while (!isDone(name)) {
    const set = readContent(name, TAG.set);
    if (set === undefined) return INVALID;
    const fault = setFault(derOf(set));
    if (fault !== undefined) return `${INVALID}: ${fault}`;
  }
  return undefined;
};

const setFault = (set: Der): string | undefined => {
  while (!isDone(set)) {
    const attribute = readContent(set, TAG.sequence);
    if (attribute === undefined) return 'invalid attribute';
    const parts = derOf(attribute);
    if (readObjectId(parts) === undefined) return 'invalid attribute type';
    const value = readElement(parts);
    if (value === undefined) return 'invalid attribute value';
    const fault = stringFault(value);
    if (fault !== undefined) return `invalid attribute value: ${fault}`;
  }
  return undefined;
};

/** With `*` and `&`, which are not allowed there but common. */
const PRINTABLE = /^[A-Za-z0-9'()+,\-./ :=?*&]*$/;
const NUMERIC = /^[0-9 ]*$/;

const stringFault = ({tag, content}: Element): string | undefined => {
  const text = content.toString('latin1');
  switch (tag) {
    case TAG.t61String:
      return undefined;
    case TAG.printableString:
      return PRINTABLE.test(text) ? undefined : 'invalid PrintableString';
    case TAG.utf8String:
      return isUtf8(content) ? undefined : 'invalid UTF-8 string';
    case TAG.bmpString:
      return isBmp(content) ? undefined : 'invalid BMPString';
    case TAG.ia5String:
      return content.every(byte => byte < 0x80) ? undefined : 'invalid IA5String';
    case TAG.numericString:
      return NUMERIC.test(text) ? undefined : 'invalid NumericString';
    default:
      return `unsupported string type: ${tag}`;
  }
};

const isUtf8 = (bytes: Buffer): boolean => {
  try {
    new TextDecoder('utf-8', {fatal: true}).decode(bytes);
    return true;
  } catch {
    return false;
  }
};

/** Without surrogates and noncharacters, at most a zero at the end. */
const isBmp = (bytes: Buffer): boolean => {
  if (bytes.length % 2 !== 0) return false;
  for (let at = 0; at < bytes.length; at += 2) {
    const unit = bytes.readUInt16BE(at);
    if (unit >= 0xfffe || (unit >= 0xfdd0 && unit <= 0xfdef) || (unit >= 0xd800 && unit <= 0xdfff)) return false;
  }
  return true;
};
