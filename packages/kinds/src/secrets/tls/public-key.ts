// SPDX-License-Identifier: Apache-2.0
/** Ref: Go 1.26 crypto/x509/parser.go parsePublicKey. */
import {createPublicKey, type KeyObject} from 'node:crypto';
import {derOf, isNegative, readContent, readInteger, readObjectId, TAG} from './der.ts';

/** `key` is undefined where OpenSSL does not take what Go takes: then no private key fits. */
export type PublicKey = {readonly kind: 'rsa' | 'ec' | 'ed25519' | 'dsa'; readonly key: KeyObject | undefined};

/** From SubjectPublicKeyInfo, and that as a whole. */
type Parts = {readonly id: string; readonly parameters: Buffer; readonly bits: Buffer; readonly whole: Buffer};

const ALGORITHM: Readonly<Record<string, PublicKey['kind']>> = {
  '1.2.840.113549.1.1.1': 'rsa',
  '1.2.840.10040.4.1': 'dsa',
  '1.2.840.10045.2.1': 'ec',
  '1.3.101.112': 'ed25519',
};
/** By object identifier; bytes of a coordinate. */
const CURVES: Readonly<Record<string, {readonly name: string; readonly bytes: number}>> = {
  '1.3.132.0.33': {name: 'P224', bytes: 28},
  '1.2.840.10045.3.1.7': {name: 'P256', bytes: 32},
  '1.3.132.0.34': {name: 'P384', bytes: 48},
  '1.3.132.0.35': {name: 'P521', bytes: 66},
};
const NULL = Buffer.from([0x05, 0x00]);
const ED25519_BYTES = 32;
const UNCOMPRESSED = 4;

/** Go's text where it refuses the key; undefined for one of an algorithm that it does not know. */
export const publicKeyOf = (parts: Parts): PublicKey | string | undefined => {
  const kind = Object.hasOwn(ALGORITHM, parts.id) ? ALGORITHM[parts.id] : undefined;
  if (kind === undefined) return undefined;
  const fault = FAULT[kind](parts);
  if (fault !== undefined) return fault;
  const key = openedKey(parts.whole);
  if (key === undefined && kind === 'ec') return `${curveOf(parts)?.name} point not on curve`;
  return {kind, key};
};

const curveOf = ({parameters}: Parts): (typeof CURVES)[string] | undefined => {
  const id = readObjectId(derOf(parameters)) ?? '';
  return Object.hasOwn(CURVES, id) ? CURVES[id] : undefined;
};

const openedKey = (whole: Buffer): KeyObject | undefined => {
  try {
    return createPublicKey({key: whole, format: 'der', type: 'spki'});
  } catch {
    return undefined;
  }
};

const isPositive = (integer: Buffer): boolean => !isNegative(integer) && integer.some(byte => byte !== 0);

const rsaFault = ({parameters, bits}: Parts): string | undefined => {
  if (!parameters.equals(NULL)) return 'x509: RSA key missing NULL parameters';
  const content = readContent(derOf(bits), TAG.sequence);
  if (content === undefined) return 'x509: invalid RSA public key';
  const numbers = derOf(content);
  const modulus = readInteger(numbers);
  if (modulus === undefined) return 'x509: invalid RSA modulus';
  const exponent = readInteger(numbers);
  if (exponent === undefined || exponent.length > 8) return 'x509: invalid RSA public exponent';
  if (!isPositive(modulus)) return 'x509: RSA modulus is not a positive number';
  return isPositive(exponent) ? undefined : 'x509: RSA public exponent is not a positive number';
};

const ecFault = (parts: Parts): string | undefined => {
  const {parameters, bits} = parts;
  if (readObjectId(derOf(parameters)) === undefined) return 'x509: invalid ECDSA parameters';
  const curve = curveOf(parts);
  if (curve === undefined) return 'x509: unsupported elliptic curve';
  if (bits[0] !== UNCOMPRESSED) return 'ecdsa: invalid uncompressed public key';
  return bits.length === 1 + 2 * curve.bytes ? undefined : `invalid ${curve.name} point encoding`;
};

const ed25519Fault = ({parameters, bits}: Parts): string | undefined => {
  if (parameters.length > 0) return 'x509: Ed25519 key encoded with illegal parameters';
  return bits.length === ED25519_BYTES ? undefined : 'x509: wrong Ed25519 public key size';
};

const dsaFault = ({parameters, bits}: Parts): string | undefined => {
  const key = readInteger(derOf(bits));
  if (key === undefined) return 'x509: invalid DSA public key';
  const content = readContent(derOf(parameters), TAG.sequence);
  const numbers = derOf(content ?? Buffer.alloc(0));
  const all = [key, readInteger(numbers), readInteger(numbers), readInteger(numbers)];
  if (!all.every(number => number !== undefined)) return 'x509: invalid DSA parameters';
  return all.every(isPositive) ? undefined : 'x509: zero or negative DSA parameter';
};

const FAULT: Readonly<Record<PublicKey['kind'], (parts: Parts) => string | undefined>> = {
  rsa: rsaFault,
  ec: ecFault,
  ed25519: ed25519Fault,
  dsa: dsaFault,
};
