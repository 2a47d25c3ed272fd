// SPDX-License-Identifier: Apache-2.0
/**
 * A certificate as Go parses it, refused in its words.
 * Ref: Go 1.26 crypto/x509/parser.go parseCertificate.
 */

import {
  contextTag,
  type Der,
  derOf,
  isDone,
  isNegative,
  nextTag,
  publicKeyInfo,
  readBitString,
  readContent,
  readInteger,
  readObjectId,
  readRightAligned,
  readTagged,
  TAG,
} from './der.ts';
import {distinguishedNameFault} from './distinguished-name.ts';
import {type Extension, extensionsFault, readBoolean} from './extensions.ts';
import {type PublicKey, publicKeyOf} from './public-key.ts';
import {timeFault} from './validity.ts';

/** A certificate that Go refuses. The message is Go's. */
export class CertificateError extends Error {
  override readonly name = 'CertificateError';
}

/** Throws CertificateError. */
const need = <T>(found: T | undefined, fault: string): T => {
  if (found === undefined) throw new CertificateError(`x509: ${fault}`);
  return found;
};
const refuse = (fault: string | undefined): void => {
  if (fault !== undefined) throw new CertificateError(`x509: ${fault}`);
};

const sequence = (der: Der, fault: string): Der => derOf(need(readContent(der, TAG.sequence), fault));

/** The key that the certificate is for; undefined for one of an unknown algorithm. Throws CertificateError. */
export const certificateKey = (bytes: Buffer): PublicKey | undefined => {
  const outer = derOf(bytes);
  const certificate = sequence(outer, 'malformed certificate');
  const body = sequence(certificate, 'malformed tbs certificate');
  const version = readVersion(body);
  const serial = need(readInteger(body), 'malformed serial number');
  if (isNegative(serial)) refuse('negative serial number');
  const signing = need(readContent(body, TAG.sequence), 'malformed signature algorithm identifier');
  const signed = need(readContent(certificate, TAG.sequence), 'malformed algorithm identifier');
  if (!signing.equals(signed)) refuse("inner and outer signature algorithm identifiers don't match");
  readAlgorithm(derOf(signing));
  readName(body);
  readValidity(body);
  readName(body);
  const key = readPublicKey(body);
  if (version > 1) readRest(body, version);
  need(readBitString(certificate), 'malformed signature');
  if (!isDone(outer)) refuse('trailing data');
  return key;
};

const VERSION_MAX = 3;

/** 1 to 3. */
const readVersion = (body: Der): number => {
  const tag = contextTag(0, true);
  if (nextTag(body) !== tag) return 1;
  const inner = derOf(need(readContent(body, tag), 'malformed version'));
  const number = need(readInteger(inner), 'malformed version');
  if (!isDone(inner) || isNegative(number)) refuse('malformed version');
  const version = number.length > 1 ? VERSION_MAX + 1 : (number[0] ?? 0) + 1;
  if (version > VERSION_MAX) refuse('invalid version');
  return version;
};

/** `known`: the bytes of both, without what follows them. */
type Algorithm = {readonly id: string; readonly parameters: Buffer; readonly known: Buffer};

const readAlgorithm = (der: Der): Algorithm => {
  const id = need(readObjectId(der), 'malformed OID');
  if (isDone(der)) return {id, parameters: Buffer.alloc(0), known: der.bytes};
  const {at} = der;
  need(readTagged(der, nextTag(der) ?? 0), 'malformed parameters');
  return {id, parameters: der.bytes.subarray(at, der.at), known: der.bytes.subarray(0, der.at)};
};

/** The reference says issuer of the subject too. */
const readName = (body: Der): void => {
  refuse(distinguishedNameFault(need(readContent(body, TAG.sequence), 'malformed issuer')));
};

const readValidity = (body: Der): void => {
  const validity = sequence(body, 'malformed validity');
  refuse(timeFault(validity) ?? timeFault(validity));
};

const readPublicKey = (body: Der): PublicKey | undefined => {
  const info = sequence(body, 'malformed spki');
  const algorithm = readAlgorithm(sequence(info, 'malformed public key algorithm identifier'));
  const bits = need(readRightAligned(info), 'malformed subjectPublicKey');
  const key = publicKeyOf({...algorithm, bits, whole: publicKeyInfo(algorithm.known, bits)});
  if (typeof key !== 'string') return key;
  throw new CertificateError(key);
};

const readRest = (body: Der, version: number): void => {
  skipOptional(body, contextTag(1, false), 'malformed issuerUniqueID');
  skipOptional(body, contextTag(2, false), 'malformed subjectUniqueID');
  const tag = contextTag(3, true);
  if (version < VERSION_MAX || nextTag(body) !== tag) return;
  const extensions = sequence(derOf(need(readContent(body, tag), 'malformed extensions')), 'malformed extensions');
  const found: Extension[] = [];
  const ids = new Set<string>();
  while (!isDone(extensions)) {
    const extension = readExtension(sequence(extensions, 'malformed extension'));
    if (ids.has(extension.id)) refuse(`certificate contains duplicate extension with OID "${extension.id}"`);
    ids.add(extension.id);
    found.push(extension);
  }
  refuse(extensionsFault(found));
};

const skipOptional = (der: Der, tag: number, fault: string): void => {
  if (nextTag(der) === tag) need(readContent(der, tag), fault);
};

const readExtension = (der: Der): Extension => {
  const id = need(readObjectId(der), 'malformed extension OID field');
  const critical = nextTag(der) === TAG.boolean && need(readBoolean(der), 'malformed extension critical field');
  return {id, critical, value: need(readContent(der, TAG.octetString), 'malformed extension value field')};
};
