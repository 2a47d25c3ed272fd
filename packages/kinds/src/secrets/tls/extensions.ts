// SPDX-License-Identifier: Apache-2.0
/**
 * What extensions of a certificate hold. Name constraints and URIs are not judged.
 * Ref: Go 1.26 crypto/x509/parser.go processExtensions; RFC 5280 section 4.2.
 */
import {
  contextTag,
  type Der,
  derOf,
  isDone,
  isNegative,
  nextTag,
  readBitString,
  readContent,
  readElement,
  readInteger,
  readObjectId,
  readTagged,
  TAG,
} from './der.ts';

export type Extension = {readonly id: string; readonly critical: boolean; readonly value: Buffer};

/** The first fault, without `x509:`. */
export const extensionsFault = (extensions: readonly Extension[]): string | undefined => {
  for (const {id, critical, value} of extensions) {
    const rule = Object.hasOwn(RULES, id) ? RULES[id] : undefined;
    if (rule === undefined) continue;
    if (critical && rule.never !== undefined) return `${rule.never} incorrectly marked critical`;
    const fault = rule.fault(derOf(value));
    if (fault !== undefined) return fault;
  }
  return undefined;
};

type Rule = {
  /** What it is called where it must not be critical. */
  readonly never?: string;
  readonly fault: (value: Der) => string | undefined;
};

const sequenceIn = (der: Der): Der | undefined => {
  const content = readContent(der, TAG.sequence);
  return content && derOf(content);
};

/** The value is a sequence; `item` reads one element of it, false: it cannot. */
const listRule =
  (fault: string, item: (list: Der) => boolean | string, ofItem = fault) =>
  (value: Der): string | undefined => {
    const list = sequenceIn(value);
    if (list === undefined) return `invalid ${fault}`;
    while (!isDone(list)) {
      const found = item(list);
      if (found === false) return `invalid ${ofItem}`;
      if (typeof found === 'string') return found;
    }
    return undefined;
  };

export const readBoolean = (der: Der): boolean | undefined => {
  const content = readContent(der, TAG.boolean);
  const [value] = content ?? [];
  return content?.length === 1 && (value === 0 || value === 0xff) ? value === 0xff : undefined;
};

const INTEGER_BYTES_MAX = 8;
/** That Go's `int` holds: not negative, or also that. */
const isInt = (integer: Buffer | undefined, canBeNegative: boolean): boolean =>
  integer !== undefined && integer.length <= INTEGER_BYTES_MAX && (canBeNegative || !isNegative(integer));

const basicConstraintsFault = (value: Der): string | undefined => {
  const parts = sequenceIn(value);
  const isGood =
    parts !== undefined &&
    (nextTag(parts) !== TAG.boolean || readBoolean(parts) !== undefined) &&
    (nextTag(parts) !== TAG.integer || isInt(readInteger(parts), false));
  return isGood ? undefined : 'invalid basic constraints';
};

const NAME = {
  email: contextTag(1, false),
  dns: contextTag(2, false),
  uri: contextTag(6, false),
  ip: contextTag(7, false),
};
const MALFORMED: Readonly<Record<number, string>> = {
  [NAME.email]: 'SAN rfc822Name is malformed',
  [NAME.dns]: 'SAN dNSName is malformed',
  [NAME.uri]: 'SAN uniformResourceIdentifier is malformed',
};
const IP_LENGTHS: ReadonlySet<number> = new Set([4, 16]);

const alternativeName = (list: Der): boolean | string => {
  const name = readElement(list);
  if (name === undefined) return false;
  const {tag, content} = name;
  if (tag === NAME.ip && !IP_LENGTHS.has(content.length)) return `cannot parse IP address of length ${content.length}`;
  const malformed = MALFORMED[tag];
  return malformed !== undefined && content.some(byte => byte > 0x7f) ? malformed : true;
};

const authorityKeyFault = (value: Der): string | undefined => {
  const parts = sequenceIn(value);
  const tag = contextTag(0, false);
  const isGood = parts !== undefined && (nextTag(parts) !== tag || readContent(parts, tag) !== undefined);
  return isGood ? undefined : 'invalid authority key identifier';
};

const distributionPoint = (list: Der): boolean => {
  const point = sequenceIn(list);
  const tag = contextTag(0, true);
  if (point === undefined) return false;
  if (nextTag(point) !== tag) return true;
  const name = readContent(point, tag);
  const full = name && readContent(derOf(name), tag);
  if (full === undefined) return false;
  const names = derOf(full);
  while (nextTag(names) === NAME.uri) if (readElement(names) === undefined) return false;
  return true;
};

const policyConstraintsFault = (value: Der): string | undefined => {
  const parts = sequenceIn(value);
  const isGood = (n: number): boolean => {
    const tag = contextTag(n, false);
    if (parts === undefined || nextTag(parts) !== tag) return parts !== undefined;
    const content = readTagged(parts, tag)?.content;
    return content !== undefined && isInt(readInteger(asInteger(content)), true);
  };
  return isGood(0) && isGood(1) ? undefined : 'invalid policy constraints extension';
};

const asInteger = (content: Buffer): Der =>
  derOf(Buffer.concat([Buffer.from([TAG.integer, Math.min(content.length, 0x7f)]), content.subarray(0, 0x7f)]));

const policies = (): ((list: Der) => boolean) => {
  const seen = new Set<string>();
  return list => {
    const policy = sequenceIn(list);
    const id = policy && readContent(policy, TAG.objectId);
    if (id === undefined || !isObjectId(id) || seen.has(id.toString('latin1'))) return false;
    seen.add(id.toString('latin1'));
    return true;
  };
};

/** Numbers in it may be of any size, in the shortest form. */
const isObjectId = (id: Buffer): boolean =>
  id.length > 0 && (id.at(-1) ?? 0) < 0x80 && !id.some((byte, i) => byte === 0x80 && (id[i - 1] ?? 0) < 0x80);

const policyMapping = (list: Der): boolean => {
  const pair = sequenceIn(list);
  return (
    pair !== undefined && readContent(pair, TAG.objectId) !== undefined && readContent(pair, TAG.objectId) !== undefined
  );
};

const authorityAccess = (list: Der): boolean => {
  const access = sequenceIn(list);
  if (access === undefined || readObjectId(access) === undefined) return false;
  return nextTag(access) !== NAME.uri || readElement(access) !== undefined;
};

const RULES: Readonly<Record<string, Rule>> = {
  '2.5.29.14': {
    never: 'subject key identifier',
    fault: value => (readContent(value, TAG.octetString) === undefined ? 'invalid subject key identifier' : undefined),
  },
  '2.5.29.15': {fault: value => (readBitString(value) === undefined ? 'invalid key usage' : undefined)},
  '2.5.29.17': {fault: listRule('subject alternative names', alternativeName, 'subject alternative name')},
  '2.5.29.19': {fault: basicConstraintsFault},
  '2.5.29.31': {fault: listRule('CRL distribution points', distributionPoint, 'CRL distribution point')},
  '2.5.29.32': {fault: value => listRule('certificate policies', policies())(value)},
  '2.5.29.33': {fault: listRule('policy mappings extension', policyMapping)},
  '2.5.29.35': {never: 'authority key identifier', fault: authorityKeyFault},
  '2.5.29.36': {fault: policyConstraintsFault},
  '2.5.29.37': {fault: listRule('extended key usages', list => readObjectId(list) !== undefined)},
  '2.5.29.54': {
    fault: value => (isInt(readInteger(value), true) ? undefined : 'invalid inhibit any policy extension'),
  },
  '1.3.6.1.5.5.7.1.1': {
    never: 'authority info access',
    fault: listRule('authority info access', authorityAccess),
  },
};
