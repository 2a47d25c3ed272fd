// SPDX-License-Identifier: Apache-2.0
/**
 * Makes a server certificate, and a CA above it where none is given. Runs as a process that ends with its work: the library for
 * it is large, and is needed once a year. One message in: CertificateWish; one out: Issued.
 */
import 'reflect-metadata'; // @peculiar/x509 needs it loaded first
import {webcrypto} from 'node:crypto';
import {once} from 'node:events';
import {isIP} from 'node:net';
import * as x509 from '@peculiar/x509';

/** PEM: a certificate and its private key (PKCS #8). */
export type Pair = {readonly cert: string; readonly key: string};
export type CertificateWish = {
  readonly names: readonly string[];
  readonly nowMs: number;
  /** The CA to sign with; undefined: a new one. */
  readonly ca: Pair | undefined;
};
export type Issued = {readonly server: Pair; readonly ca: Pair};

const DAY_MS = 86_400_000;
const CA_DAYS = 3650;
const SERVER_DAYS = 365;
const ALGORITHM = {name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256'} as const;

const toPem = async (key: webcrypto.CryptoKey): Promise<string> =>
  x509.PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY');

type Signer = {cert: x509.X509Certificate; key: webcrypto.CryptoKey};

const toPair = async ({cert, key}: Signer): Promise<Pair> => ({cert: cert.toString('pem'), key: await toPem(key)});

const loadCa = async ({cert, key}: Pair): Promise<Signer> => {
  const [der] = x509.PemConverter.decode(key);
  if (der === undefined) throw new Error('the CA key is not in PEM form');
  return {
    cert: new x509.X509Certificate(cert),
    key: await webcrypto.subtle.importKey('pkcs8', der, ALGORITHM, true, ['sign']),
  };
};

const issueCa = async (nowMs: number): Promise<Signer> => {
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const cert = await x509.X509CertificateGenerator.createSelfSigned({
    name: 'CN=palisade-ca',
    notBefore: new Date(nowMs - DAY_MS),
    notAfter: new Date(nowMs + CA_DAYS * DAY_MS),
    signingAlgorithm: ALGORITHM,
    keys: keys as webcrypto.CryptoKeyPair,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey as webcrypto.CryptoKey),
    ],
  });
  return {cert, key: keys.privateKey};
};

/** Never valid for longer than its CA. */
const issueServer = async (ca: Signer, names: readonly string[], nowMs: number): Promise<Signer> => {
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const cert = await x509.X509CertificateGenerator.create({
    subject: 'CN=palisade',
    issuer: ca.cert.subject,
    notBefore: new Date(nowMs - DAY_MS),
    notAfter: new Date(Math.min(nowMs + SERVER_DAYS * DAY_MS, ca.cert.notAfter.getTime())),
    signingAlgorithm: ALGORITHM,
    publicKey: keys.publicKey as webcrypto.CryptoKey,
    signingKey: ca.key as webcrypto.CryptoKey,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      await x509.AuthorityKeyIdentifierExtension.create(ca.cert),
      new x509.SubjectAlternativeNameExtension(names.map(value => ({type: isIP(value) > 0 ? 'ip' : 'dns', value}))),
    ],
  });
  return {cert, key: keys.privateKey};
};

const [wish] = (await once(process, 'message')) as [CertificateWish];
const issuer = wish.ca === undefined ? await issueCa(wish.nowMs) : await loadCa(wish.ca);
const server = await issueServer(issuer, wish.names, wish.nowMs);
const issued: Issued = {server: await toPair(server), ca: wish.ca ?? (await toPair(issuer))};
process.send?.(issued, () => process.disconnect());
