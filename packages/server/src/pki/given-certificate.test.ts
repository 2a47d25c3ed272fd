// SPDX-License-Identifier: Apache-2.0
/** What is wrong with the pair of --tls-cert and --tls-key is told with flag, file, reason and way out, all of it at once. */
import 'reflect-metadata'; // @peculiar/x509 needs it loaded first
import {createPrivateKey, webcrypto, X509Certificate} from 'node:crypto';
import {mkdtemp, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import * as x509 from '@peculiar/x509';
import {afterAll, beforeAll, expect, test} from 'vitest';
import {CommandError} from '../errors.ts';
import {makeCertificate} from '../testing/certificate.ts';
import {givenAtStart, givenCertificate, givenReplacement} from './given-certificate.ts';

type Pair = {readonly cert: string; readonly key: string};

const makeRsa = async (modulusLength: number): Promise<Pair> => {
  const algorithm = {
    name: 'RSASSA-PKCS1-v1_5',
    hash: 'SHA-256',
    modulusLength,
    publicExponent: new Uint8Array([1, 0, 1]),
  };
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const cert = await x509.X509CertificateGenerator.createSelfSigned({
    name: 'CN=short',
    signingAlgorithm: algorithm,
    keys,
  });
  const key = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey);
  return {cert: cert.toString('pem'), key: x509.PemConverter.encode(key, 'PRIVATE KEY')};
};

let dir = '';
let one: Pair;
let other: Pair;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'palisade-given-'));
  [one, other] = await Promise.all([makeCertificate('localhost'), makeCertificate('localhost')]);
});
afterAll(() => rm(dir, {recursive: true}));

const TOKENS = 'change-me,alice,alice-uid\n';
const NO_CERT = 'no certificate in PEM form (-----BEGIN CERTIFICATE-----)';
const NO_KEY = 'no private key in PEM form (-----BEGIN PRIVATE KEY-----)';
const BEGIN = '-----BEGIN CERTIFICATE-----';
/** The certificate under another name that OpenSSL takes. */
const named = (prefix: 'TRUSTED' | 'X509', cert: string): string =>
  cert.replaceAll(' CERTIFICATE', ` ${prefix} CERTIFICATE`);
const encrypted = (key: string): string =>
  createPrivateKey(key).export({type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x'}).toString();

type Case = readonly [what: string, pair: () => Pair | Promise<Pair>, told: (cert: string, key: string) => string[]];
const CASES: readonly Case[] = [
  [
    'two files that are no PEM',
    () => ({cert: TOKENS, key: TOKENS}),
    (cert, key) => [`--tls-cert ${cert}: contains ${NO_CERT}`, `--tls-key ${key}: contains ${NO_KEY}`],
  ],
  [
    'two files that are swapped',
    () => ({cert: one.key, key: one.cert}),
    (cert, key) => [
      `--tls-cert ${cert}: contains a private key, but ${NO_CERT}`,
      `--tls-key ${key}: contains a certificate, but ${NO_KEY}`,
    ],
  ],
  ['a key that is no PEM', () => ({...one, key: TOKENS}), (_, key) => [`--tls-key ${key}: contains ${NO_KEY}`]],
  [
    'a certificate that is cut off and a key that is damaged',
    () => ({cert: one.cert.slice(0, 200), key: one.key.replace(/\n[\s\S]{20}/, '\n')}),
    (cert, key) => [
      `--tls-cert ${cert}: its certificate is damaged: replace the file`,
      `--tls-key ${key}: its private key is damaged: replace the file`,
    ],
  ],
  [
    'a chain with a damaged link',
    () => ({...one, cert: `${one.cert}\n${other.cert.slice(0, 200)}\n${other.cert}\n`}),
    cert => [`--tls-cert ${cert}: its certificate number 2 is damaged: replace the file`],
  ],
  [
    'an encrypted key',
    () => ({...one, key: encrypted(one.key)}),
    (_, key) => [
      `--tls-key ${key}: its private key is encrypted: remove the passphrase with openssl pkey -in ${key} -out NEW`,
    ],
  ],
  [
    'a key of another certificate',
    () => ({...one, key: other.key}),
    (cert, key) => [`--tls-key ${key}: is not the key of the certificate in ${cert}: use a matching pair`],
  ],
  [
    'a key of another kind, which TLS alone would take',
    async () => ({...one, key: (await makeRsa(2048)).key}),
    (cert, key) => [`--tls-key ${key}: is not the key of the certificate in ${cert}: use a matching pair`],
  ],
  [
    'a key of another certificate, which has another name and a remark',
    () => ({cert: `# ${BEGIN}\n${named('TRUSTED', one.cert)}`, key: other.key}),
    (cert, key) => [`--tls-key ${key}: is not the key of the certificate in ${cert}: use a matching pair`],
  ],
  [
    'two empty files',
    () => ({cert: '', key: ''}),
    (cert, key) => [`--tls-cert ${cert}: contains ${NO_CERT}`, `--tls-key ${key}: contains ${NO_KEY}`],
  ],
  ['an empty key', () => ({...one, key: ''}), (_, key) => [`--tls-key ${key}: contains ${NO_KEY}`]],
  [
    'the key of a later certificate',
    () => ({cert: `${other.cert}\n${one.cert}\n`, key: one.key}),
    (cert, key) => [`--tls-key ${key}: is the key of certificate number 2 in ${cert}: put that certificate first`],
  ],
  [
    'a key that TLS refuses',
    () => makeRsa(1024),
    cert => [
      `--tls-cert ${cert}: its key is too short for TLS: create a new pair, with an RSA key of 2048 bits or more, or P-256`,
    ],
  ],
];

test.each(CASES)('%s', async (what, pair, told) => {
  const [certFile, keyFile] = ['crt', 'key'].map(end => join(dir, `${what}.${end}`)) as [string, string];
  const {cert, key} = await pair();
  await Promise.all([writeFile(certFile, cert), writeFile(keyFile, key)]);
  await expect(givenCertificate({certFile, keyFile})).rejects.toThrow(
    new CommandError(told(certFile, keyFile).join('\n')),
  );
});

test('files that cannot be read are both named', async () => {
  const certFile = join(dir, 'none.crt');
  await expect(givenCertificate({certFile, keyFile: dir})).rejects.toThrow(
    new CommandError(
      [
        `--tls-cert ${certFile}: cannot be read: no such file; check the path`,
        `--tls-key ${dir}: cannot be read: is a folder; give a file`,
      ].join('\n'),
    ),
  );
});

const key = () => one.key;
test.each([
  [
    'with words around it',
    () => `Certificate of a server\n${one.cert}\nand of its CA\n${other.cert}\n`,
    () => `Key of a server\n${one.key}\n`,
  ],
  ['named BEGIN TRUSTED CERTIFICATE', () => named('TRUSTED', one.cert), key],
  ['named BEGIN X509 CERTIFICATE', () => named('X509', one.cert), key],
  [
    'with the first line of another in a remark',
    () => `# ${BEGIN} of a server\n${one.cert}\n# ${BEGIN}`,
    () => `# -----BEGIN ENCRYPTED PRIVATE KEY-----\n${one.key}`,
  ],
  ['with a byte order mark', () => `\uFEFF${one.cert}`, () => `\uFEFF${one.key}`],
  ['with the line ends of Windows', () => one.cert.replaceAll('\n', '\r\n'), () => one.key.replaceAll('\n', '\r\n')],
])('what TLS takes is taken, at the start and in place of another: a pair %s', async (what, cert, secret) => {
  const files = {certFile: join(dir, `${what}.crt`), keyFile: join(dir, `${what}.key`)};
  await Promise.all([writeFile(files.certFile, cert()), writeFile(files.keyFile, secret())]);
  const pair = {cert: cert(), key: secret()};
  const warnings: unknown[] = [];
  const log = {warn: (fields: object) => void warnings.push(fields)};
  const nowMs = Date.now();
  expect(await givenAtStart(files, {nowMs, log})).toMatchObject(pair);
  expect(warnings).toEqual([]);
  const {ca} = await givenReplacement(files, nowMs);
  expect(ca).toMatch(/^-----BEGIN CERTIFICATE-----$/m); // what kubectl reads
  expect(ca).not.toMatch(/TRUSTED|X509|\uFEFF/);
  expect(new X509Certificate(ca).fingerprint256).toBe(new X509Certificate(one.cert).fingerprint256);
});
