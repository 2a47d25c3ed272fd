// SPDX-License-Identifier: Apache-2.0
/** Certificates that Go takes and refuses, made by hand: nobody checks their signature. The texts are those of Go 1.26. */
import {generateKeyPairSync, type KeyObject} from 'node:crypto';
import {expect, test} from 'vitest';
import {keyPairFault} from './key-pair.ts';

const der = (tag: number, ...parts: readonly (Buffer | string)[]): Buffer => {
  const content = Buffer.concat(parts.map(part => (typeof part === 'string' ? Buffer.from(part) : part)));
  const size = content.length;
  const length = size < 0x80 ? [size] : size < 0x100 ? [0x81, size] : [0x82, size >> 8, size & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), content]);
};
const seq = (...parts: readonly Buffer[]): Buffer => der(0x30, ...parts);
const bytes = (...values: readonly number[]): Buffer => Buffer.from(values);
const oid = (...values: readonly number[]): Buffer => der(0x06, bytes(...values));

const ec = generateKeyPairSync('ec', {namedCurve: 'P-256'});
const otherEc = generateKeyPairSync('ec', {namedCurve: 'P-256'});
const ed = generateKeyPairSync('ed25519');
const rsa = generateKeyPairSync('rsa', {modulusLength: 1024});
const spkiOf = (key: KeyObject): Buffer => key.export({type: 'spki', format: 'der'});

const ALGORITHM = seq(oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02));
const nameOf = (tag: number, text: Buffer | string): Buffer =>
  seq(der(0x31, seq(oid(0x55, 0x04, 0x03), der(tag, text))));
const timesOf = (from: Buffer, to: Buffer = der(0x17, '300101000000Z')): Buffer => seq(from, to);
const extensionOf = (...parts: readonly Buffer[]): Buffer =>
  seq(oid(0x55, 0x1d, 0x0f), ...parts, der(0x04, bytes(3, 2, 5, 0xa0)));

const GOOD = {
  version: der(0xa0, der(0x02, bytes(2))),
  serial: der(0x02, bytes(1)),
  algorithm: ALGORITHM,
  issuer: nameOf(0x0c, 'é'),
  validity: timesOf(der(0x17, '250101000000Z')),
  subject: nameOf(0x13, 'a.example'),
  spki: spkiOf(ec.publicKey),
  extensions: der(0xa3, seq(extensionOf())),
};
type Parts = Partial<Record<keyof typeof GOOD, Buffer>>;

const certificateOf = (parts: Parts = {}, signing = ALGORITHM): Buffer =>
  seq(seq(...Object.values({...GOOD, ...parts})), signing, der(0x03, bytes(0, 1)));
const pem = (type: string, content: Buffer): Buffer =>
  Buffer.from(
    `-----BEGIN ${type}-----\n${content.toString('base64').replace(/.{64}/g, '$&\n')}\n-----END ${type}-----\n`,
  );
const certificate = (parts: Parts = {}): Buffer => pem('CERTIFICATE', certificateOf(parts));
const keyPem = (key: KeyObject, type: 'pkcs8' | 'sec1' | 'pkcs1' = 'pkcs8'): Buffer =>
  Buffer.from(key.export({type, format: 'pem'} as never) as unknown as string);
const OWN = keyPem(ec.privateKey);

test.each<[string, Parts, Buffer]>([
  ['EC in PKCS 8', {}, OWN],
  ['EC in a form of its own', {}, keyPem(ec.privateKey, 'sec1')],
  ['Ed25519', {spki: spkiOf(ed.publicKey)}, keyPem(ed.privateKey)],
  ['RSA in PKCS 8', {spki: spkiOf(rsa.publicKey)}, keyPem(rsa.privateKey)],
  ['RSA in PKCS 1', {spki: spkiOf(rsa.publicKey)}, keyPem(rsa.privateKey, 'pkcs1')],
  ['a certificate of version 1', {version: bytes(), extensions: bytes()}, OWN],
  ['times of the next century', {validity: timesOf(der(0x18, '20500101000000Z'), der(0x18, '99991231235959Z'))}, OWN],
])('45-1 %s: a pair', (_, parts, key) => {
  expect(keyPairFault(certificate(parts), key)).toBeUndefined();
});

test('45-1 what surrounds the blocks, headers and blanks are passed by', () => {
  const text = certificate().toString().replace('-----\n', '-----\nProc-Type: 4\n\n').replaceAll('\n', ' \r\n');
  const damaged = '-----BEGIN CERTIFICATE-----\n!!!!\n-----END CERTIFICATE-----\n';
  expect(
    keyPairFault(Buffer.from(`Subject: x\n${damaged}${text}rest`), Buffer.concat([certificate(), OWN])),
  ).toBeUndefined();
});

const PRIVATE = 'tls: failed to parse private key';
test.each<[string, Buffer, Buffer, string]>([
  ['nothing', Buffer.from('x'), OWN, 'tls: failed to find any PEM data in certificate input'],
  [
    'keys the wrong way round',
    OWN,
    certificate(),
    'tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched',
  ],
  [
    'other blocks',
    Buffer.concat([OWN, pem('X', bytes())]),
    OWN,
    'tls: failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the following types: [PRIVATE KEY X]',
  ],
  ['no key', certificate(), Buffer.from(''), 'tls: failed to find any PEM data in key input'],
  [
    'a certificate for a key',
    certificate(),
    certificate(),
    'tls: found a certificate rather than a key in the PEM for the private key',
  ],
  [
    'other blocks for a key',
    certificate(),
    Buffer.concat([pem('A', bytes()), pem('NOT A PUBLIC KEY', bytes())]),
    'tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input after skipping PEM blocks of the following types: [A NOT A PUBLIC KEY]',
  ],
  ['no key in the block', certificate(), pem('PRIVATE KEY', bytes(1, 2)), PRIVATE],
  ['another kind of key', certificate(), keyPem(ed.privateKey), 'tls: private key type does not match public key type'],
  ['another key', certificate(), keyPem(otherEc.privateKey), 'tls: private key does not match public key'],
  [
    'a key for agreement',
    certificate(),
    keyPem(generateKeyPairSync('x25519').privateKey),
    'tls: found unknown private key type in PKCS#8 wrapping',
  ],
  [
    'a curve that Go lacks',
    certificate(),
    keyPem(generateKeyPairSync('ec', {namedCurve: 'secp256k1'}).privateKey),
    PRIVATE,
  ],
  [
    'an algorithm that Go lacks',
    certificate({spki: seq(seq(oid(0x2a, 0x03)), der(0x03, bytes(0)))}),
    OWN,
    'tls: unknown public key algorithm',
  ],
])('45-1 %s: refused as Go does', (_, cert, key, text) => {
  expect(keyPairFault(cert, key)).toBe(text);
});

const spki = (algorithm: Buffer, bits: Buffer): Parts => ({spki: seq(algorithm, der(0x03, bytes(0), bits))});
const RSA = oid(0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01);
const EC = oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01);
const P256 = oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07);
const ED25519 = oid(0x2b, 0x65, 0x70);
const NULL = bytes(5, 0);

test.each<[string, Parts]>([
  ['malformed version', {version: der(0xa0, bytes(1, 1, 0))}],
  ['invalid version', {version: der(0xa0, der(0x02, bytes(3)))}],
  ['malformed serial number', {serial: der(0x02, bytes(0, 1))}],
  ['negative serial number', {serial: der(0x02, bytes(0x80))}],
  ['malformed signature algorithm identifier', {algorithm: bytes(), issuer: bytes(5, 0)}],
  ["inner and outer signature algorithm identifiers don't match", {algorithm: seq(oid(0x2a, 0x03))}],
  ['malformed issuer', {issuer: bytes(5, 0)}],
  ['invalid RDNSequence', {issuer: seq(bytes(5, 0))}],
  ['invalid RDNSequence: invalid attribute', {issuer: seq(der(0x31, bytes(5, 0)))}],
  ['invalid RDNSequence: invalid attribute type', {issuer: seq(der(0x31, seq(bytes(5, 0))))}],
  ['invalid RDNSequence: invalid attribute value', {issuer: seq(der(0x31, seq(oid(0x55, 0x04, 0x03))))}],
  ['invalid RDNSequence: invalid attribute value: invalid PrintableString', {issuer: nameOf(0x13, 'a_b')}],
  ['invalid RDNSequence: invalid attribute value: invalid UTF-8 string', {subject: nameOf(0x0c, bytes(0xff))}],
  ['invalid RDNSequence: invalid attribute value: invalid IA5String', {subject: nameOf(0x16, bytes(0xff))}],
  ['invalid RDNSequence: invalid attribute value: invalid NumericString', {subject: nameOf(0x12, 'x')}],
  ['invalid RDNSequence: invalid attribute value: invalid BMPString', {subject: nameOf(0x1e, bytes(0xd8, 0))}],
  ['invalid RDNSequence: invalid attribute value: unsupported string type: 5', {subject: nameOf(0x05, '')}],
  ['malformed validity', {validity: bytes(5, 0)}],
  ['malformed UTCTime', {validity: timesOf(der(0x17, '250230000000Z'))}],
  ['malformed GeneralizedTime', {validity: timesOf(der(0x18, '20250101000000'))}],
  ['unsupported time format', {validity: seq()}],
  ['malformed spki', {spki: bytes(5, 0)}],
  ['malformed public key algorithm identifier', {spki: seq()}],
  ['malformed OID', {spki: seq(seq())}],
  ['malformed subjectPublicKey', {spki: seq(seq(EC, P256))}],
  ['RSA key missing NULL parameters', spki(seq(RSA), bytes())],
  ['invalid RSA public key', spki(seq(RSA, NULL), bytes(5, 0))],
  ['invalid RSA modulus', spki(seq(RSA, NULL), seq())],
  ['invalid RSA public exponent', spki(seq(RSA, NULL), seq(der(0x02, bytes(1))))],
  ['RSA modulus is not a positive number', spki(seq(RSA, NULL), seq(der(0x02, bytes(0)), der(0x02, bytes(3))))],
  ['RSA public exponent is not a positive number', spki(seq(RSA, NULL), seq(der(0x02, bytes(5)), der(0x02, bytes(0))))],
  ['invalid ECDSA parameters', spki(seq(EC, NULL), bytes(4))],
  ['unsupported elliptic curve', spki(seq(EC, oid(0x2a, 0x03)), bytes(4))],
  ['Ed25519 key encoded with illegal parameters', spki(seq(ED25519, NULL), bytes())],
  ['wrong Ed25519 public key size', spki(seq(ED25519), bytes(1))],
  ['malformed extensions', {extensions: der(0xa3, bytes(5, 0))}],
  ['malformed extension', {extensions: der(0xa3, seq(bytes(5, 0)))}],
  ['malformed extension OID field', {extensions: der(0xa3, seq(seq()))}],
  ['malformed extension critical field', {extensions: der(0xa3, seq(extensionOf(der(0x01, bytes(1)))))}],
  ['malformed extension value field', {extensions: der(0xa3, seq(seq(oid(0x55, 0x1d, 0x0f))))}],
  [
    'certificate contains duplicate extension with OID "2.5.29.15"',
    {extensions: der(0xa3, seq(extensionOf(der(0x01, bytes(0xff))), extensionOf()))},
  ],
])('45-1 x509: %s', (text, parts) => {
  expect(keyPairFault(certificate(parts), OWN)).toBe(`x509: ${text}`);
});

test.each<[string, Parts]>([
  ['ecdsa: invalid uncompressed public key', spki(seq(EC, P256), bytes(2))],
  ['invalid P256 point encoding', spki(seq(EC, P256), bytes(4, 1))],
  ['P256 point not on curve', spki(seq(EC, P256), Buffer.concat([bytes(4), Buffer.alloc(64, 1)]))],
])('45-1 %s', (text, parts) => {
  expect(keyPairFault(certificate(parts), OWN)).toBe(text);
});

test.each<[string, Buffer]>([
  ['malformed certificate', bytes(1, 2)],
  ['malformed tbs certificate', seq()],
  ['malformed algorithm identifier', seq(seq(...Object.values(GOOD)))],
  ['malformed signature', seq(seq(...Object.values(GOOD)), ALGORITHM)],
  ['trailing data', Buffer.concat([certificateOf(), bytes(0)])],
])('45-1 x509: %s, of the whole', (text, content) => {
  expect(keyPairFault(pem('CERTIFICATE', content), OWN)).toBe(`x509: ${text}`);
});

const extended = (last: number | readonly number[], value: Buffer, critical = false): Parts => {
  const id = typeof last === 'number' ? oid(0x55, 0x1d, last) : oid(...last);
  const flag = critical ? [der(0x01, bytes(0xff))] : [];
  return {extensions: der(0xa3, seq(seq(id, ...flag, der(0x04, value))))};
};
const ACCESS = [0x2b, 6, 1, 5, 5, 7, 1, 1];
const POLICY = seq(oid(0x2a, 0x03));

test.each<[string, Parts]>([
  ['subject key identifier incorrectly marked critical', extended(14, der(0x04), true)],
  ['invalid subject key identifier', extended(14, NULL)],
  ['invalid key usage', extended(15, der(0x03, bytes(8)))],
  ['invalid subject alternative names', extended(17, NULL)],
  ['invalid subject alternative name', extended(17, seq(bytes(0x82, 5)))],
  ['SAN dNSName is malformed', extended(17, seq(der(0x82, 'é')))],
  ['SAN rfc822Name is malformed', extended(17, seq(der(0x81, 'é')))],
  ['SAN uniformResourceIdentifier is malformed', extended(17, seq(der(0x86, 'é')))],
  ['cannot parse IP address of length 5', extended(17, seq(der(0x87, bytes(1, 2, 3, 4, 5))))],
  ['invalid basic constraints', extended(19, seq(der(0x01, bytes(1))))],
  ['invalid basic constraints', extended(19, seq(der(0x02, bytes(0x80))))],
  ['invalid CRL distribution points', extended(31, NULL)],
  ['invalid CRL distribution point', extended(31, seq(seq(der(0xa0, NULL))))],
  ['invalid certificate policies', extended(32, seq(POLICY, POLICY))],
  ['invalid policy mappings extension', extended(33, seq(seq()))],
  ['authority key identifier incorrectly marked critical', extended(35, seq(), true)],
  ['invalid authority key identifier', extended(35, NULL)],
  ['invalid policy constraints extension', extended(36, seq(der(0x80)))],
  ['invalid extended key usages', extended(37, seq(NULL))],
  ['invalid inhibit any policy extension', extended(54, NULL)],
  ['authority info access incorrectly marked critical', extended(ACCESS, seq(), true)],
  ['invalid authority info access', extended(ACCESS, seq(seq()))],
])('45-1 x509: %s, in an extension', (text, parts) => {
  expect(keyPairFault(certificate(parts), OWN)).toBe(`x509: ${text}`);
});

test.each<[string, Parts]>([
  [
    'names of all forms',
    extended(17, seq(der(0x82, 'a.b'), der(0x81, 'a@b'), der(0x87, bytes(10, 0, 0, 1)), der(0xa0, NULL))),
  ],
  ['an authority with a path', extended(19, seq(der(0x01, bytes(0xff)), der(0x02, bytes(3))), true)],
  ['one that nobody knows', extended(99, bytes(), true)],
  ['other policies', extended(32, seq(POLICY, seq(oid(0x2a, 0x04))))],
  ['a distribution point', extended(31, seq(seq(der(0xa0, der(0xa0, der(0x86, 'http://x')))), seq()))],
  ['policy constraints', extended(36, seq(der(0x80, bytes(3)), der(0x81, bytes(1))))],
])('45-1 an extension of %s is good', (_, parts) => {
  expect(keyPairFault(certificate(parts), OWN)).toBeUndefined();
});
