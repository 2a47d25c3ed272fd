// SPDX-License-Identifier: Apache-2.0
/**
 * A private key as Go parses it: in PKCS 1, in PKCS 8, or for elliptic curves in a form of its own.
 * What follows the fields that are read is skipped. Ref: Go 1.26 crypto/tls/tls.go parsePrivateKey,
 * crypto/x509/{pkcs1,pkcs8,sec1}.go, encoding/asn1.
 */
import {createECDH, createPrivateKey, createPublicKey, type KeyObject} from 'node:crypto';
import {
  bytesOf,
  contextTag,
  type Der,
  derOf,
  headerAt,
  isDone,
  nextTag,
  publicKeyInfo,
  readBitString,
  readContent,
  readElement,
  readInteger,
  readObjectId,
  TAG,
} from './der.ts';
import {isValidRsa, type RsaNumbers} from './rsa-numbers.ts';

export type PrivateKey = {readonly kind: 'rsa' | 'ec' | 'ed25519'; readonly publicKey: KeyObject};

/** No key of this form. */
class NotThis extends Error {}

const need = <T>(found: T | undefined | false): T => {
  if (found === undefined || found === false) throw new NotThis();
  return found;
};

const orUndefined = <T>(read: () => T): T | undefined => {
  try {
    return read();
  } catch (error) {
    if (error instanceof NotThis) return undefined;
    throw error;
  }
};

/** Or what is wrong. */
export const privateKeyOf = (bytes: Buffer): PrivateKey | string =>
  orUndefined(() => rsaOf(bytes)) ??
  orUndefined(() => wrappedOf(bytes)) ??
  orUndefined(() => ecOf(bytes, undefined)) ??
  'tls: failed to parse private key';

const sequenceOf = (bytes: Buffer): Der => derOf(need(readContent(derOf(bytes), TAG.sequence)));

const INT_BYTES_MAX = 8;
const signed = (bytes: Buffer): bigint => BigInt.asIntN(8 * bytes.length, BigInt(`0x${bytes.toString('hex')}`));
const readNumber = (der: Der): bigint => signed(need(readInteger(der)));
const readInt = (der: Der): bigint => {
  const bytes = need(readInteger(der));
  return signed(need(bytes.length <= INT_BYTES_MAX && bytes));
};
const readOptional = (der: Der): bigint | undefined => (nextTag(der) === TAG.integer ? readNumber(der) : undefined);

const rsaOf = (bytes: Buffer): PrivateKey => {
  const outer = derOf(bytes);
  const der = derOf(need(readContent(outer, TAG.sequence)));
  const version = readInt(der);
  const [n, e, d, p, q] = [readNumber(der), readInt(der), readNumber(der), readNumber(der), readNumber(der)];
  const [dp, dq, inverse] = [readOptional(der), readOptional(der), readOptional(der)];
  const numbers: RsaNumbers = {n, e, d, primes: [p, q, ...readMorePrimes(der)], dp, dq, inverse};
  need(isDone(outer) && version <= 1n && isValidRsa(numbers));
  return {kind: 'rsa', publicKey: need(openedJwk({kty: 'RSA', n: base64Url(n), e: base64Url(e)}))};
};

const readMorePrimes = (der: Der): bigint[] => {
  if (nextTag(der) !== TAG.sequence) return [];
  const list = derOf(need(readContent(der, TAG.sequence)));
  const primes: bigint[] = [];
  while (!isDone(list)) {
    const one = derOf(need(readContent(list, TAG.sequence)));
    primes.push(readNumber(one));
    readNumber(one);
    readNumber(one);
  }
  return primes;
};

const base64Url = (number: bigint): string => bytesOf(number).toString('base64url');

const openedJwk = (key: {readonly [name: string]: string}): KeyObject | undefined => {
  try {
    return createPublicKey({key, format: 'jwk'});
  } catch {
    return undefined;
  }
};

const ALGORITHM = {
  rsa: '1.2.840.113549.1.1.1',
  ec: '1.2.840.10045.2.1',
  ed25519: '1.3.101.112',
  x25519: '1.3.101.110',
} as const;

const wrappedOf = (bytes: Buffer): PrivateKey | string => {
  const der = sequenceOf(bytes);
  readInt(der);
  const algorithm = derOf(need(readContent(der, TAG.sequence)));
  const id = need(readObjectId(algorithm));
  const {at} = algorithm;
  if (!isDone(algorithm)) need(readElement(algorithm));
  const parameters = algorithm.bytes.subarray(at, algorithm.at);
  const key = need(readContent(der, TAG.octetString));
  if (id === ALGORITHM.rsa) return rsaOf(key);
  if (id === ALGORITHM.ec) return ecOf(key, readObjectId(derOf(parameters)));
  need(parameters.length === 0);
  const seed = need(readContent(derOf(key), TAG.octetString));
  need(seed.length === SEED_BYTES);
  if (id === ALGORITHM.ed25519) return {kind: 'ed25519', publicKey: ed25519Public(seed)};
  return need(id === ALGORITHM.x25519 && 'tls: found unknown private key type in PKCS#8 wrapping');
};

const SEED_BYTES = 32;
/** PKCS 8 up to the seed. */
const ED25519_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');
const ed25519Public = (seed: Buffer): KeyObject =>
  createPublicKey(createPrivateKey({key: Buffer.concat([ED25519_HEAD, seed]), format: 'der', type: 'pkcs8'}));

/** `der`: its object identifier; `bytes`: of a scalar. */
type Curve = {readonly name: string; readonly der: string; readonly bytes: number};
const CURVES: Readonly<Record<string, Curve>> = {
  '1.3.132.0.33': {name: 'secp224r1', der: '06052b81040021', bytes: 28},
  '1.2.840.10045.3.1.7': {name: 'prime256v1', der: '06082a8648ce3d030107', bytes: 32},
  '1.3.132.0.34': {name: 'secp384r1', der: '06052b81040022', bytes: 48},
  '1.3.132.0.35': {name: 'secp521r1', der: '06052b81040023', bytes: 66},
};

const ecOf = (bytes: Buffer, wrappedCurve: string | undefined): PrivateKey => {
  const der = sequenceOf(bytes);
  const version = readInt(der);
  const sent = need(readContent(der, TAG.octetString));
  const own = readExplicit(der, 0, TAG.objectId, readObjectId);
  readExplicit(der, 1, TAG.bitString, readBitString);
  const id = wrappedCurve ?? own ?? '';
  const curve = need(version === 1n && Object.hasOwn(CURVES, id) && CURVES[id]);
  const zeros = Math.max(0, sent.length - curve.bytes);
  need(sent.subarray(0, zeros).every(byte => byte === 0));
  const scalar = Buffer.concat([Buffer.alloc(Math.max(0, curve.bytes - sent.length)), sent.subarray(zeros)]);
  return {kind: 'ec', publicKey: need(ecPublic(curve, scalar))};
};

/** What is of another type is skipped; what is empty or malformed is refused. */
const readExplicit = <T>(der: Der, n: number, tag: number, read: (inner: Der) => T | undefined): T | undefined => {
  const first = nextTag(der);
  if (first !== contextTag(n, true) && first !== contextTag(n, false)) return undefined;
  const {from, length} = need(headerAt(der));
  need(length > 0);
  const inner = {bytes: der.bytes, at: from}; // as upstream: only the length of what is within counts
  if (first !== contextTag(n, true) || nextTag(inner) !== tag) return undefined;
  const found = need(read(inner));
  der.at = inner.at;
  return found;
};

const EC_ID = Buffer.from('06072a8648ce3d0201', 'hex');

const ecPublic = (of: Curve, scalar: Buffer): KeyObject | undefined => {
  const curve = createECDH(of.name);
  try {
    curve.setPrivateKey(scalar);
  } catch {
    return undefined; // zero, or not below the order of the curve
  }
  const point = curve.getPublicKey();
  const algorithm = Buffer.concat([EC_ID, Buffer.from(of.der, 'hex')]);
  return createPublicKey({key: publicKeyInfo(algorithm, point), format: 'der', type: 'spki'});
};
