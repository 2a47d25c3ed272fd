// SPDX-License-Identifier: Apache-2.0
/** Keys of which OpenSSL and Go think differently: as Go has it. Checked against crypto/tls of Go 1.26. */
import {generateKeyPairSync, type KeyObject} from 'node:crypto';
import {expect, test} from 'vitest';
import {derOf, readElement, TAG} from './der.ts';
import {privateKeyOf} from './private-key.ts';

const rsa = generateKeyPairSync('rsa', {modulusLength: 1024}).privateKey;
const ec = generateKeyPairSync('ec', {namedCurve: 'P-256'}).privateKey;
const ed = generateKeyPairSync('ed25519').privateKey;
const bytesOf = (key: KeyObject, type: 'pkcs1' | 'pkcs8' | 'sec1'): Buffer =>
  key.export({type, format: 'der'} as never) as unknown as Buffer;

const FAULT = 'tls: failed to parse private key';
const resultOf = (bytes: Buffer): string => {
  const key = privateKeyOf(bytes);
  return typeof key === 'string' ? key : key.kind;
};
const changed = (bytes: Buffer, at: number): Buffer =>
  Buffer.from(bytes.map((byte, i) => (i === at ? byte ^ 1 : byte)));

/** Where each number of a key in PKCS 1 ends: version, n, e, d, p, q, dp, dq, the inverse. */
const endsOfNumbers = (bytes: Buffer): number[] => {
  const der = derOf(bytes);
  der.at = 4;
  const ends: number[] = [];
  while (readElement(der)?.tag === TAG.integer) ends.push(der.at - 1);
  return ends;
};

test.each<[string, Buffer, string]>([
  ['RSA in PKCS 1', bytesOf(rsa, 'pkcs1'), 'rsa'],
  ['RSA in PKCS 8', bytesOf(rsa, 'pkcs8'), 'rsa'],
  ['EC in PKCS 8', bytesOf(ec, 'pkcs8'), 'ec'],
  ['EC in a form of its own', bytesOf(ec, 'sec1'), 'ec'],
  ['Ed25519', bytesOf(ed, 'pkcs8'), 'ed25519'],
  ['EC with bytes behind it', Buffer.concat([bytesOf(ec, 'sec1'), Buffer.of(0)]), 'ec'],
  ['RSA in PKCS 1 with bytes behind it', Buffer.concat([bytesOf(rsa, 'pkcs1'), Buffer.of(0)]), FAULT],
  [
    'EC with another public point, which nobody reads',
    changed(bytesOf(ec, 'sec1'), bytesOf(ec, 'sec1').length - 1),
    'ec',
  ],
  ['EC of another version', changed(bytesOf(ec, 'sec1'), 4), FAULT],
  [
    'X25519',
    bytesOf(generateKeyPairSync('x25519').privateKey, 'pkcs8'),
    'tls: found unknown private key type in PKCS#8 wrapping',
  ],
  ['Ed448', bytesOf(generateKeyPairSync('ed448').privateKey, 'pkcs8'), FAULT],
  ['nothing', Buffer.alloc(0), FAULT],
])('45-1 a private key, %s: %#', (_, bytes, wanted) => {
  expect(resultOf(bytes)).toBe(wanted);
});

test('45-1 numbers of an RSA key that do not fit together are no key', () => {
  const bytes = bytesOf(rsa, 'pkcs1');
  const ends = endsOfNumbers(bytes);
  expect(ends).toHaveLength(9);
  for (const end of ends.slice(1)) expect([end, resultOf(changed(bytes, end))]).toEqual([end, FAULT]);
});
